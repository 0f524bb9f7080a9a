// The course of a run: start, batches, steps, epochs. Saving and ending are in saving.cpp.
#include "train/training_run.h"

#include <algorithm>
#include <cmath>

#include "thalweg/base/error.h"
#include "thalweg/train/optimizer.h"
#include "train/batches.h"
#include "train/not_finite.h"

namespace thalweg::train {

bool has_monitor(const TrainingOptions& options) {
  return options.validation.has_value() || options.early_stopping.patience > 0;
}

TrainingRun::TrainingRun(Session& session, const TrainSpec& spec, const TrainingOptions& options,
                         const Dataset& batches)
    : session_(session),
      variables_(session.variables()),
      spec_(spec),
      options_(options),
      batches_(batches),
      clock_(options.clock == nullptr ? system_clock() : *options.clock),
      state_{.sums = RunningFigures(spec.loss, spec.loss_weight, spec.metrics),
             .early_stopping = EarlyStopping(options.early_stopping)},
      step_(session.make_callable(spec.inputs, state_.sums.fetches(), {spec.train_step})),
      values_(state_.sums.fetches().size()) {
  if (options.validation) evaluator_.emplace(session, options.validation->spec);
}

TrainResult TrainingRun::run() {
  const double begin = now();
  start();
  for (const auto& hook : hooks_) hook->begin(loop_);
  if (end_reached()) {
    if (!result_.limit.empty()) result_.reason = EndReason::kNothingLeft;
  } else {
    pass_ = batches_.iterate(state_.position);
    std::optional<data::Example> batch = next_batch();
    while (!end_reached()) {
      save_if_due();
      make_step(*batch);
      batch = next_batch();
    }
    pass_.reset();
  }
  finish();
  result_.seconds = now() - begin;
  for (const auto& hook : hooks_) hook->end(loop_, result_);
  if (summaries_) result_.summary_failure = summaries_->failure();
  // Also one that came too late to end the training: whoever called may be asked to end, too.
  if (signals_) result_.signal = ScopedSignals::received();
  return std::move(result_);
}

void TrainingRun::start() {
  check_batches("training data", batches_, spec_.inputs);
  if (batches_.is_infinite() && !options_.steps_per_epoch && !options_.max_steps) {
    throw invalid_argument("the training data have no end; set max_steps or steps_per_epoch");
  }
  if (options_.validation) {
    check_batches("validation data", options_.validation->batches,
                  options_.validation->spec.inputs);
  }
  if (std::find(options_.hooks.begin(), options_.hooks.end(), nullptr) != options_.hooks.end())
    throw invalid_argument("option `hooks` holds a null pointer; expected hooks alone");
  if (options_.handle_signals) signals_.emplace();
  if (!options_.saving.folder.empty()) open_checkpoints();
  session_.initialize();
  loop_.session = &session_;
  if (loop_.step == 0) loop_.step = variables_.get(kGlobalStep).item<int64_t>();
  loop_.first_step = loop_.step;
  loop_.epoch = state_.epoch;
  loop_.step_in_epoch = state_.step_in_epoch;
  loop_.steps_per_epoch = options_.steps_per_epoch ? options_.steps_per_epoch : batches_.size();
  loop_.epochs = options_.epochs;
  loop_.max_steps = options_.max_steps;
  state_.sums.write(loop_.figures);
  result_.first_step = loop_.step;
  saved_at_ = now();
  make_hooks();
}

void TrainingRun::make_hooks() {
  if (!options_.summary.folder.empty()) {
    summaries_ = std::make_shared<SummaryHook>(options_.summary, spec_.learning_rate, clock_);
    hooks_.push_back(summaries_);
  }
  ProgressOptions progress = options_.progress;
  if (progress.clock == nullptr) progress.clock = &clock_;
  if (auto hook = make_progress(progress)) hooks_.push_back(std::move(hook));
  hooks_.insert(hooks_.end(), options_.hooks.begin(), options_.hooks.end());
}

bool TrainingRun::epoch_is_full() const {
  return options_.steps_per_epoch && state_.step_in_epoch >= *options_.steps_per_epoch;
}

std::optional<data::Example> TrainingRun::next_batch() {
  while (true) {
    if (epoch_is_full()) {
      const int64_t epoch = state_.epoch;
      if (!close_epoch()) return std::nullopt;
      save_epoch(epoch);
    }
    // Reading may take long, and what comes after the end is not wanted. An epoch left open here is
    // closed by whoever resumes.
    if (interrupted() || (loop_.step_in_epoch == 0 && end_reached())) return std::nullopt;
    const double begin = now();
    std::optional<data::Example> batch = pass_->next();
    wait_seconds_ = now() - begin;
    if (batch) {
      next_position_ = pass_->position();
      return batch;
    }
    if (state_.position.index == 0) throw invalid_argument("the training data have no examples");
    const int64_t epoch = state_.epoch;
    if (!options_.steps_per_epoch && !close_epoch()) return std::nullopt;
    const data::Position end = pass_->position();
    state_.position = {.epoch = end.epoch + 1, .index = 0, .pipeline = end.pipeline};
    pass_ = batches_.iterate(state_.position);
    if (!options_.steps_per_epoch) save_epoch(epoch);
  }
}

void TrainingRun::make_step(const data::Example& batch) {
  loop_.batch_examples = num_examples(batch);
  for (const auto& hook : hooks_) hook->before_step(loop_);
  const uint64_t random_runs = variables_.random_runs();
  const double begin = now();
  try {
    step_.run(batch, values_);
  } catch (Error& error) {
    // As before the step, so that the same batch draws the same random numbers.
    variables_.set_random_runs(random_runs);
    const std::string cause = explain_not_finite(session_, spec_, batch);
    if (!cause.empty()) throw not_finite(cause, false);
    error.add_context(str("training step ", loop_.step + 1, " (epoch ", state_.epoch, ", batch ",
                          state_.step_in_epoch + 1, ")"));
    throw;
  }
  state_.sums.update(values_, loop_.batch_examples);
  if (!std::isfinite(state_.sums.last_loss())) {
    const std::string cause = explain_not_finite(session_, spec_, batch);
    throw not_finite(cause.empty() ? str("the loss, ", state_.sums.last_loss()) : cause, true);
  }
  if (result_.steps_now > 0) {
    busy_seconds_ += wait_seconds_ + (now() - begin);
    busy_examples_ += loop_.batch_examples;
  }
  state_.position = next_position_;
  ++state_.step_in_epoch;
  ++result_.steps_now;
  ++loop_.step;
  ++loop_.step_in_epoch;
  unsaved_ = true;
  metric_.reset();
  loop_.loss = state_.sums.last_loss();
  state_.sums.write(loop_.figures);
  for (const auto& hook : hooks_) hook->after_step(loop_);
}

Error TrainingRun::not_finite(const std::string& cause, bool weights_changed) {
  return out_of_range(
      "training stopped at step ", loop_.step + 1, " (epoch ", state_.epoch, ", batch ",
      state_.step_in_epoch + 1, "): the loss is not finite. First value that is not: ", cause,
      weights_changed ? "" : ". No weight was changed in this step", ". Lower ",
      options_.names.learning_rate,
      ", bound the gradients (Clip), or look at the data of this batch", last_good_text());
}

bool TrainingRun::evaluate(EpochRecord& record) {
  const Evaluation evaluation = evaluator_->run(options_.validation->batches,
                                                {.cancelled = [this] { return interrupted(); }});
  if (evaluation.cancelled) return false;
  record.validation = evaluation.figures;
  return true;
}

bool TrainingRun::close_epoch() {
  if (state_.sums.is_weightless()) {
    throw invalid_argument("all examples of epoch ", state_.epoch,
                           " have weight 0: there is nothing to learn from");
  }
  EpochRecord record{.epoch = state_.epoch, .step = loop_.step};
  state_.sums.write(record.train);
  bool is_due = true;
  if (evaluator_) {
    is_due = state_.epoch % options_.validation->every_epochs == 0;
    const bool is_last = options_.epochs && state_.epoch == *options_.epochs;
    if ((is_due || is_last) && !evaluate(record)) return false;
  }
  const std::vector<Figure>& figures = evaluator_ ? record.validation : record.train;
  if (has_monitor(options_) && !figures.empty()) {
    const double value = figure(figures, options_.early_stopping.metric);
    // An evaluation out of turn, at the end, must not count when the training is gone on with.
    (is_due ? metric_ : final_metric_) = value;
    if (is_due) state_.early_stopping.update(value);
  }
  for (const auto& hook : hooks_) hook->end_epoch(loop_, record);
  state_.history.push_back(std::move(record));
  state_.sums.reset();
  state_.step_in_epoch = 0;
  loop_.step_in_epoch = 0;
  loop_.epoch = ++state_.epoch;
  state_.sums.write(loop_.figures);
  unsaved_ = true;
  return true;
}

bool TrainingRun::end_reached() {
  result_.limit.clear();
  if (options_.epochs && state_.epoch > *options_.epochs) {
    result_.reason = EndReason::kFinished;
    result_.limit = "epochs";
  } else if (options_.max_steps && loop_.step >= *options_.max_steps) {
    result_.reason = EndReason::kFinished;
    result_.limit = "max_steps";
  } else if (state_.early_stopping.should_stop()) {
    result_.reason = EndReason::kStoppedEarly;
    result_.limit = "patience";
  } else if (interrupted()) {
    result_.reason = EndReason::kInterrupted;
    result_.signal = ScopedSignals::received();
  } else if (loop_.stop_requested) {
    result_.reason = EndReason::kFinished;
  } else {
    return false;
  }
  return true;
}

}  // namespace thalweg::train
