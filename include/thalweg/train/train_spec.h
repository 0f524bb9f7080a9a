// Which outputs of a graph a training loop feeds, fetches and runs.
#pragma once

#include <string>
#include <vector>

#include "thalweg/graph/graph.h"
#include "thalweg/nn/metrics.h"

namespace thalweg {

/// One training step. All scalars may be of any floating-point or integer dtype.
struct TrainSpec {
  /// Placeholders, one for each component of the dataset's batches, in that order.
  std::vector<Output> inputs = {};
  /// The value that `train_step` makes smaller: a scalar, the (weighted) mean over the batch.
  Output loss = {};
  /// What the batch's loss counts in the epoch's: the sum of the example weights. None: the number
  /// of examples (the first dimension of the first component).
  Output loss_weight = {};
  std::vector<Metric> metrics = {};
  /// Of Optimizer::minimize. It must count the variable `global_step`.
  Node* train_step = nullptr;
  /// Optimizer::learning_rate, for logs. May be none.
  Output learning_rate = {};
};

/// One evaluation step of the same graph, built in predicting mode (no dropout). Nothing here may
/// change a variable.
struct EvalSpec {
  std::vector<Output> inputs = {};
  Output loss = {};         // none: no loss is given
  Output loss_weight = {};  // as in TrainSpec
  std::vector<Metric> metrics = {};
};

/// A metric's value over an epoch or a data set; NaN where it is undefined.
struct Figure {
  std::string name;
  double value = 0;
};

/// The figure's value, NaN when there is none of that name.
double figure(const std::vector<Figure>& figures, std::string_view name);

}  // namespace thalweg
