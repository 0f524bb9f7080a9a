// The training loop: feeds batches to a graph's training step, and looks after everything around
// it.
//
// What a run needs to go on exactly where it stopped is in each checkpoint: variables (optimizer
// slots and global step among them), place in the data, random stream, sums of the current epoch,
// history, early stopping. An interrupted and resumed training gives the same bits as one in one
// go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/data/dataset.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/checkpoint_manager.h"
#include "thalweg/train/early_stopping.h"
#include "thalweg/train/evaluation.h"
#include "thalweg/train/hook.h"
#include "thalweg/train/option_names.h"
#include "thalweg/train/progress.h"
#include "thalweg/train/train_spec.h"

namespace thalweg {

struct ValidationOptions {
  EvalSpec spec;
  Dataset batches;
  int64_t every_epochs = 1;
};

/// When and where the state is saved; always at the end too, however it comes but by an error.
struct SavingOptions {
  /// Empty: nothing is saved.
  std::string folder = {};
  /// 0: not for that reason.
  int64_t every_steps = 0;
  double every_seconds = 600;
  int64_t every_epochs = 1;
  /// The end of an epoch saves only when the last checkpoint (or the start) is this old, so that
  /// short epochs do not spend their time on the disk. The best weights are kept in memory until
  /// the next checkpoint, which saves them too.
  double least_seconds = 10;
  int64_t keep_last = 5;
  bool keep_best = true;
  /// What to do when the folder holds checkpoints: go on from the newest whole one, or replace
  /// them: they stay until this training saves its first. With neither, run() throws
  /// already_exists.
  bool resume = false;
  bool overwrite = false;
  /// Tells data and configuration apart; a checkpoint with another one is not resumed
  /// (failed_precondition). Empty: not checked.
  std::string fingerprint = {};
  /// For who moves the files of `folder` to another one after the run: checkpoints get names that
  /// are free there too, and results and messages speak of it, unless the run was interrupted,
  /// after which they stay. Empty: they stay.
  std::string moves_to = {};
};

struct SummaryOptions {
  /// Empty: none. Event files go into `folder`/train and `folder`/validation. Tags: loss,
  /// learning_rate, examples_per_second by step, epoch/<figure> by epoch.
  std::string folder = {};
  int64_t every_steps = 100;
  bool graph = true;
};

struct TrainingOptions {
  /// Totals, those of resumed runs included. At least one is needed; the first one reached ends it.
  std::optional<int64_t> epochs = {};
  std::optional<int64_t> max_steps = {};
  /// Steps that count as an epoch; none: a pass over the data. The data go on where they are, pass
  /// after pass. Needed for infinite data.
  std::optional<int64_t> steps_per_epoch = {};
  std::optional<ValidationOptions> validation = {};
  EarlyStoppingOptions early_stopping = {};
  SavingOptions saving = {};
  SummaryOptions summary = {};
  /// Nothing is shown by default: a library is silent.
  ProgressOptions progress = {.mode = ProgressMode::kNone};
  /// Called in this order, after the loop's own.
  std::vector<std::shared_ptr<Hook>> hooks = {};
  /// Whether Ctrl-C and SIGTERM end the training after the current step, with its state saved.
  bool handle_signals = true;
  /// For messages.
  OptionNames names = {};
  /// Null: the machine's clock. Must outlive the loop.
  const Clock* clock = nullptr;
};

enum class EndReason {
  kFinished,      // epochs or max_steps reached, or a hook asked for it
  kStoppedEarly,  // no improvement for `patience` evaluations
  kInterrupted,   // SIGINT or SIGTERM
  kNothingLeft,   // resumed where there was nothing more to do
};
/// "finished", "stopped early", "interrupted", "nothing left to do".
std::string_view to_string(EndReason reason);

struct TrainResult {
  EndReason reason = EndReason::kFinished;
  /// One sentence: why it ended, and which option or call goes on.
  std::string message;
  /// The option whose value was reached: "epochs", "max_steps" or "patience"; else empty.
  std::string limit;
  /// SIGINT or SIGTERM when it came during the run, for whatever reason that ended; 0: none.
  int signal = 0;
  int64_t steps = 0;  // in all, and of this run
  int64_t steps_now = 0;
  int64_t epochs = 0;                // complete ones, in all
  int64_t first_step = 0;            // where this run began
  std::vector<EpochRecord> history;  // of resumed runs too
  /// Of the metric that early_stopping names; all variables, the global step too, are as they were
  /// at that step when best_restored. The last evaluation counts also when it is out of turn (not
  /// after every_epochs), but for this run only: a resumed one never saw it.
  struct Best {
    double value = 0;
    int64_t step = 0;
    std::string prefix;  // empty without a checkpoint folder
  };
  std::optional<Best> best;
  bool best_restored = false;
  std::string last_checkpoint;  // prefix: the weights of the last step, to go on from
  std::string summary_failure;  // not empty: summaries are not complete, and why
  double seconds = 0;           // of this run
  /// Of `seconds`, those in steps and waiting for their data, but for the first step, which builds
  /// the plan; evaluating and saving do not count. And the examples of these steps by this time; 0:
  /// not known.
  double step_seconds = 0;
  double examples_per_second = 0;
};

/// One training. Thread-compatible; session and graph must outlive it.
class TrainingLoop {
 public:
  /// Throws invalid_argument for options that contradict each other or the spec.
  TrainingLoop(Session& session, TrainSpec spec, TrainingOptions options);
  ~TrainingLoop();
  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;

  /// Initialises variables without a value and trains. Errors: invalid_argument when batches do not
  /// fit the inputs; out_of_range when the loss is not finite, naming the step, the first node with
  /// such a value and the last good checkpoint (no weight has changed in that step); those of the
  /// data, of kernels and of saving. After an error the folder holds the last checkpoint saved.
  TrainResult run(const Dataset& batches);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
