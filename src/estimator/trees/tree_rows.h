// Rows as both trainings of trees want them: checked, labels as float32, losses.
#pragma once

#include <vector>

#include "estimator/trees/tree_training.h"

namespace thalweg {

struct CheckedRows {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t outputs = 1;
  const float* features = nullptr;  // [rows, columns]
  std::vector<float> labels;        // [rows, label_width]
  int64_t label_width = 1;          // kMultiLabel and kSquaredError: outputs
  std::vector<float> weights;       // [rows]
  double total_weight = 0;
};

/// Throws invalid_argument naming row (from 1) and column. `what`: "training" or "validation".
CheckedRows check_rows(const TreeTask& task, const TreeRows& rows, std::string_view what);
/// Of options. Throws invalid_argument naming `name` unless least <= value <= most.
void check_option(std::string_view name, double value, double least, double most);
std::string tree_column_name(const TreeTask& task, int64_t column);

/// The best logits without a look at the features, [outputs].
std::vector<float> constant_logits(const TreeTask& task, const CheckedRows& rows);
/// See TreeRound. `logits` [rows, outputs].
double mean_tree_loss(const TreeTask& task, const CheckedRows& rows, const float* logits);

/// So that they add up to 1; all 0 stay so.
std::vector<double> to_shares(std::vector<double> gains);

}  // namespace thalweg
