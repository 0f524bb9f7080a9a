// Factors whose signs are free: that they make the matrix again, are orthonormal, and have the
// gradients of what does not depend on signs.
#include "thalweg/ops/decomposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference_evaluator.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/base/philox.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
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
  EXPECT_LT(
      distance(batch_matmul(square, self.vectors), self.vectors * expand_dims(self.values, -2)),
      1e-11);
  expect_orthonormal(self.vectors);
  const EigenDecomposition any = eig(square);
  const Output z = cast(square, kComplex128);
  const Output rest = batch_matmul(z, any.vectors) - any.vectors * expand_dims(any.values, -2);
  EXPECT_LT(distance(complex_abs(rest), zeros_like(complex_abs(rest))), 1e-11);
}

// The gradient of sum(weights * y) in x by central differences along a fixed direction. y must not
// depend on the signs that factors are free to choose.
void expect_gradient(Graph& graph, Output x, Output y, const Tensor& at) {
  Philox random(9);
  const auto draw = [&](const Shape& shape) {
    Tensor t(kFloat64, shape);
    for (double& v : t.mutable_data<double>()) v = random.normal();
    return t;
  };
  const Tensor weights = draw(y.shape()), direction = draw(x.shape());
  const Output total = reduce_sum(y * constant(graph, weights));
  const Output slope = reduce_sum(gradient(total, x) * constant(graph, direction));
  ReferenceEvaluator evaluator;
  evaluator.feed(x, at);
  const double analytic = evaluator.run(slope).item<double>();
  double sides[2];
  for (int side = 0; side < 2; ++side) {
    Tensor moved = at.clone();
    const auto values = moved.mutable_data<double>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += (side == 0 ? -1e-6 : 1e-6) * direction.data<double>()[i];
    evaluator.feed(x, moved);
    sides[side] = evaluator.run(total).item<double>();
  }
  EXPECT_NEAR(analytic, (sides[1] - sides[0]) / 2e-6, 1e-5 * (1 + std::abs(analytic)));
}

TEST_P(Decomposition, SvdHasTheGradientOfTheNearestOrthonormalMatrix) {
  const Output x = placeholder(graph_, kFloat64, GetParam());
  const SvdFactors f = svd(x);
  expect_gradient(graph_, x, batch_matmul(f.u, f.v, {.adj_y = true}), random_matrices(GetParam()));
}

TEST_P(Decomposition, SelfAdjointEigHasTheGradientOfAFunctionOfAMatrix) {
  const Output x = placeholder(graph_, kFloat64, GetParam());
  const EigenDecomposition f = self_adjoint_eig(batch_matmul(x, x, {.adj_x = true}));
  const Output scaled = f.vectors * expand_dims(exp(-f.values), -2);
  // A wide matrix has equal eigenvalues 0, where the gradient is none.
  if (GetParam().dim(-1) <= GetParam().dim(-2))
    expect_gradient(graph_, x, batch_matmul(scaled, f.vectors, {.adj_y = true}),
                    random_matrices(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Decomposition,
                         ::testing::Values(Shape{3, 3}, Shape{2, 4, 2}, Shape{2, 5}, Shape{1, 1}));

}  // namespace
}  // namespace thalweg
