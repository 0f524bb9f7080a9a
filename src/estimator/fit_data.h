// What fit() makes of the data it is given: rows for training and validation, and what is learnt
// from them before the first step.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "estimator/head.h"
#include "estimator/solver.h"
#include "thalweg/data/dataset.h"

namespace thalweg {

/// Rows ready for a model's graph, and what is known of them.
struct FitData {
  // For training by steps: batches {inputs..., labels[, weights]}.
  std::optional<Dataset> batches;  // in a new order each epoch
  std::optional<Dataset> validation_batches;
  // For solvers.
  std::shared_ptr<const SolverRows> rows;
  std::shared_ptr<const SolverRows> validation;

  int64_t training_rows = 0;  // 0: not known
  int64_t validation_rows = 0;
  std::vector<Figure> baseline;
  std::string fingerprint;
  std::string validation_fingerprint;  // of validation rows of their own; empty without them
};

struct TensorSettings {
  int64_t batch_size = 128;
  uint64_t seed = 1;
  double validation_split = 0;
  std::optional<Dataset> validation = {};
  bool standardize = false;
  std::vector<std::string> columns = {};
};

struct TensorData {
  InputSpec input;
  FitData data;
};

/// Of elements {features, label}. `head` learns the labels. Throws invalid_argument for data that
/// cannot be learnt from.
TensorData prepare_tensors(const Dataset& data, const TensorSettings& settings, Head& head);

/// Batches in order with labels as the graph takes them, for evaluation.
Dataset encoded_batches(const Dataset& data, int64_t batch_size, const Head& head);

/// Throws invalid_argument unless elements are {features, label}, the features as in `input`.
void check_evaluation_data(const Dataset& data, const InputSpec& input);

/// Rows of a tensor of numbers, in this order.
Tensor rows_at(const Tensor& numbers, const std::vector<int64_t>& rows);

/// Of the data's contents and of what they are called: class 1 of one table may be class 2 of
/// another.
std::string fingerprint_text(uint64_t contents, const std::vector<std::string>& columns,
                             const LabelSpec& label);

}  // namespace thalweg
