// Reductions, softmax and cross entropy against sums in double, on every target.
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/softmax.h"
#include "kernels/simd_testing.h"

namespace thalweg::simd {
namespace {

THALWEG_FOR_EACH_TARGET(SimdReduce);
THALWEG_FOR_EACH_TARGET(SimdSoftmax);
THALWEG_FOR_EACH_TARGET(SimdCrossEntropy);

TEST_P(SimdReduce, FoldsRangesOfAnyLength) {
  for (int64_t n : {0, 1, 7, 8, 15, 16, 17, 129, 1000, 4096, 4097, 9000}) {
    const std::vector<float> x = some_numbers(n, -1, 3);
    double total = 0, squares = 0, largest = -kInf, smallest = kInf;
    for (float v : x) {
      total += v;
      squares += double{v} * v;
      largest = std::max<double>(largest, v);
      smallest = std::min<double>(smallest, v);
    }
    EXPECT_NEAR(sum(x.data(), n), total, 1e-6 * static_cast<double>(n));
    EXPECT_NEAR(sum_of_squares(x.data(), n), squares, 1e-6 * squares);
    EXPECT_NEAR(dot(x.data(), x.data(), n), squares, 1e-6 * squares);
    EXPECT_EQ(max(x.data(), n), largest);
    EXPECT_EQ(min(x.data(), n), smallest);
  }
  const std::vector<float> x = some_numbers(100, 0.9f, 1.1f);
  double product = 1;
  for (float v : x) product *= v;
  EXPECT_NEAR(prod(x.data(), 100), product, 1e-5 * product);
  EXPECT_EQ(prod(x.data(), 0), 1.0f);
}

TEST_P(SimdReduce, KeepsSixDigitsOverAMillionElements) {
  const std::vector<float> x = some_numbers(1000000, 0, 1);
  double total = 0;
  for (float v : x) total += v;
  EXPECT_NEAR(sum(x.data(), 1000000) / total, 1, 1e-6);
  float rows[1];
  reduce_middle(Reduction::kSum, x.data(), rows, 1, 1000000, 1);
  EXPECT_NEAR(rows[0] / total, 1, 1e-6);
  float columns[2];
  reduce_middle(Reduction::kSum, x.data(), columns, 1, 500000, 2);
  EXPECT_NEAR((double{columns[0]} + columns[1]) / total, 1, 1e-6);
  std::vector<float> wide(100);
  reduce_middle(Reduction::kSum, x.data(), wide.data(), 1, 10000, 100);
  double again = 0;
  for (float v : wide) again += v;
  EXPECT_NEAR(again / total, 1, 1e-6);
}

TEST_P(SimdReduce, PropagatesNanAndInfinity) {
  for (size_t at : {size_t{0}, size_t{20}, size_t{500}, size_t{8999}}) {
    std::vector<float> x = some_numbers(9000, -1, 3);
    x[at] = kNaN;
    EXPECT_TRUE(std::isnan(sum(x.data(), 9000)));
    EXPECT_TRUE(std::isnan(max(x.data(), 9000)));
    EXPECT_TRUE(std::isnan(min(x.data(), 9000)));
    EXPECT_TRUE(std::isnan(prod(x.data(), 9000)));
    for (Reduction op : {Reduction::kSum, Reduction::kMax, Reduction::kMin}) {
      std::vector<float> y(2);
      reduce_middle(op, x.data(), y.data(), 1, 4500, 2);
      EXPECT_EQ(std::isnan(y[0]), at % 2 == 0);
      EXPECT_EQ(std::isnan(y[1]), at % 2 == 1);
    }
    x[at] = kInf;
    EXPECT_EQ(sum(x.data(), 9000), kInf);
    std::vector<float> y(1);
    reduce_middle(Reduction::kSum, x.data(), y.data(), 1, 9000, 1);
    EXPECT_EQ(y[0], kInf);
  }
}

TEST_P(SimdReduce, LeavesColumnsAloneThatAreNot) {
  float y = 7;
  for (Reduction op : {Reduction::kSum, Reduction::kMean, Reduction::kMax, Reduction::kMin,
                       Reduction::kProd}) {
    reduce_middle(op, nullptr, &y, 1, 2, 0);
    reduce_middle(op, nullptr, &y, 3, 300, 0);
    EXPECT_EQ(y, 7);
  }
}

double reduce_exactly(Reduction op, const float* x, int64_t mid, int64_t stride) {
  double sum = 0, product = 1, largest = -kInf, smallest = kInf;
  for (int64_t i = 0; i < mid; ++i) {
    const double v = x[i * stride];
    sum += v;
    product *= v;
    largest = std::max(largest, v);
    smallest = std::min(smallest, v);
  }
  switch (op) {
    case Reduction::kSum: return sum;
    case Reduction::kMean: return sum / static_cast<double>(mid);
    case Reduction::kMax: return largest;
    case Reduction::kMin: return smallest;
    case Reduction::kProd: break;
  }
  return product;
}

TEST_P(SimdReduce, ReducesTheMiddleAxis) {
  const int64_t shapes[][3] = {{1, 1, 1},     {2, 0, 3},      {0, 4, 3},    {3, 5, 1},
                               {2, 7, 3},     {1, 9, 64},     {2, 130, 65}, {1, 300, 9},
                               {1, 33, 1100}, {1, 17000, 66}, {3, 1, 5},    {2, 257, 63}};
  for (const auto& [outer, mid, inner] : shapes) {
    const std::vector<float> x = some_numbers(outer * mid * inner, 0.9f, 1.1f);
    for (Reduction op :
         {Reduction::kSum, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kProd}) {
      std::vector<float> y(static_cast<size_t>(outer * inner) + 1, -7.0f);
      reduce_middle(op, x.data(), y.data(), outer, mid, inner);
      EXPECT_EQ(y.back(), -7.0f);
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          const double want = reduce_exactly(op, x.data() + o * mid * inner + i, mid, inner);
          const float got = y[o * inner + i];
          // Rounding adds up in a product; in sums it stays small.
          const double relative = op == Reduction::kProd ? 1e-3 : 1e-6;
          if (ulp_error(got, want) == 0) continue;
          ASSERT_NEAR(got / want, 1, relative) << outer << " " << mid << " " << inner;
        }
      }
    }
  }
}

