#include "nn/orthogonal.h"

#include <cmath>
#include <numeric>
#include <span>

#include "thalweg/base/philox.h"

namespace thalweg {

std::vector<double> orthonormal_vectors(int64_t count, int64_t length, uint64_t seed) {
  Philox random(seed);
  const auto n = static_cast<size_t>(length);
  std::vector<double> vectors(static_cast<size_t>(count) * n);
  const auto row = [&](size_t i) { return std::span<double>(vectors).subspan(i * n, n); };
  const auto dot = [](std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const std::span<double> v = row(i);
    double norm = 0;
    do {
      for (double& x : v) x = random.normal();
      // Gram-Schmidt, twice: once loses orthogonality to rounding where v is near the span of the
      // rows before it, twice is enough (Giraud, Langou and Rozloznik 2005).
      for (int pass = 0; pass < 2; ++pass) {
        for (size_t j = 0; j < i; ++j) {
          const std::span<const double> u = row(j);
          const double along = dot(u, v);
          for (size_t k = 0; k < n; ++k) v[k] -= along * u[k];
        }
      }
      norm = std::sqrt(dot(v, v));
    } while (norm < 1e-6);
    for (double& x : v) x /= norm;
  }
  return vectors;
}

}  // namespace thalweg
