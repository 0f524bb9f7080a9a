// A network with everything around it: fit, evaluate, predict, save, load. What Classifier and
// Regressor share.
//
// One graph holds the network twice, for training and for predicting, with the same weights; so
// evaluation in the middle of a training neither uses dropout nor disturbs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/data/dataset.h"
#include "thalweg/estimator/evaluation_report.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/nn/layer.h"
#include "thalweg/nn/make_layer.h"
#include "thalweg/train/training_loop.h"

namespace thalweg {

inline constexpr int64_t kMostEpochs = 1'000'000'000;

struct FitOptions {
  /// In all: a resumed training counts those made before. At most kMostEpochs.
  int64_t epochs = 10;
  /// Share of the rows kept for validation, of each class alike; 0: none. Not for data without
  /// random access.
  double validation_split = 0.1;
  /// Validation rows of your own instead.
  std::optional<Dataset> validation = {};
  /// Epochs without a better validation loss after which it stops; 0: never.
  int64_t patience = 0;
  /// What to do when the model folder holds a model: go on with its training, or replace it. With
  /// neither, fit() throws already_exists. The old model stays as it is until the new training is
  /// over, and when that fails; a signal counts as its end if there is a checkpoint to go on from.
  /// Meanwhile the files are in the folder's `.new`, from where `resume` fetches them when the
  /// training was interrupted or killed.
  bool resume = false;
  bool overwrite = false;
  /// Saves every so many steps, besides ends of epochs (each 10 seconds at most); 0: not.
  int64_t checkpoint_steps = 0;
  /// Nothing is shown by default.
  ProgressOptions progress = {.mode = ProgressMode::kNone};
  std::vector<std::shared_ptr<Hook>> hooks = {};
  bool handle_signals = true;
  /// For messages.
  OptionNames names = {};
  /// For the run record: where the data came from, and the command that does it again.
  std::string data_name = {};
  std::string command = {};
};

struct FitReport {
  TrainResult training;
  /// Of the weights that the model has now: at the best epoch, else at the last. Empty when there
  /// was none.
  std::vector<Figure> train;
  std::vector<Figure> validation;
  /// What guessing without a look at the features gives on the validation rows, without those on
  /// the training rows: metrics of the commonest class, or of the mean.
  std::vector<Figure> baseline;
  /// Whether an older model in the folder was replaced.
  bool replaced = false;
  /// With `overwrite`, of a training that a signal ended: the folder that keeps it, while the older
  /// model stays; `resume` puts it in that one's place and goes on. Else empty.
  std::string kept_aside = {};
};

/// Thread-compatible; predicting from hooks during fit() is fine.
class Estimator {
 public:
  virtual ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  /// The model of a folder with its best weights (a training that is under way: the newest).
  /// `makers`: layers of types of one's own. Errors: not_found, data_loss naming the damaged file;
  /// failed_precondition when the network was a function: then use Classifier::load or
  /// Regressor::load with it.
  static std::unique_ptr<Estimator> load(const std::string& folder, const LayerMakers& makers = {});

  /// Trains from new weights, or goes on when options.resume. `data`: single examples {features,
  /// label} in batches of batch_size, in a new order each epoch. Errors: invalid_argument for data
  /// that do not fit; failed_precondition when there is nothing to resume or data or settings
  /// differ from those of the training; those of TrainingLoop::run.
  FitReport fit(const Dataset& data, const FitOptions& options = {});
  /// The same of tensors `[rows, ...]` and `[rows]`.
  FitReport fit(const Tensor& features, const Tensor& labels, const FitOptions& options = {});

  /// Errors: failed_precondition before fit(), invalid_argument for data that do not fit.
  EvaluationReport evaluate(const Dataset& data) const;
  EvaluationReport evaluate(const Tensor& features, const Tensor& labels) const;

  /// Of each row of `features` `[rows, ...]`, in their order: probabilities `[rows, classes]`, or
  /// values `[rows]`; float32.
  Tensor predict_values(const Tensor& features) const;

  /// Writes the network for predicting as a SavedModel that TensorFlow and TensorFlow Serving
  /// load: signature `serving_default` from `features` to `predictions`. `variables`: with the
  /// weights as a checkpoint beside the graph instead of constants in it. Errors:
  /// failed_precondition before fit(), already_exists, unimplemented for ops that TensorFlow does
  /// not have.
  void export_saved_model(const std::string& folder, bool variables = false) const;

  /// What is and would be in model.json.
  const ModelRecord& record() const;
  /// Values of all variables, by name.
  const VariableStore& variables() const;
  /// The layers as a table; empty when the network is a function or no input is known yet.
  std::string summary() const;

  struct State;

 protected:
  explicit Estimator(std::unique_ptr<State> state);
  Estimator(Estimator&&) noexcept;
  State& state() { return *state_; }
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
