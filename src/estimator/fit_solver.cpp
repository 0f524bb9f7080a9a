// Training by a solver: what the training loop does around steps (signals, progress, checkpoint,
// curves), done around one call.
//
// A solver has no middle from which to go on: one that was interrupted leaves the model as far as
// it came, and a resumed training begins it anew.
#include <algorithm>
#include <limits>

#include "estimator/fit_run.h"
#include "thalweg/base/clock.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/summary/event_writer.h"
#include "thalweg/train/evaluation.h"
#include "thalweg/train/signals.h"

namespace thalweg {
namespace {

constexpr int64_t kEvaluationRows = 4096;

bool is_complete(const ModelRecord& record) {
  return !record.weights.empty() &&
         (record.run.state == "finished" || record.run.state == "stopped early");
}

TrainResult nothing_left(FittedModel& model, const FitFolder& folder, const FitTask& task,
                         const ModelRecord& old, const FitOptions& options) {
  if (task.builds_after_solver) {
    model.record.table->structure = old.table->structure;
    model.model = std::make_unique<ModelGraph>(task.parts(old.table->structure), *task.head,
                                               task.seed, model.variables);
  }
  restore_weights(folder.place(), old, *model.model, *model.variables);
  TrainResult result;
  result.reason = EndReason::kNothingLeft;
  result.history = old.run.history;
  result.steps = result.first_step = result.history.empty() ? 0 : result.history.back().step;
  result.last_checkpoint = join_path(folder.place(), old.weights);
  if (old.run.best_step) {
    result.best = {.value = 0, .step = *old.run.best_step, .prefix = result.last_checkpoint};
    result.best_restored = true;
  }
  result.message =
      str("nothing left to do: the training in '", folder.place(), "' was finished; train anew (",
          options.names.overwrite, ") to change the model");
  return result;
}

/// Progress and hooks, told of iterations as they are of epochs. Iterations may be many a second,
/// of which progress shows one.
class Watchers {
 public:
  Watchers(const FitOptions& options, Session* session) {
    loop_.session = session;
    ProgressOptions progress = options.progress;
    if (progress.clock == nullptr) progress.clock = &system_clock();
    clock_ = progress.clock;
    shown_ = clock_->steady_seconds();
    if (auto hook = make_progress(progress)) {
      hooks_.push_back(std::move(hook));
      has_progress_ = true;
    }
    if (session != nullptr) {
      hooks_.insert(hooks_.end(), options.hooks.begin(), options.hooks.end());
    }
    for (const auto& hook : hooks_) hook->begin(loop_);
  }
  void report(const EpochRecord& record) {
    loop_.step = record.step;
    loop_.epoch = record.epoch;
    loop_.figures = record.train;
    loop_.loss = figure(record.train, "loss");
    const bool is_shown = clock_->steady_seconds() - shown_ >= kSecondsShown;
    if (is_shown) shown_ = clock_->steady_seconds();
    for (size_t i = has_progress_ && !is_shown ? 1 : 0; i < hooks_.size(); ++i) {
      hooks_[i]->end_epoch(loop_, record);
    }
  }
  void saved(const std::string& prefix) {
    for (const auto& hook : hooks_) hook->saved(loop_, prefix);
  }
  void end(const TrainResult& result) {
    for (const auto& hook : hooks_) hook->end(loop_, result);
  }
  bool stop_requested() const { return loop_.stop_requested; }

 private:
  static constexpr double kSecondsShown = 1;

  LoopState loop_;
  std::vector<std::shared_ptr<Hook>> hooks_;
  const Clock* clock_ = nullptr;
  bool has_progress_ = false;
  double shown_ = 0;  // when
};

/// Loss and metrics of the variables as they are.
class Judge {
 public:
  Judge(ModelGraph& model, const FitData& data) : evaluator_(model.session(), model.eval_spec()) {
    add(data.rows);
    add(data.validation);
  }
  std::vector<Figure> operator()(const SolverRows& rows) {
    const auto set = std::ranges::find(sets_, &rows, &Set::rows);
    THALWEG_CHECK(set != sets_.end(), "a solver asks for figures of rows that it was not given");
    return evaluator_.run(set->batches).figures;
  }

 private:
  struct Set {
    const SolverRows* rows;
    Dataset batches;
  };
  void add(const std::shared_ptr<const SolverRows>& rows) {
    if (rows == nullptr) return;
    std::vector<Tensor> components = rows->inputs;
    components.push_back(rows->labels);
    components.push_back(rows->weights.is_valid() ? rows->weights : ones(rows->labels.dim(0)));
    sets_.push_back({rows.get(), Dataset::from_tensors(components).batch(kEvaluationRows)});
  }
  static Tensor ones(int64_t rows) {
    Tensor result(kFloat32, {rows});
    std::ranges::fill(result.mutable_data<float>(), 1.f);
    return result;
  }