TEST_P(SimdReduce, DividesColumnsWithoutChangingABit) {
  const std::vector<float> x = some_numbers(300 * 200, -1, 1);
  std::vector<float> whole(200), parts(200);
  reduce_columns(Reduction::kMean, x.data(), whole.data(), 300, 200, 0, 200);
  for (int64_t begin : {0, 64, 128}) {
    const int64_t end = std::min<int64_t>(begin + 64, 200);
    reduce_columns(Reduction::kMean, x.data(), parts.data(), 300, 200, begin, end);
  }
  reduce_columns(Reduction::kMean, x.data(), parts.data(), 300, 200, 192, 200);
  EXPECT_EQ(parts, whole);
}

TEST_P(SimdReduce, ArgmaxTakesTheFirstOfEquals) {
  for (int64_t columns : {1, 2, 7, 16, 17, 100}) {
    std::vector<float> x(static_cast<size_t>(3 * columns), 1.0f);
    x[columns + columns - 1] = 2;         // last of row 1
    x[2 * columns + columns / 2] = kInf;  // middle of row 2, then another
    x[2 * columns + columns - 1] = kInf;
    int64_t y[3];
    argmax_rows(x.data(), y, 3, columns);
    EXPECT_EQ(y[0], 0);
    EXPECT_EQ(y[1], columns - 1);
    EXPECT_EQ(y[2], columns / 2);
    for (float& v : x) v = -v;
    argmin_rows(x.data(), y, 3, columns);
    EXPECT_EQ(y[1], columns - 1);
    EXPECT_EQ(y[2], columns / 2);
  }
  const std::vector<float> x = {kNaN, -kInf, 3, kNaN, kNaN, kNaN};
  int64_t y[2];
  argmax_rows(x.data(), y, 2, 3);
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 0);
}

