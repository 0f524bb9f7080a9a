#include "estimator/trees/tree_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimator/metrics/value_metrics.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kGrain = 1024;

std::string_view wanted_labels(TreeGoal goal) {
  switch (goal) {
    case TreeGoal::kBinary:
    case TreeGoal::kMultiLabel: return "0 or 1";
    case TreeGoal::kMultiClass: return "the number of a class";
    case TreeGoal::kPoisson: return "a count, not negative";
    default: return "a finite number";
  }
}

bool is_label(TreeGoal goal, int64_t outputs, float y) {
  switch (goal) {
    case TreeGoal::kBinary:
    case TreeGoal::kMultiLabel: return y == 0 || y == 1;
    case TreeGoal::kMultiClass:
      return y >= 0 && y < static_cast<float>(outputs) && y == std::floor(y);
    case TreeGoal::kPoisson: return std::isfinite(y) && y >= 0;
    default: return std::isfinite(y);
  }
}

bool has_label_a_output(TreeGoal goal) {
  return goal == TreeGoal::kMultiLabel || goal == TreeGoal::kSquaredError;
}

double log_loss(double logit, double label) {
  // log(1 + exp(logit)) - label * logit, without overflow.
  return std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit))) - label * logit;
}

double row_loss(const TreeTask& task, const float* labels, const float* logits) {
  const auto outputs = task.outputs;
  double sum = 0;
  switch (task.goal) {
    case TreeGoal::kBinary: return log_loss(logits[0], labels[0]);
    case TreeGoal::kMultiClass: {
      const double most = *std::max_element(logits, logits + outputs);
      for (int64_t k = 0; k < outputs; ++k) sum += std::exp(logits[k] - most);
      return std::log(sum) + most - logits[static_cast<int64_t>(labels[0])];
    }
    case TreeGoal::kMultiLabel:
      for (int64_t k = 0; k < outputs; ++k) sum += log_loss(logits[k], labels[k]);
      return sum / static_cast<double>(outputs);
    case TreeGoal::kSquaredError:
      for (int64_t k = 0; k < outputs; ++k) {
        const double error = static_cast<double>(logits[k]) - labels[k];
        sum += error * error;
      }
      return sum / static_cast<double>(outputs);
    case TreeGoal::kPoisson: {
      const double y = labels[0];
      return 2 * ((y > 0 ? y * (std::log(y) - logits[0]) : 0.0) - y + std::exp(logits[0]));
    }
    case TreeGoal::kQuantile:
      for (int64_t k = 0; k < outputs; ++k) {
        const double error = static_cast<double>(labels[0]) - logits[k];
        const double q = task.quantiles[static_cast<size_t>(k)];
        sum += std::max(q * error, (q - 1) * error);
      }
      return sum / static_cast<double>(outputs);
  }
  throw internal_error("no goal ", static_cast<int>(task.goal));
}

float logit_of(double share) {
  const double p = std::clamp(share, kLeastShare, 1 - kLeastShare);
  return static_cast<float>(std::log(p / (1 - p)));
}

std::vector<double> mean_labels(const CheckedRows& rows) {
  const auto width = static_cast<size_t>(rows.label_width);
  std::vector<double> sums(width, 0.0);
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    sums[i % width] += static_cast<double>(rows.weights[i / width]) * rows.labels[i];
  }
  for (double& sum : sums) sum /= rows.total_weight;
  return sums;
}

void check_quantiles(const TreeTask& task) {
  if (task.goal != TreeGoal::kQuantile) return;
  if (static_cast<int64_t>(task.quantiles.size()) != task.outputs) {
    throw invalid_argument("there are ", task.quantiles.size(), " quantiles for ", task.outputs,
                           " outputs; expected one each");
  }
  for (double q : task.quantiles) {
    if (!(q > 0 && q < 1)) {
      throw invalid_argument("a quantile is ", q, ", expected one between 0 and 1");
    }
  }
}

void check_features(const TreeTask& task, const CheckedRows& rows, std::string_view what) {
  for (int64_t i = 0; i < rows.rows * rows.columns; ++i) {
    if (std::isinf(rows.features[i])) {
      throw invalid_argument("column ", tree_column_name(task, i % rows.columns), " of ", what,
                             " row ", i / rows.columns + 1, " is ", rows.features[i],
                             "; expected finite numbers, or NaN for missing ones");
    }
  }
}

}  // namespace

void check_option(std::string_view name, double value, double least, double most) {
  if (!(value >= least && value <= most)) {
    throw invalid_argument("`", name, "` is ", value, ", expected ", least, " to ", most);
  }
}

std::string tree_column_name(const TreeTask& task, int64_t column) {
  const auto at = static_cast<size_t>(column);
  return at < task.columns.size() ? str("`", task.columns[at], "`") : str(column);
}

