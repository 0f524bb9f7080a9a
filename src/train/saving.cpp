// A run's checkpoints, and its end: last state, best weights, result.
#include <cmath>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "train/checkpoint_folder.h"
#include "train/end_message.h"
#include "train/not_finite.h"
#include "train/training_run.h"

namespace thalweg::train {

void TrainingRun::open_checkpoints() {
  const SavingOptions& saving = options_.saving;
  const bool wants_best = has_monitor(options_) && options_.early_stopping.restore_best;
  checkpoints_.emplace(
      saving.folder, CheckpointOptions{.keep_last = saving.keep_last,
                                       .keep_best = saving.keep_best || wants_best,
                                       .higher_is_better = options_.early_stopping.higher_is_better,
                                       .moves_to = saving.moves_to,
                                       .clock = &clock_});
  if (checkpoints_->latest().empty()) return;
  if (saving.overwrite) return checkpoints_->replace_with_next();
  if (!saving.resume) {
    throw already_exists("'", saving.folder, "' holds checkpoints of a training (the newest is '",
                         checkpoints_->latest(), "'); go on with it (", options_.names.resume,
                         "), replace it (", options_.names.overwrite,
                         "), or choose another folder");
  }
  const RestoredCheckpoint restored = checkpoints_->restore_latest(
      session_.graph(), variables_, [&](const CheckpointExtras& extras) {
        check_fingerprint(extras, saving.fingerprint, options_.names);
      });
  state_.restore(restored.extras, variables_);
  // Not the variable, which counts several times a step when train_step groups several updates.
  if (const auto name = CheckpointName::parse(base_name(restored.prefix))) loop_.step = name->step;
  if (const auto& best = checkpoints_->best()) {
    best_ = {.value = best->metric, .step = best->step, .prefix = best->prefix};
  }
}

void TrainingRun::save_if_due() {
  if (!checkpoints_ || !unsaved_) return;
  const SavingOptions& saving = options_.saving;
  const bool by_steps = saving.every_steps > 0 && loop_.step % saving.every_steps == 0;
  const bool by_time = saving.every_seconds > 0 && now() - saved_at_ >= saving.every_seconds;
  if (by_steps || by_time) save();
}

void TrainingRun::save_epoch(int64_t epoch) {
  const bool is_best = note_best();
  const SavingOptions& saving = options_.saving;
  const bool is_due = saving.every_epochs > 0 && epoch % saving.every_epochs == 0 &&
                      now() - saved_at_ >= saving.least_seconds;
  if (checkpoints_ && is_due) return save();
  if (is_best && (checkpoints_ || options_.early_stopping.restore_best)) keep_best();
}

// A step may leave weights that only the next one's loss would show to be lost.
void TrainingRun::check_weights() {
  const std::string cause = find_not_finite(session_.graph(), variables_);
  if (cause.empty()) return;
  throw out_of_range("training stopped after step ", loop_.step, " (epoch ", state_.epoch,
                     "): weights are not finite", checkpoints_ ? ", so they were not saved" : "",
                     ". First: ", cause, ". Lower ", options_.names.learning_rate,
                     ", or bound the gradients (Clip)", last_good_text());
}

void TrainingRun::save() {
  check_weights();
  if (kept_best_ && best_->step != loop_.step) save_kept_best();
  const std::string prefix = checkpoints_->save(
      variables_, loop_.step,
      state_.to_extras(variables_.random_runs(), options_.saving.fingerprint), metric_);
  kept_best_.reset();
  unsaved_ = false;
  saved_at_ = now();
  for (const auto& hook : hooks_) hook->saved(loop_, prefix);
}

bool TrainingRun::is_better(const std::optional<double>& metric) const {
  if (!metric || !std::isfinite(*metric)) return false;
  if (!best_) return true;
  return options_.early_stopping.higher_is_better ? *metric > best_->value : *metric < best_->value;
}

bool TrainingRun::note_best() {
  if (!is_better(metric_)) return false;
  best_ = {.value = *metric_, .step = loop_.step, .prefix = {}};
  return true;
}

void TrainingRun::keep_best() {
  kept_best_ = std::make_unique<KeptBest>();
  for (const std::string& name : variables_.names()) {
    kept_best_->variables.set(name, variables_.get(name));
  }
  if (!checkpoints_) return;
  kept_best_->extras = state_.to_extras(variables_.random_runs(), options_.saving.fingerprint);
}

void TrainingRun::save_kept_best() {
  checkpoints_->save(kept_best_->variables, best_->step, kept_best_->extras, best_->value);
  kept_best_.reset();
}

// Also sees to it that what is good stays.
std::string TrainingRun::last_good_text() {
  if (!options_.saving.moves_to.empty()) return {};  // what failed will not be moved anywhere
  std::string lost;  // but the first fault stays the one that is told first
  if (checkpoints_ && kept_best_) {
    try {
      save_kept_best();
    } catch (const Error& error) {
      lost = str(". The best weights, of step ", best_->step, ", are lost: ", error.message());
    }
  }
  const std::string last = checkpoints_ ? checkpoints_->latest() : std::string();
  return last.empty() ? ". No checkpoint was saved" + lost
                      : str(". The last good checkpoint is '", last, "'", lost);
}

std::string TrainingRun::told(const std::string& prefix) const {
  if (result_.reason == EndReason::kInterrupted) return prefix;  // to be gone on with where it is
  const std::string& folder = options_.saving.moves_to;
  return folder.empty() || prefix.empty() ? prefix : join_path(folder, base_name(prefix));
}

// The epoch that max_steps (or a hook, or a signal) ended before its time: its figures are told,
// but are no part of the state, which goes on from here as if nothing had ended.
void TrainingRun::add_last_record() {
  if (state_.step_in_epoch == 0) return;
  EpochRecord record{.epoch = state_.epoch, .step = loop_.step, .complete = false};
  state_.sums.write(record.train);
  if (result_.reason == EndReason::kFinished) {
    if (evaluator_ && evaluate(record)) {
      final_metric_ = figure(record.validation, options_.early_stopping.metric);
    }
    for (const auto& hook : hooks_) hook->end_epoch(loop_, record);
  }
  result_.history.push_back(std::move(record));
}

void TrainingRun::restore_best() {
  if (!has_monitor(options_)) return;
  if (checkpoints_ && checkpoints_->best()) {
    const BestCheckpoint& best = *checkpoints_->best();
    best_ = {.value = best.metric, .step = best.step, .prefix = best.prefix};
  }
  // Weights that were evaluated out of turn may be the best of this run. The records do not say so:
  // a training that is gone on with is one that never saw this evaluation.
  if (is_better(final_metric_)) {
    best_ = {.value = *final_metric_,
             .step = loop_.step,
             .prefix = checkpoints_ ? checkpoints_->latest() : std::string()};
  }
  result_.best = best_;
  if (!best_) return;
  result_.best->prefix = told(best_->prefix);
  if (!options_.early_stopping.restore_best) return;
  if (best_->step != loop_.step) {
    try {
      if (checkpoints_) {
        checkpoints_->restore(best_->prefix, session_.graph(), variables_);
      } else {
        for (const std::string& name : kept_best_->variables.names()) {
          variables_.set(name, kept_best_->variables.get(name));
        }
      }
    } catch (const Error& error) {
      log_warning("train",
                  "the best weights cannot be restored, the last ones stay: ", error.message());
      return;
    }
  }
  result_.best_restored = true;
}

void TrainingRun::finish() {
  const bool nothing_done = result_.reason == EndReason::kNothingLeft;
  if (unsaved_ && !nothing_done) checkpoints_ ? save() : check_weights();
  result_.history = state_.history;
  if (!nothing_done) add_last_record();
  result_.steps = loop_.step;
  result_.epochs = state_.epoch - 1;
  if (checkpoints_) result_.last_checkpoint = told(checkpoints_->latest());
  result_.step_seconds = busy_seconds_;
  if (busy_seconds_ > 0) {
    result_.examples_per_second = static_cast<double>(busy_examples_) / busy_seconds_;
  }
  restore_best();
  result_.message = end_message(result_, options_, state_.epoch);
}

}  // namespace thalweg::train
