// Predicting a number with any network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thalweg/estimator/estimator.h"

namespace thalweg {

struct RegressorOptions {
  OptimizerChoice optimizer = NamedOptimizer{};
  int64_t batch_size = 128;
  /// Of initial weights, dropout, validation split and the order of examples.
  uint64_t seed = 1;
  /// Whether label and float features `[features]` are brought to mean 0 and deviation 1 for the
  /// network, by the training rows. Predictions and metrics stay in the label's own units.
  bool standardize = false;
  /// Where the model is saved; empty: nowhere.
  std::string model_folder = {};
  /// Of a table, for the record.
  std::vector<std::string> feature_names = {};
  std::string label_name = {};
};

/// See Estimator. The loss is the mean squared error.
class Regressor : public Estimator {
 public:
  /// The network gives values `[batch, 1]` or `[batch]`. A Layer can be saved and loaded; of a
  /// function only the weights can.
  explicit Regressor(Layer network, RegressorOptions options = {});
  explicit Regressor(Network network, RegressorOptions options = {});

  static Regressor load(const std::string& folder, const LayerMakers& makers = {});
  static Regressor load(const std::string& folder, Network network);
  Regressor(Regressor&&) noexcept;

  /// Of each row of `features`, in their order.
  std::vector<float> predict(const Tensor& features) const;

 private:
  friend class Estimator;
  explicit Regressor(std::unique_ptr<State> state);
};

}  // namespace thalweg