std::vector<double> softmax_exactly(const float* x, int64_t n, double* log_total) {
  double largest = -kInf, total = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max<double>(largest, x[i]);
  std::vector<double> y;
  for (int64_t i = 0; i < n; ++i) y.push_back(std::exp(x[i] - largest));
  for (double e : y) total += e;
  for (double& e : y) e /= total;
  *log_total = largest + std::log(total);
  return y;
}

TEST_P(SimdSoftmax, AgreesWithDoublePrecisionAtAnyNumberOfClasses) {
  for (int64_t classes : {0, 1, 2, 7, 8, 15, 16, 17, 1000, 10000}) {
    const std::vector<float> x = some_numbers(3 * classes, -20, 20);
    std::vector<float> y(x.size()), z(x.size());
    softmax_rows(x.data(), y.data(), 3, classes);
    log_softmax_rows(x.data(), z.data(), 3, classes);
    for (int64_t r = 0; r < 3; ++r) {
      double log_total;
      const auto want = softmax_exactly(x.data() + r * classes, classes, &log_total);
      for (int64_t i = 0; i < classes; ++i) {
        // The difference to the largest logit, up to 40, is rounded before its exponential.
        ASSERT_NEAR(y[r * classes + i] / want[i], 1, 4e-6);
        ASSERT_NEAR(z[r * classes + i], x[r * classes + i] - log_total, 4e-6);
      }
    }
    std::vector<float> in_place = x;
    softmax_rows(in_place.data(), in_place.data(), 3, classes);
    EXPECT_EQ(in_place, y);
  }
}

TEST_P(SimdSoftmax, SurvivesExtremeLogits) {
  const std::vector<float> x = {1000, 0, -1000, 800, 1, 1, -431, 279, 427};
  std::vector<float> y(9);
  softmax_rows(x.data(), y.data(), 3, 3);
  EXPECT_EQ(y, (std::vector<float>{1, 0, 0, 1, 0, 0, 0, y[7], 1}));
  EXPECT_LE(y[7], 1e-37f);
  const std::vector<float> equal = {-10000, -10000};
  softmax_rows(equal.data(), y.data(), 1, 2);
  EXPECT_EQ(y[0], 0.5f);
  EXPECT_EQ(y[1], 0.5f);
  const std::vector<float> apart = {1000, 0};
  log_softmax_rows(apart.data(), y.data(), 1, 2);
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_EQ(y[1], -1000.0f);
}

TEST_P(SimdSoftmax, MakesTheWholeRowNanForOneNanAndNoOther) {
  std::vector<float> x = some_numbers(3 * 40, -1, 1), y(120);
  x[40 + 3] = kNaN;
  x[40 + 16] = 50;
  softmax_rows(x.data(), y.data(), 3, 40);
  for (size_t i = 0; i < 120; ++i) EXPECT_EQ(std::isnan(y[i]), i >= 40 && i < 80) << i;
  log_softmax_rows(x.data(), y.data(), 3, 40);
  for (size_t i = 0; i < 120; ++i) EXPECT_EQ(std::isnan(y[i]), i >= 40 && i < 80) << i;
}

TEST_P(SimdSoftmax, GradientsFollowTheirFormulas) {
  const int64_t n = 37;
  const std::vector<float> x = some_numbers(2 * n, -2, 2), dy = some_numbers(2 * n, -1, 1, 9);
  std::vector<float> y(74), z(74), dx(74), dz(74);
  softmax_rows(x.data(), y.data(), 2, n);
  log_softmax_rows(x.data(), z.data(), 2, n);
  softmax_grad_rows(y.data(), dy.data(), dx.data(), 2, n);
  log_softmax_grad_rows(z.data(), dy.data(), dz.data(), 2, n);
  for (int64_t r = 0; r < 2; ++r) {
    double dot_total = 0, total = 0;
    for (int64_t i = r * n; i < (r + 1) * n; ++i) {
      dot_total += double{y[i]} * dy[i];
      total += dy[i];
    }
    for (int64_t i = r * n; i < (r + 1) * n; ++i) {
      EXPECT_NEAR(dx[i], (dy[i] - dot_total) * y[i], 1e-7);
      EXPECT_NEAR(dz[i], dy[i] - std::exp(double{z[i]}) * total, 1e-6);
    }
  }
}

