// All that a training must remember to go on as if it had never stopped, but for the variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/data/iterator.h"
#include "thalweg/train/checkpoint_manager.h"
#include "thalweg/train/early_stopping.h"
#include "thalweg/train/hook.h"
#include "thalweg/train/option_names.h"
#include "train/running_figures.h"

namespace thalweg::train {

struct TrainingState {
  data::Position position = {};  // of the next batch
  int64_t epoch = 1;             // the current one, counted from 1
  int64_t step_in_epoch = 0;
  RunningFigures sums;  // of the current epoch
  std::vector<EpochRecord> history = {};
  EarlyStopping early_stopping = EarlyStopping();

  /// With the number of random runs and the fingerprint, for a checkpoint.
  CheckpointExtras to_extras(uint64_t random_runs, const std::string& fingerprint) const;
  /// Takes what to_extras() gave; the random runs are set in `variables`. Throws
  /// failed_precondition when the extras lack something, or are of other metrics.
  void restore(const CheckpointExtras& extras, VariableStore& variables);
};

/// Throws failed_precondition when the checkpoint was made with another fingerprint.
void check_fingerprint(const CheckpointExtras& extras, const std::string& fingerprint,
                       const OptionNames& names);

}  // namespace thalweg::train