  Evaluator evaluator_;
  std::vector<Set> sets_;
};

void write_curves(const std::string& folder, const std::vector<EpochRecord>& history) {
  const auto write = [&](const char* part, std::vector<Figure> EpochRecord::*figures) {
    EventWriter writer(join_path(folder, part));
    for (const EpochRecord& record : history) {
      for (const Figure& f : record.*figures) {
        writer.add_scalar(str("epoch/", f.name), f.value, record.step);
      }
    }
  };
  const auto is_validated = [](const EpochRecord& record) { return !record.validation.empty(); };
  write("train", &EpochRecord::train);
  if (std::ranges::any_of(history, is_validated)) write("validation", &EpochRecord::validation);
}

TrainResult result_of(const SolverResult& solved, const OptionNames& names) {
  TrainResult result;
  result.message = solved.message;
  if (solved.stopped_early) result.reason = EndReason::kStoppedEarly;
  if (solved.interrupted) {
    result.reason = EndReason::kInterrupted;
    append(result.message, str("; the model is what there was by then, ", names.resume,
                               " begins the training anew"));
  }
  result.steps = result.steps_now = solved.iterations;
  result.history = solved.history;
  if (solved.best_iteration) {
    double loss = std::numeric_limits<double>::quiet_NaN();
    for (const EpochRecord& record : result.history) {
      if (record.step != *solved.best_iteration) continue;
      loss = figure(record.validation.empty() ? record.train : record.validation, "loss");
    }
    result.best = {.value = loss, .step = *solved.best_iteration, .prefix = {}};
    result.best_restored = true;
  }
  return result;
}

// Of a model that is built only now: the figures of its head, where its solver knew a loss at most.
void measure(Judge judge, const FitData& data, TrainResult& result) {
  std::vector<EpochRecord>& history = result.history;
  if (history.empty()) {
    history.emplace_back();
    history.back().epoch = history.back().step = result.steps;
  }
  const int64_t step = result.best ? result.best->step : history.back().step;
  const auto record = std::ranges::find(history, step, &EpochRecord::step);
  if (record == history.end()) return;
  record->train = judge(*data.rows);
  if (data.validation != nullptr) record->validation = judge(*data.validation);
}

void save(FittedModel& model, const FitFolder& folder, const FitOptions& options,
          TrainResult& result) {
  CheckpointManager checkpoints(folder.place(), {.keep_last = 1, .moves_to = folder.moves_to()});
  if (!checkpoints.latest().empty()) {
    if (!options.resume && !options.overwrite) {
      throw already_exists("'", folder.place(), "' holds checkpoints of a training; replace it (",
                           options.names.overwrite, "), or choose another folder");
    }
    checkpoints.replace_with_next();
  }
  result.last_checkpoint = checkpoints.save(*model.variables, result.steps);
  if (!folder.moves_to().empty() && result.reason != EndReason::kInterrupted) {
    result.last_checkpoint = join_path(folder.moves_to(), base_name(result.last_checkpoint));
  }
  if (result.best) result.best->prefix = result.last_checkpoint;
  write_curves(join_path(folder.place(), kEventsFolder), result.history);
}

}  // namespace

TrainResult train_by_solver(FittedModel& model, const FitFolder& folder, const FitTask& task,
                            const std::optional<ModelRecord>& resumed, const FitOptions& options) {
  if (resumed && is_complete(*resumed)) {
    return nothing_left(model, folder, task, *resumed, options);
  }
  if (resumed && !resumed->weights.empty()) {
    log_warning("estimator", "the training in '", folder.place(),
                "' was interrupted; its solver cannot go on from the middle and begins anew");
  }
  model.record.run.history.clear();
  model.record.run.seconds = 0;
  std::optional<ScopedSignals> signals;
  if (options.handle_signals) signals.emplace();
  const auto interrupted = [&] { return signals && ScopedSignals::received() != 0; };
  const double begin = system_clock().steady_seconds();

  std::optional<Judge> judge;
  Watchers watchers(options, model.model ? &model.model->session() : nullptr);
  SolverTask solver{.training = *task.data.rows,
                    .validation = task.data.validation.get(),
                    .variables = *model.variables,
                    .options = options,
                    .seed = task.seed,
                    .evaluate = {},
                    .report = [&](const EpochRecord& record) { watchers.report(record); },
                    .stop_requested = [&] { return interrupted() || watchers.stop_requested(); }};
  if (model.model != nullptr) {
    model.model->session().initialize();
    judge.emplace(*model.model, task.data);
    solver.evaluate = [&](const SolverRows& rows) { return (*judge)(rows); };
  }
  const SolverResult solved = task.solver(solver);
  TrainResult result = result_of(solved, options.names);
  if (task.builds_after_solver) {
    model.model = std::make_unique<ModelGraph>(task.parts(solved.structure), *task.head, task.seed,
                                               model.variables);
    model.record.table->structure = solved.structure;
    measure(Judge(*model.model, task.data), task.data, result);
  }
  if (!folder.place().empty()) {
    save(model, folder, options, result);
    watchers.saved(result.last_checkpoint);
  }
  result.seconds = result.step_seconds = system_clock().steady_seconds() - begin;
  watchers.end(result);
  if (signals) result.signal = ScopedSignals::received();
  return result;
}

}  // namespace thalweg
