// The products of a DesignMatrix: where the time of a linear solver goes.
#include <algorithm>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/lanes.h"
#include "thalweg/base/parallel.h"

namespace thalweg::linear {
namespace {

constexpr int64_t kBlock = DesignMatrix::kBlock;
constexpr int64_t kEntries = 16384;  // of an index that are summed at once

// scores[k][i] += sum_d x[d][i] weights[d][k] for units k, k + 1, ... of which there are Units.
template <int Units>
THALWEG_INLINE void multiply_units(const float* x, int64_t numbers, const float* weights,
                                   int64_t units, float* scores) {
  constexpr int kGroups = 4;  // of rows, so that sums need not wait for each other
  for (int64_t i = 0; i < kBlock; i += kGroups * kLanes) {
    Lanes sums[Units][kGroups];
    for (int k = 0; k < Units; ++k) {
      for (int g = 0; g < kGroups; ++g) sums[k][g] = load(scores + k * kBlock + i + g * kLanes);
    }
    for (int64_t d = 0; d < numbers; ++d) {
      const float* column = x + d * kBlock + i;
      for (int k = 0; k < Units; ++k) {
        const float weight = weights[d * units + k];
        for (int g = 0; g < kGroups; ++g) sums[k][g] += load(column + g * kLanes) * weight;
      }
    }
    for (int k = 0; k < Units; ++k) {
      for (int g = 0; g < kGroups; ++g) store(scores + k * kBlock + i + g * kLanes, sums[k][g]);
    }
  }
}

THALWEG_CLONES
void multiply_numbers(const float* x, int64_t numbers, const float* weights, int64_t units,
                      float* scores) {
  int64_t k = 0;
  for (; k + 4 <= units; k += 4) {
    multiply_units<4>(x, numbers, weights + k, units, scores + k * kBlock);
  }
  for (; k < units; ++k) multiply_units<1>(x, numbers, weights + k, units, scores + k * kBlock);
}

// Four columns of x times Units rows of values.
template <int Units, int Columns>
THALWEG_INLINE void add_sums(const float* x, const float* values, int64_t units, double* sums) {
  Lanes partial[Columns][Units] = {};
  for (int64_t i = 0; i < kBlock; i += kLanes) {
    for (int d = 0; d < Columns; ++d) {
      const Lanes column = load(x + d * kBlock + i);
      for (int k = 0; k < Units; ++k) partial[d][k] += column * load(values + k * kBlock + i);
    }
  }
  for (int d = 0; d < Columns; ++d) {
    for (int k = 0; k < Units; ++k) sums[d * units + k] += double{sum(partial[d][k])};
  }
}

template <int Units>
THALWEG_INLINE void add_sums_of(const float* x, int64_t numbers, const float* values, int64_t units,
                                double* sums) {
  int64_t d = 0;
  for (; d + 4 <= numbers; d += 4) {
    add_sums<Units, 4>(x + d * kBlock, values, units, sums + d * units);
  }
  for (; d < numbers; ++d) add_sums<Units, 1>(x + d * kBlock, values, units, sums + d * units);
}

THALWEG_CLONES
void add_sums_of_numbers(const float* x, int64_t numbers, const float* values, int64_t units,
                         double* sums) {
  int64_t k = 0;
  for (; k + 4 <= units; k += 4) {
    add_sums_of<4>(x, numbers, values + k * kBlock, units, sums + k);
  }
  for (; k < units; ++k) add_sums_of<1>(x, numbers, values + k * kBlock, units, sums + k);
}

THALWEG_CLONES
double sum_of(const float* values) {
  Lanes partial = {};
  for (int64_t i = 0; i < kBlock; i += kLanes) partial += load(values + i);
  return double{sum(partial)};
}

THALWEG_CLONES
void add_weights_of_ids(const int32_t* ids, const float* weights, float* scores) {
  for (int64_t i = 0; i < kBlock; ++i) scores[i] += weights[ids[i]];
}

}  // namespace

void DesignMatrix::multiply(int64_t block, const float* weights, const float* bias, int64_t units,
                            float* scores) const {
  for (int64_t k = 0; k < units; ++k) std::fill_n(scores + k * kBlock, kBlock, bias[k]);
  multiply_numbers(dense_.data() + block * numbers_ * kBlock, numbers_, weights, units, scores);
  for (int64_t c = 0; c < id_columns_; ++c) {
    const int32_t* ids = ids_.data() + (block * id_columns_ + c) * kBlock;
    if (units == 1) {
      add_weights_of_ids(ids, weights, scores);
      continue;
    }
    for (int64_t i = 0; i < kBlock; ++i) {
      const float* row = weights + ids[i] * units;
      for (int64_t k = 0; k < units; ++k) scores[k * kBlock + i] += row[k];
    }
  }
  if (words_.begin.empty()) return;
  for (int64_t row = block * kBlock; row < std::min(rows_, (block + 1) * kBlock); ++row) {
    for (int64_t e = words_.begin[row]; e < words_.begin[row + 1]; ++e) {
      const float* weight = weights + words_.features[e] * units;
      for (int64_t k = 0; k < units; ++k) {
        scores[k * kBlock + row % kBlock] += words_.values[e] * weight[k];
      }
    }
  }
}

void DesignMatrix::add_number_sums(int64_t block, const float* values, int64_t units,
                                   double* sums) const {
  add_sums_of_numbers(dense_.data() + block * numbers_ * kBlock, numbers_, values, units, sums);
}

void DesignMatrix::add_bias_sums(const float* values, int64_t units, double* sums) {
  for (int64_t k = 0; k < units; ++k) sums[k] += sum_of(values + k * kBlock);
}

// The index is cut at every kEntries, wherever features begin: so common features are summed by
// several threads. What belongs to a feature that was cut is added at the end.
void DesignMatrix::id_sums(const float* values, int64_t units, double* sums) const {
  const std::vector<int64_t>& begin = by_feature_.begin;
  const int64_t entries = begin.back();
  const int64_t chunks = (entries + kEntries - 1) / kEntries;
  const auto feature_at = [&](int64_t entry) {
    return std::ranges::upper_bound(begin, entry) - begin.begin() - 1;
  };
  std::fill_n(sums, (features() - numbers_) * units, 0.0);
  std::vector<double> cut(static_cast<size_t>(2 * chunks * units));
  parallel_for(chunks, 1, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      const int64_t from = c * kEntries;
      const int64_t to = std::min(entries, from + kEntries);
      for (int64_t f = feature_at(from); f + 1 < std::ssize(begin) && begin[f] < to; ++f) {
        const int64_t b = std::max(begin[f], from);
        const int64_t e = std::min(begin[f + 1], to);
        double* out = begin[f] < from     ? &cut[2 * c * units]
                      : begin[f + 1] > to ? &cut[(2 * c + 1) * units]
                                          : sums + f * units;
        for (int64_t k = 0; k < units; ++k) {
          double total = 0;
          for (int64_t i = b; i < e; ++i) {
            const int64_t row = by_feature_.rows[i];
            const float value = values[(row / kBlock * units + k) * kBlock + row % kBlock];
            total += by_feature_.values.empty() ? value : value * by_feature_.values[i];
          }
          out[k] = total;
        }
      }
    }
  });
  for (int64_t c = 0; c < chunks; ++c) {
    const int64_t to = std::min(entries, (c + 1) * kEntries);
    double* first = sums + feature_at(c * kEntries) * units;
    double* last = sums + feature_at(to - 1) * units;
    for (int64_t k = 0; k < units; ++k) {
      // Zero where nothing was cut.
      first[k] += cut[2 * c * units + k];
      last[k] += cut[(2 * c + 1) * units + k];
    }
  }
}

}  // namespace thalweg::linear
