// A run's checkpoints, and its end: last state, best weights, result.
#include <cmath>

#include "thalweg/base/error.h"
#include "thalweg/base/log.h"
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
                                       .clock = &clock_});
  if (checkpoints_->latest().empty()) return;
  if (saving.overwrite) return checkpoints_->clear();
  if (!saving.resume) {
    throw already_exists("'", saving.folder, "' holds checkpoints of a training (the newest is '",
                         checkpoints_->latest(),
                         "'); go on with it (resume), remove it (overwrite), or choose another "
                         "folder");
  }
  const RestoredCheckpoint restored = checkpoints_->restore_latest(
      session_.graph(), variables_,
      [&](const CheckpointExtras& extras) { check_fingerprint(extras, saving.fingerprint); });
  state_.restore(restored.extras, variables_);
}

void TrainingRun::save_if_due() {
  if (!checkpoints_ || !unsaved_) return;
  const SavingOptions& saving = options_.saving;
  const bool by_steps = saving.every_steps > 0 && loop_.step % saving.every_steps == 0;
  const bool by_time = saving.every_seconds > 0 && now() - saved_at_ >= saving.every_seconds;
  if (by_steps || by_time) save();
}

void TrainingRun::save_epoch(int64_t epoch) {
  if (!checkpoints_) return note_best();
  const int64_t every = options_.saving.every_epochs;
  if ((every > 0 && epoch % every == 0) || (metric_ && checkpoints_->is_best(*metric_))) save();
}

void TrainingRun::save() {
  // A step may leave weights that only the next one's loss would show to be lost.
  if (const std::string cause = find_not_finite(session_.graph(), variables_); !cause.empty()) {
    const std::string last = checkpoints_->latest();
    throw out_of_range("training stopped after step ", loop_.step, " (epoch ", state_.epoch,
                       "): weights are not finite, so they were not saved. First: ", cause,
                       ". Lower the learning rate, or bound the gradients (Clip). ",
                       last.empty() ? std::string("No checkpoint was saved")
                                    : str("The last good checkpoint is '", last, "'"));
  }
  const std::string prefix = checkpoints_->save(
      variables_, loop_.step,
      state_.to_extras(variables_.random_runs(), options_.saving.fingerprint), metric_);
  unsaved_ = false;
  saved_at_ = now();
  for (const auto& hook : hooks_) hook->saved(loop_, prefix);
}

void TrainingRun::note_best() {
  if (!metric_ || std::isnan(*metric_)) return;
  const bool is_better =
      !best_ || (options_.early_stopping.higher_is_better ? *metric_ > best_->value
                                                          : *metric_ < best_->value);
  if (!is_better) return;
  best_ = {.value = *metric_, .step = loop_.step, .prefix = {}};
  if (!options_.early_stopping.restore_best) return;
  for (const std::string& name : variables_.names()) best_weights_[name] = variables_.get(name);
}

// The epoch that max_steps (or a hook, or a signal) ended before its time: its figures are told,
// but are no part of the state, which goes on from here as if nothing had ended.
void TrainingRun::add_last_record() {
  if (state_.step_in_epoch == 0) return;
  EpochRecord record{.epoch = state_.epoch, .step = loop_.step, .complete = false};
  state_.sums.write(record.train);
  if (result_.reason == EndReason::kFinished) {
    if (evaluator_ && evaluate(record)) {
      metric_ = figure(record.validation, options_.early_stopping.metric);
      if (!checkpoints_) {
        note_best();
      } else if (checkpoints_->is_best(*metric_)) {
        checkpoints_->set_metric(*metric_);
      }
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
  result_.best = best_;
  if (!best_ || !options_.early_stopping.restore_best) return;
  if (best_->step != loop_.step) {
    try {
      if (checkpoints_) checkpoints_->restore(best_->prefix, session_.graph(), variables_);
      for (const auto& [name, value] : best_weights_) variables_.set(name, value);
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
  if (checkpoints_ && unsaved_ && !nothing_done) save();
  result_.history = state_.history;
  if (!nothing_done) add_last_record();
  result_.steps = loop_.step;
  result_.epochs = state_.epoch - 1;
  if (checkpoints_) result_.last_checkpoint = checkpoints_->latest();
  if (busy_seconds_ > 0) {
    result_.examples_per_second = static_cast<double>(busy_examples_) / busy_seconds_;
  }
  restore_best();
  result_.message = end_message(result_, options_, state_.epoch);
}

}  // namespace thalweg::train
