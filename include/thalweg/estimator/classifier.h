// Telling classes apart with any network.
//
//     Classifier model(make_network("cnn", 10), {.model_folder = "model"});
//     model.fit(data::read_idx_folder("mnist", data::Split::kTrain), {.epochs = 5});
//     model.evaluate(data::read_idx_folder("mnist", data::Split::kTest))["accuracy"];
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thalweg/estimator/estimator.h"

namespace thalweg {

struct ClassifierOptions {
  /// Names of the classes 0, 1, ...; labels in the data are then these numbers. Empty: the
  /// different labels found in the data, numbers or strings, whatever they are.
  std::vector<std::string> class_names = {};
  OptimizerChoice optimizer = NamedOptimizer{};
  int64_t batch_size = 128;
  /// Of initial weights, dropout, validation split and the order of examples.
  uint64_t seed = 1;
  /// Whether float features `[features]` are brought to mean 0 and deviation 1, by the training
  /// rows.
  bool standardize = false;
  /// Where the model is saved; empty: nowhere.
  std::string model_folder = {};
  /// Of a table, for the record.
  std::vector<std::string> feature_names = {};
  std::string label_name = {};
};

struct ClassPrediction {
  /// -1, and no name, when a probability is not finite: none is better than a wrong one.
  int64_t index = -1;
  std::string name;
  std::vector<float> probabilities;  // in the order of class_names()
};

/// See Estimator.
class Classifier : public Estimator {
 public:
  /// The network gives logits `[batch, classes]`. A Layer can be saved and loaded; of a function
  /// only the weights can.
  explicit Classifier(Layer network, ClassifierOptions options = {});
  explicit Classifier(Network network, ClassifierOptions options = {});

  static Classifier load(const std::string& folder, const LayerMakers& makers = {});
  static Classifier load(const std::string& folder, Network network);
  Classifier(Classifier&&) noexcept;

  /// Each row of `features`, in their order.
  std::vector<ClassPrediction> predict(const Tensor& features) const;
  const std::vector<std::string>& class_names() const { return record().label.class_names; }

 private:
  friend class Estimator;
  explicit Classifier(std::unique_ptr<State> state);
};

}  // namespace thalweg
