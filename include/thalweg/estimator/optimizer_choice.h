// Which optimizer an estimator uses: one of one's own, or one by name, which a saved model can make
// again.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "thalweg/train/optimizer.h"

namespace thalweg {

struct NamedOptimizer {
  /// One of optimizer_names().
  std::string name = "adam";
  /// 0: the optimizer's own default.
  double learning_rate = 0;
  /// How the rate changes over the steps that fit() is asked for: "constant"; "cosine": down to 0
  /// along half a cosine; "exponential": down to a hundredth.
  std::string schedule = "constant";
};

using OptimizerChoice = std::variant<NamedOptimizer, Optimizer>;

/// "adadelta", "adagrad", "adam", "adamw", "ftrl", "momentum", "nesterov", "rmsprop", "sgd".
std::span<const std::string> optimizer_names();
/// "constant", "cosine", "exponential".
std::span<const std::string> schedule_names();

/// The rate that it begins with: its own, or the optimizer's default. Errors of make_optimizer.
double initial_rate(const NamedOptimizer& named);
/// The optimizer for a training of `steps` steps. Throws invalid_argument with the nearest name,
/// and for a negative rate.
Optimizer make_optimizer(const OptimizerChoice& choice, int64_t steps);
/// For fingerprints and records: does not depend on the number of steps.
std::string to_string(const OptimizerChoice& choice);

}  // namespace thalweg