TEST_P(SimdCrossEntropy, SparseAndDenseLabelsAgree) {
  for (int64_t classes : {1, 2, 10, 16, 33, 1000}) {
    const std::vector<float> x = some_numbers(4 * classes, -9, 9);
    std::vector<float> one_hot(x.size());
    std::vector<int64_t> labels;
    for (int64_t r = 0; r < 4; ++r) {
      labels.push_back(r * 7 % classes);
      one_hot[r * classes + labels[r]] = 1;
    }
    const std::vector<int32_t> narrow(labels.begin(), labels.end());
    std::vector<float> loss(4), dense_loss(4), lone_loss(4), dx(x.size()), dense_dx(x.size());
    sparse_softmax_cross_entropy_rows(x.data(), labels.data(), loss.data(), dx.data(), 4, classes);
    softmax_cross_entropy_rows(x.data(), one_hot.data(), dense_loss.data(), dense_dx.data(), 4,
                               classes);
    sparse_softmax_cross_entropy_rows(x.data(), narrow.data(), lone_loss.data(), nullptr, 4,
                                      classes);
    EXPECT_EQ(lone_loss, loss);
    for (int64_t r = 0; r < 4; ++r) {
      double log_total;
      const auto p = softmax_exactly(x.data() + r * classes, classes, &log_total);
      EXPECT_NEAR(loss[r], log_total - x[r * classes + labels[r]], 4e-6);
      EXPECT_NEAR(dense_loss[r], loss[r], 4e-6);
      for (int64_t i = 0; i < classes; ++i) {
        ASSERT_NEAR(dx[r * classes + i], p[i] - one_hot[r * classes + i], 1e-6);
        ASSERT_NEAR(dense_dx[r * classes + i], dx[r * classes + i], 1e-6);
      }
    }
    std::vector<float> in_place = x;
    sparse_softmax_cross_entropy_rows(in_place.data(), labels.data(), loss.data(), in_place.data(),
                                      4, classes);
    EXPECT_EQ(in_place, dx);
  }
}

TEST_P(SimdCrossEntropy, StaysFiniteForExtremeLogits) {
  const std::vector<float> x = {1000, 0, -1000, -10000, -10000, -10000};
  const std::vector<int32_t> labels = {2, 1};
  std::vector<float> loss(2), dx(6);
  sparse_softmax_cross_entropy_rows(x.data(), labels.data(), loss.data(), dx.data(), 2, 3);
  EXPECT_EQ(loss[0], 2000.0f);
  EXPECT_NEAR(loss[1], std::log(3.0), 1e-6);
  EXPECT_EQ(dx[0], 1.0f);
  EXPECT_EQ(dx[2], -1.0f);
}

TEST_P(SimdCrossEntropy, AZeroLabelIgnoresAnInfinitelyUnlikelyClass) {
  const std::vector<float> x = {2, -kInf};
  const std::vector<float> labels = {1, 0};
  float loss;
  std::vector<float> dx(2);
  softmax_cross_entropy_rows(x.data(), labels.data(), &loss, dx.data(), 1, 2);
  EXPECT_EQ(loss, 0.0f);
  EXPECT_EQ(dx, (std::vector<float>{0, 0}));
}

TEST_P(SimdCrossEntropy, AnImpossibleLabelAndNanLogitsGiveNan) {
  const std::vector<float> x = {1, 2, 3, 4, kNaN, 5};
  const std::vector<int64_t> labels = {2, 0, 1};
  std::vector<float> loss(3), dx(6);
  sparse_softmax_cross_entropy_rows(x.data(), labels.data(), loss.data(), dx.data(), 3, 2);
  EXPECT_TRUE(std::isnan(loss[0]) && std::isnan(dx[0]) && std::isnan(dx[1]));
  EXPECT_FALSE(std::isnan(loss[1]) || std::isnan(dx[2]));
  EXPECT_TRUE(std::isnan(loss[2]) && std::isnan(dx[4]) && std::isnan(dx[5]));
}

}  // namespace
}  // namespace thalweg::simd
