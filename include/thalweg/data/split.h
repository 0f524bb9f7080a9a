// Dividing rows into a training and a validation part.
#pragma once

#include <cstdint>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::data {

/// Row numbers, each list ascending; together all rows.
struct RowSplit {
  std::vector<int64_t> training;
  std::vector<int64_t> validation;
};

/// Gives round(fraction * rows) rows to validation so that each class keeps its share (largest
/// remainder), at random within the class. Every class keeps at least one row for training; so
/// those with a single row never go to validation, and others give more in their stead as long as
/// they have them. `labels`: integers, bool or strings, [rows].
/// `fraction` in [0, 1). Throws invalid_argument.
RowSplit stratified_split(const Tensor& labels, double fraction, uint64_t seed);

/// The same without classes, for regression; at least one row stays for training.
RowSplit random_split(int64_t rows, double fraction, uint64_t seed);

}  // namespace thalweg::data
