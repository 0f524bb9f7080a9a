#include "estimator/linear/solver_run.h"

#include <algorithm>
#include <cmath>

#include "thalweg/base/error.h"

namespace thalweg::linear {
namespace {

constexpr int64_t kMeasuredEvery = 10;

void check_least(double value, double least, std::string_view name) {
  if (std::isfinite(value) && value >= least) return;
  throw invalid_argument("a linear model's ", name, " is ", value, ", expected a number of ", least,
                         " or more");
}

Tensor copy_of(const VariableStore& store, const std::string& name, const Shape& shape) {
  Tensor value = store.get(name);
  if (value.dtype() == kFloat32 && value.shape() == shape) return value;
  throw invalid_argument("the variable '", name, "' is ", value.dtype(), value.shape(),
                         ", but a linear model's solver expects float32", shape);
}

}  // namespace

int64_t rows_of(const Term& term) {
  return term.place.kind == Transform::Place::Kind::kNumbers
             ? static_cast<int64_t>(term.place.indices.size())
             : term.place.buckets;
}

void check_problem(const LinearProblem& problem) {
  const LinearLoss& loss = problem.loss;
  check_least(problem.l1, 0, "l1");
  check_least(problem.l2, 0, "l2");
  check_least(problem.tolerance, 0, "tolerance");
  check_least(static_cast<double>(problem.most_iterations), 1, "most_iterations");
  check_least(static_cast<double>(loss.units), loss.kind == LossKind::kSoftmax ? 2 : 1, "units");
  const auto units = static_cast<size_t>(loss.units);
  if (loss.mean.size() != loss.deviation.size() ||
      (!loss.mean.empty() && loss.mean.size() != units)) {
    throw invalid_argument("a linear model of ", units, " units has ", loss.mean.size(),
                           " means and ", loss.deviation.size(), " deviations of labels");
  }
  if (loss.kind == LossKind::kPinball && loss.quantiles.size() != units) {
    throw invalid_argument("a linear model of ", units, " units has ", loss.quantiles.size(),
                           " quantiles, expected one for each unit");
  }
}

LinearVariables::LinearVariables(const LinearProblem& problem, VariableStore& store)
    : problem_(problem), store_(store) {}

std::vector<double> LinearVariables::read(const DesignMatrix& matrix) const {
  const int64_t units = problem_.loss.units;
  std::vector<Tensor> values;
  for (const Term& term : problem_.terms) {
    values.push_back(copy_of(store_, term.variable, {rows_of(term), units}));
  }
  std::vector<double> result;
  result.reserve(static_cast<size_t>((matrix.features() + 1) * units));
  for (int64_t f = 0; f < matrix.features(); ++f) {
    const auto [term, row] = matrix.place(f);
    const float* from = values[static_cast<size_t>(term)].data<float>().data() + row * units;
    result.insert(result.end(), from, from + units);
  }
  const Tensor bias = copy_of(store_, problem_.bias, {units});
  result.insert(result.end(), bias.data<float>().begin(), bias.data<float>().end());
  return result;
}

void LinearVariables::write(const DesignMatrix& matrix, std::span<const double> parameters,
                            bool clears) const {
  const int64_t units = problem_.loss.units;
  std::vector<Tensor> values;
  std::vector<float*> data;
  for (const Term& term : problem_.terms) {
    const Shape shape = {rows_of(term), units};
    values.push_back(clears ? Tensor::zeros(kFloat32, shape) : store_.get(term.variable));
    data.push_back(values.back().mutable_data<float>().data());
  }
  const double* from = parameters.data();
  for (int64_t f = 0; f < matrix.features(); ++f, from += units) {
    const auto [term, row] = matrix.place(f);
    std::transform(from, from + units, data[static_cast<size_t>(term)] + row * units,
                   [](double value) { return static_cast<float>(value); });
  }
  for (size_t t = 0; t < values.size(); ++t) store_.set(problem_.terms[t].variable, values[t]);
  Tensor bias(kFloat32, {units});
  std::transform(from, from + units, bias.mutable_data<float>().begin(),
                 [](double value) { return static_cast<float>(value); });
  store_.set(problem_.bias, bias);
}

bool SolverRun::note(int64_t iteration, double loss, const std::function<void()>& write) {
  if (iteration == 0) return true;
  const bool patient = task_.options.patience > 0 && task_.validation != nullptr;
  EpochRecord record;
  record.epoch = record.step = result_.iterations = iteration;
  record.train = {{"loss", loss}};
  is_best_ = false;
  if (task_.validation != nullptr && task_.evaluate &&
      (patient || iteration % kMeasuredEvery == 0)) {
    write();
    record.validation = task_.evaluate(*task_.validation);
    const double value = figure(record.validation, "loss");
    if (patient && (!result_.best_iteration || value < best_)) {
      best_ = value;
      is_best_ = true;
      result_.best_iteration = iteration;
    }
  }
  if (task_.report) task_.report(record);
  result_.history.push_back(std::move(record));
  result_.interrupted = task_.stop_requested && task_.stop_requested();
  out_of_patience_ =
      patient && !is_best_ && iteration - *result_.best_iteration >= task_.options.patience;
  return !result_.interrupted && !out_of_patience_;
}

SolverResult SolverRun::finish(std::string message) {
  const int64_t iterations = result_.iterations;
  if (result_.interrupted) {
    message = str("interrupted after ", iterations, " iterations");
  } else if (out_of_patience_) {
    message = str("stopped after ", iterations, " iterations: the validation loss was best after ",
                  *result_.best_iteration);
  }
  result_.message = std::move(message);
  if (result_.history.empty() && task_.evaluate) result_.history.push_back({});
  // The record whose weights the model has gets all figures.
  const int64_t kept = result_.best_iteration.value_or(iterations);
  for (EpochRecord& record : result_.history) {
    if (record.step == kept && task_.evaluate) measure(record);
  }
  return std::move(result_);
}

void SolverRun::measure(EpochRecord& record) {
  record.train = task_.evaluate(task_.training);
  if (task_.validation != nullptr) record.validation = task_.evaluate(*task_.validation);
}

void refuse_not_finite(const LinearProblem& problem, double loss) {
  throw out_of_range("the ", to_string(problem.loss.kind), " of the training rows is ", loss,
                     "; look for numbers or labels that are infinite, undefined or "
                     "extremely large");
}

}  // namespace thalweg::linear