CheckedRows check_rows(const TreeTask& task, const TreeRows& given, std::string_view what) {
  check_quantiles(task);
  if (task.outputs < 1) throw invalid_argument("there are ", task.outputs, " outputs, expected 1");
  const Shape& shape = given.features.shape();
  if (given.features.dtype() != kFloat32 || shape.rank() != 2 || shape[1] < 1) {
    throw invalid_argument("the ", what, " features are ",
                           str(given.features.dtype(), given.features.shape()),
                           ", expected float32 [rows, columns] with a column or more");
  }
  CheckedRows rows;
  rows.rows = shape[0];
  rows.columns = shape[1];
  rows.outputs = task.outputs;
  rows.features = given.features.data<float>().data();
  rows.label_width = has_label_a_output(task.goal) ? task.outputs : 1;
  if (rows.rows < 1) throw invalid_argument("there are no ", what, " rows");
  if (given.labels.num_elements() != rows.rows * rows.label_width || given.labels.rank() < 1 ||
      given.labels.dim(0) != rows.rows) {
    throw invalid_argument("the ", what, " labels are ",
                           str(given.labels.dtype(), given.labels.shape()), ", expected ",
                           Shape{rows.rows, rows.label_width});
  }
  const Tensor labels = given.labels.cast(kFloat32);
  rows.labels.assign(labels.data<float>().begin(), labels.data<float>().end());
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    if (is_label(task.goal, task.outputs, rows.labels[i])) continue;
    throw invalid_argument("the label of ", what, " row ",
                           static_cast<int64_t>(i) / rows.label_width + 1, " is ", rows.labels[i],
                           ", expected ", wanted_labels(task.goal));
  }
  rows.weights.assign(static_cast<size_t>(rows.rows), 1.0f);
  if (given.weights.is_valid()) {
    if (given.weights.dtype() != kFloat32 || given.weights.num_elements() != rows.rows) {
      throw invalid_argument("the ", what, " weights are ",
                             str(given.weights.dtype(), given.weights.shape()),
                             ", expected float32 ", Shape{rows.rows});
    }
    const auto weights = given.weights.data<float>();
    rows.weights.assign(weights.begin(), weights.end());
  }
  for (size_t i = 0; i < rows.weights.size(); ++i) {
    if (std::isfinite(rows.weights[i]) && rows.weights[i] >= 0) continue;
    throw invalid_argument("the weight of ", what, " row ", i + 1, " is ", rows.weights[i],
                           ", expected a finite number, not negative");
  }
  rows.total_weight = std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0);
  if (rows.total_weight <= 0) {
    throw invalid_argument("all weights of the ", what, " rows are 0; at least one must count");
  }
  check_features(task, rows, what);
  return rows;
}

std::vector<float> constant_logits(const TreeTask& task, const CheckedRows& rows) {
  std::vector<float> base(static_cast<size_t>(task.outputs), 0.0f);
  switch (task.goal) {
    case TreeGoal::kMultiClass: {
      std::vector<double> shares(base.size(), 0.0);
      for (size_t i = 0; i < rows.labels.size(); ++i) {
        shares[static_cast<size_t>(rows.labels[i])] += rows.weights[i];
      }
      for (size_t k = 0; k < base.size(); ++k) {
        base[k] =
            static_cast<float>(std::log(std::max(shares[k] / rows.total_weight, kLeastShare)));
      }
      return base;
    }
    case TreeGoal::kQuantile: {
      for (size_t k = 0; k < base.size(); ++k) {
        base[k] =
            static_cast<float>(weighted_quantile(rows.labels, task.quantiles[k], rows.weights));
      }
      return base;
    }
    default: break;
  }
  const std::vector<double> means = mean_labels(rows);
  for (size_t k = 0; k < base.size(); ++k) {
    if (task.goal == TreeGoal::kSquaredError) {
      base[k] = static_cast<float>(means[k]);
    } else if (task.goal == TreeGoal::kPoisson) {
      base[k] = static_cast<float>(std::log(std::max(means[k], kLeastShare)));
    } else {
      base[k] = logit_of(means[k]);
    }
  }
  return base;
}

double mean_tree_loss(const TreeTask& task, const CheckedRows& rows, const float* logits) {
  // Sums of blocks, so that the result does not depend on the threads.
  const int64_t blocks = (rows.rows + kGrain - 1) / kGrain;
  std::vector<double> sums(static_cast<size_t>(blocks), 0.0);
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t last = std::min(rows.rows, (block + 1) * kGrain);
      for (int64_t i = block * kGrain; i < last; ++i) {
        const double weight = rows.weights[static_cast<size_t>(i)];
        if (weight == 0) continue;
        sums[static_cast<size_t>(block)] +=
            weight *
            row_loss(task, rows.labels.data() + i * rows.label_width, logits + i * rows.outputs);
      }
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0) / rows.total_weight;
}

std::vector<double> to_shares(std::vector<double> gains) {
  const double total = std::accumulate(gains.begin(), gains.end(), 0.0);
  if (total > 0) {
    for (double& gain : gains) gain /= total;
  }
  return gains;
}

}  // namespace thalweg
