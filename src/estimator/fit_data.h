// What fit() makes of the data it is given: rows for training and validation, and what is learnt
// from them before the first step.
#pragma once

#include <optional>
#include <string>

#include "estimator/head.h"
#include "thalweg/data/dataset.h"

namespace thalweg {

struct FitSettings {
  int64_t batch_size = 128;
  uint64_t seed = 1;
  double validation_split = 0;
  std::optional<Dataset> validation = {};
  bool standardize = false;
  std::vector<std::string> columns = {};
};

struct FitData {
  InputSpec input;
  Dataset batches;                            // shuffled, encoded
  std::optional<Dataset> validation_batches;  // encoded
  int64_t training_rows = 0;                  // 0: not known
  int64_t validation_rows = 0;
  std::vector<Figure> baseline;
  std::string fingerprint;
  std::string validation_fingerprint;  // of validation rows of their own; empty without them
};

/// `head` learns the labels. Throws invalid_argument for data that cannot be learnt from.
FitData prepare_fit_data(const Dataset& data, const FitSettings& settings, Head& head);

/// Batches in order with labels as the graph takes them, for evaluation.
Dataset encoded_batches(const Dataset& data, int64_t batch_size, const Head& head);

/// Throws invalid_argument unless elements are {features, label}, the features as in `input`.
void check_evaluation_data(const Dataset& data, const InputSpec& input);

}  // namespace thalweg
