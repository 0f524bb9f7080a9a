#include "thalweg/train/evaluation.h"

#include "thalweg/base/clock.h"
#include "thalweg/base/error.h"
#include "train/batches.h"
#include "train/running_figures.h"

namespace thalweg {
namespace {

// Sets the random stream back to where it was: a validation must not change the training.
class ScopedRandomRuns {
 public:
  explicit ScopedRandomRuns(VariableStore& variables)
      : variables_(variables), count_(variables.random_runs()) {}
  ~ScopedRandomRuns() { variables_.set_random_runs(count_); }
  ScopedRandomRuns(const ScopedRandomRuns&) = delete;
  ScopedRandomRuns& operator=(const ScopedRandomRuns&) = delete;

 private:
  VariableStore& variables_;
  uint64_t count_;
};

}  // namespace

Evaluator::Evaluator(Session& session, EvalSpec spec) : session_(&session), spec_(std::move(spec)) {
  if (spec_.inputs.empty()) throw invalid_argument("evaluation: the spec has no inputs");
  const train::RunningFigures figures(spec_.loss, spec_.loss_weight, spec_.metrics);
  if (figures.fetches().empty()) {
    throw invalid_argument("evaluation: the spec has neither a loss nor a metric");
  }
  step_ = session.make_callable(spec_.inputs, figures.fetches());
  values_.resize(figures.fetches().size());
}

Evaluation Evaluator::run(const Dataset& batches, const EvaluationOptions& options) {
  train::check_batches("evaluation data", batches, spec_.inputs);
  if (batches.is_infinite() && options.max_batches == EvaluationOptions().max_batches) {
    throw invalid_argument("evaluation: the data set has no end; set max_batches");
  }
  const ScopedRandomRuns keep(session_->variables());
  const double start = system_clock().steady_seconds();
  train::RunningFigures figures(spec_.loss, spec_.loss_weight, spec_.metrics);
  Evaluation result;
  data::Iterator pass = batches.iterate();
  for (int64_t i = 0; i < options.max_batches; ++i) {
    result.cancelled = options.cancelled && options.cancelled();
    if (result.cancelled) break;
    const std::optional<data::Example> batch = pass.next();
    if (!batch) break;
    step_.run(*batch, values_);
    const int64_t examples = train::num_examples(*batch);
    figures.update(values_, examples);
    result.examples += examples;
  }
  if (result.examples == 0 && !result.cancelled) {
    throw invalid_argument("evaluation: the data set has no examples");
  }
  figures.write(result.figures);
  result.seconds = system_clock().steady_seconds() - start;
  return result;
}

Evaluation evaluate(Session& session, const EvalSpec& spec, const Dataset& batches,
                    const EvaluationOptions& options) {
  return Evaluator(session, spec).run(batches, options);
}

}  // namespace thalweg
