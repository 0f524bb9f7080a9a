// Factors whose signs are free: that they make the matrix again, and are orthonormal.
#include "thalweg/ops/decomposition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_evaluator.h"
#include "thalweg/base/philox.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::ReferenceEvaluator;

Tensor random_matrices(const Shape& shape) {
  Philox random(5);
  Tensor result(kFloat64, shape);
  for (double& x : result.mutable_data<double>()) x = random.normal();
  return result;
}

class Decomposition : public ::testing::TestWithParam<Shape> {
 protected:
  Graph graph_{standard_ops()};
  Output x_ = constant(graph_, random_matrices(GetParam()));

  // The largest difference of two tensors of one shape.
  static double distance(Output a, Output b) {
    const Tensor difference = ReferenceEvaluator().run(a - b);
    double largest = 0;
    for (int64_t i = 0; i < difference.num_elements(); ++i)
      largest = std::max(largest, std::abs(difference.at(i)));
    return largest;
  }
  void expect_orthonormal(Output columns) {
    const Output product = batch_matmul(columns, columns, {.adj_x = true});
    Tensor eye = Tensor::zeros(kFloat64, product.shape());
    const int64_t n = product.shape().dim(-1);
    const auto data = eye.mutable_data<double>();
    for (int64_t i = 0; i < eye.num_elements(); ++i)
      data[static_cast<size_t>(i)] = i / n % n == i % n ? 1 : 0;
    EXPECT_LT(distance(product, constant(graph_, eye)), 1e-12);
  }
};

TEST_P(Decomposition, QrMakesTheMatrixAgain) {
  for (bool full : {false, true}) {
    const QrFactors f = qr(x_, {.full_matrices = full});
    EXPECT_LT(distance(batch_matmul(f.q, f.r), x_), 1e-12);
    expect_orthonormal(f.q);
  }
}

TEST_P(Decomposition, SvdMakesTheMatrixAgain) {
  const SvdFactors f = svd(x_);
  const Output scaled = f.u * expand_dims(f.s, -2);
  EXPECT_LT(distance(batch_matmul(scaled, f.v, {.adj_y = true}), x_), 1e-12);
  expect_orthonormal(f.u);
  expect_orthonormal(f.v);
  const SvdFactors full = svd(x_, {.full_matrices = true});
  expect_orthonormal(full.u);
  expect_orthonormal(full.v);
  EXPECT_LT(distance(singular_values(x_), f.s), 1e-12);
}

TEST_P(Decomposition, EigenvectorsAreTurnedIntoMultiplesOfThemselves) {
  const Output square = batch_matmul(x_, x_, {.adj_y = true});
  const EigenDecomposition self = self_adjoint_eig(square);
  EXPECT_LT(distance(batch_matmul(square, self.vectors), self.vectors * expand_dims(self.values, -2)),
            1e-11);
  expect_orthonormal(self.vectors);
  const EigenDecomposition any = eig(square);
  const Output z = cast(square, kComplex128);
  const Output rest = batch_matmul(z, any.vectors) - any.vectors * expand_dims(any.values, -2);
  EXPECT_LT(distance(complex_abs(rest), zeros_like(complex_abs(rest))), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Decomposition,
                         ::testing::Values(Shape{3, 3}, Shape{2, 4, 2}, Shape{2, 5}, Shape{1, 1}));

}  // namespace
}  // namespace thalweg
