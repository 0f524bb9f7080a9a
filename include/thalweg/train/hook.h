// What happens beside training: hooks that the loop calls at fixed points.
//
// TensorFlow's SessionRunHook and Keras's Callback. Order of calls: begin, then for each step
// before_step and after_step, after each epoch end_epoch, after each checkpoint saved, at last end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/train/train_spec.h"

namespace thalweg {

class Session;
struct TrainResult;

/// Figures of one epoch.
struct EpochRecord {
  int64_t epoch = 0;  // counted from 1
  int64_t step = 0;   // steps of the whole training when it ended
  /// "loss", then the metrics: over the epoch's batches, each with the weights it was trained at.
  std::vector<Figure> train;
  /// At the end of the epoch; empty when it was not evaluated.
  std::vector<Figure> validation;
  /// False for the last record when the training ended in the middle of the epoch.
  bool complete = true;
};

/// Where the training stands; valid during the call.
struct LoopState {
  Session* session = nullptr;
  /// Training steps made so far, those of resumed runs included: the value of `global_step`.
  int64_t step = 0;
  /// The step at which this run began; more than 0 after a resume.
  int64_t first_step = 0;
  /// The current epoch, counted from 1, and the steps made in it.
  int64_t epoch = 1;
  int64_t step_in_epoch = 0;
  /// Where they are known: the steps of an epoch, the number of epochs, the step to end at.
  std::optional<int64_t> steps_per_epoch = {};
  std::optional<int64_t> epochs = {};
  std::optional<int64_t> max_steps = {};
  /// Of the last batch.
  double loss = 0;
  int64_t batch_examples = 0;
  /// "loss", then the metrics: over the epoch so far.
  std::vector<Figure> figures = {};

  /// Ends the training after the current step, as finished. The state is saved as for Ctrl-C.
  void request_stop() { stop_requested = true; }
  bool stop_requested = false;
};

/// Derive, and override what you need. What a hook throws ends the training. Calls come from the
/// thread that runs the loop.
class Hook {
 public:
  virtual ~Hook() = default;
  virtual void begin(LoopState&) {}
  virtual void before_step(LoopState&) {}
  virtual void after_step(LoopState&) {}
  /// Also for the epoch that max_steps ends in its middle.
  virtual void end_epoch(LoopState&, const EpochRecord&) {}
  virtual void saved(LoopState&, const std::string& prefix) { static_cast<void>(prefix); }
  /// Not called when an error ends the training.
  virtual void end(LoopState&, const TrainResult&) {}
};

}  // namespace thalweg
