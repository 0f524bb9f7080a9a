// One run of a training loop, from the first batch or a checkpoint to its end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/train/signals.h"
#include "thalweg/train/training_loop.h"
#include "train/summaries.h"
#include "train/training_state.h"

namespace thalweg::train {

/// Whether there is a metric that tells which weights are best.
bool has_monitor(const TrainingOptions& options);

class TrainingRun {
 public:
  TrainingRun(Session& session, const TrainSpec& spec, const TrainingOptions& options,
              const Dataset& batches);
  TrainResult run();

 private:
  // Beginning: variables, place in the data, hooks.
  void start();
  void open_checkpoints();
  void make_hooks();

  // Between steps. Epochs and passes are closed as soon as it is known that they are over, before
  // anything asks whether the training ends.
  std::optional<data::Example> next_batch();
  bool epoch_is_full() const;
  bool close_epoch();  // false: a signal cut its evaluation short, and it stays open
  bool evaluate(EpochRecord& record);
  void make_step(const data::Example& batch);
  Error not_finite(const std::string& cause, bool weights_changed);
  bool end_reached();
  bool interrupted() const { return signals_ && ScopedSignals::received() != 0; }

  // Saving.
  void save_if_due();
  void save_epoch(int64_t epoch);
  void save();
  void check_weights();
  bool is_better(const std::optional<double>& metric) const;  // than the best so far
  bool note_best();  // whether the weights as they are are the best so far
  void keep_best();
  void save_kept_best();
  std::string last_good_text();
  // The prefix as it will be once the files were moved.
  std::string told(const std::string& prefix) const;

  // End.
  void finish();
  void add_last_record();
  void restore_best();

  double now() const { return clock_.steady_seconds(); }

  Session& session_;
  VariableStore& variables_;
  const TrainSpec& spec_;
  const TrainingOptions& options_;
  const Dataset& batches_;
  const Clock& clock_;

  TrainingState state_;
  LoopState loop_;
  TrainResult result_;
  Callable step_;
  std::vector<Tensor> values_;
  std::optional<data::Iterator> pass_;
  data::Position next_position_;  // after the batch in hand
  std::optional<Evaluator> evaluator_;
  std::optional<ScopedSignals> signals_;
  std::vector<std::shared_ptr<Hook>> hooks_;
  std::shared_ptr<SummaryHook> summaries_;

  std::optional<CheckpointManager> checkpoints_;
  bool unsaved_ = false;                // whether the state is newer than the last checkpoint
  double saved_at_ = 0;                 // by now()
  std::optional<double> metric_;        // of the weights as they are, when they were evaluated
  std::optional<double> final_metric_;  // the same of an evaluation out of turn, at the end
  std::optional<TrainResult::Best> best_;
  // The best weights, until a checkpoint holds them, and what else it needs.
  struct KeptBest {
    VariableStore variables;
    CheckpointExtras extras;
  };
  std::unique_ptr<KeptBest> kept_best_;

  double wait_seconds_ = 0;  // for the batch in hand
  double busy_seconds_ = 0;  // in steps and waiting for data, but for the first step
  int64_t busy_examples_ = 0;
};

}  // namespace thalweg::train
