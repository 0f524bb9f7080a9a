// How far a figure would differ on other rows of the same kind: its standard error, by drawing the
// rows anew with replacement (Efron 1979).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/report/table_facts.h"
#include "cli/table_task.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg::cli {

/// Of rows of a classification: whether each was right, the probability of its class, and that of
/// the positive one with whether the row is of it (empty unless there are two classes).
struct ClassRows {
  std::vector<double> right, probability;
  std::vector<double> score;
  std::vector<bool> positive;
};
/// By metric: accuracy, log_loss, auc. Empty without rows. All numbers are finite.
std::map<std::string, double> class_spreads(const ClassRows& rows, uint64_t seed);

/// By metric: mse, mae, rmse, r2.
std::map<std::string, double> number_spreads(std::span<const double> labels,
                                             std::span<const double> predictions, uint64_t seed);

/// The spreads of the metrics of `facts`, and its scatter of numbers, by predicting `rows`. Tasks
/// with several labels, and weighted rows, get none.
void add_spreads(const TableEstimator& model, const TableTask& task, const Table& rows,
                 TableFitFacts& facts);

}  // namespace thalweg::cli
