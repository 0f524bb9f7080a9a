#include "estimator/linear/least_squares.h"

#include <algorithm>
#include <cmath>

#include "estimator/linear/lanes.h"
#include "thalweg/base/parallel.h"

namespace thalweg::linear {
namespace {

constexpr int64_t kBlock = DesignMatrix::kBlock;
constexpr int64_t kMostFeatures = 512;
constexpr double kMostProducts = 4e9;
// A pivot smaller than this share of its diagonal is what rounding left of 0.
constexpr double kLeastPivot = 1e-9;

// sums[i][j] += sum_r left[i][r] right[j][r] for j from `first(i)` on; tables of doubles `[n,
// kBlock]`.
THALWEG_CLONES
void add_products(const double* left, int64_t from, int64_t to, const double* right, int64_t count,
                  bool upper, double* sums) {
  for (int64_t i = from; i < to; ++i) {
    const double* a = left + i * kBlock;
    for (int64_t j = upper ? i : 0; j < count; ++j) {
      const double* b = right + j * kBlock;
      double partial[8] = {};
      for (int64_t r = 0; r < kBlock; r += 8) {
        for (int64_t k = 0; k < 8; ++k) partial[k] += a[r + k] * b[r + k];
      }
      sums[i * count + j] += ((partial[0] + partial[4]) + (partial[2] + partial[6])) +
                             ((partial[1] + partial[5]) + (partial[3] + partial[7]));
    }
  }
}

// Solves `a` x = b for `columns` right sides in place; of `a` `[n, n]` the upper half is read and
// becomes R of a = R^T R. False when it is not positive definite.
bool solve_cholesky(std::vector<double>& a, int64_t n, std::vector<double>& b, int64_t columns) {
  for (int64_t i = 0; i < n; ++i) {
    const double diagonal = a[i * n + i];
    for (int64_t k = 0; k < i; ++k) a[i * n + i] -= a[k * n + i] * a[k * n + i];
    if (!(a[i * n + i] > kLeastPivot * diagonal)) return false;
    const double root = a[i * n + i] = std::sqrt(a[i * n + i]);
    for (int64_t k = 0; k < i; ++k) {
      const double factor = a[k * n + i];
      for (int64_t j = i + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
    for (int64_t j = i + 1; j < n; ++j) a[i * n + j] /= root;
  }
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t i = 0; i < n; ++i) {
      double& value = b[i * columns + c];
      for (int64_t k = 0; k < i; ++k) value -= a[k * n + i] * b[k * columns + c];
      value /= a[i * n + i];
    }
    for (int64_t i = n; i-- > 0;) {
      double& value = b[i * columns + c];
      for (int64_t j = i + 1; j < n; ++j) value -= a[i * n + j] * b[j * columns + c];
      value /= a[i * n + i];
    }
  }
  return true;
}

}  // namespace

bool is_small(const DesignMatrix& matrix) {
  const auto n = static_cast<double>(matrix.features() + 1);
  return matrix.features() <= kMostFeatures &&
         n * n * static_cast<double>(matrix.rows()) <= kMostProducts;
}

std::optional<std::vector<double>> solve_least_squares(const DesignMatrix& matrix,
                                                       const LinearLoss& loss,
                                                       const LinearTargets& targets, double l2) {
  const int64_t n = matrix.features() + 1;  // the last is the bias
  const int64_t units = loss.units;
  std::vector<double> gram(static_cast<size_t>(n * n));
  std::vector<double> right(static_cast<size_t>(n * units));
  std::vector<float> table(static_cast<size_t>(n * kBlock), 1.0f);
  std::vector<double> x(static_cast<size_t>(n * kBlock));
  std::vector<double> weighted(x.size());
  std::vector<double> target(static_cast<size_t>(units * kBlock));
  for (int64_t b = 0; b < matrix.blocks(); ++b) {
    matrix.expand(b, table.data());
    std::ranges::copy(table, x.begin());
    std::copy_n(targets.targets(b), units * kBlock, target.begin());
    const float* weights = targets.weights(b);
    for (int64_t i = 0; i < n * kBlock; ++i) weighted[i] = x[i] * double{weights[i % kBlock]};
    parallel_for(n, std::max<int64_t>(1, 2048 / n), [&](int64_t from, int64_t to) {
      add_products(weighted.data(), from, to, x.data(), n, true, gram.data());
      add_products(weighted.data(), from, to, target.data(), units, false, right.data());
    });
  }
  // Half the slope of 2 / units (X^T W X) w + l2 w, by units / 2.
  const double penalty = l2 * static_cast<double>(units) / (2 * loss.factor);
  for (int64_t i = 0; i + 1 < n; ++i) gram[i * n + i] += penalty;
  if (!std::ranges::all_of(right, [](double value) { return std::isfinite(value); })) return {};
  if (!solve_cholesky(gram, n, right, units)) return {};
  return right;
}

}  // namespace thalweg::linear
