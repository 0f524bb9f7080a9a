#include "thalweg/estimator/estimator.h"

#include <cstring>
#include <map>

#include "estimator/estimator_state.h"
#include "estimator/fit_data.h"
#include "thalweg/base/clock.h"
#include "thalweg/estimator/classifier.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/estimator/regressor.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/nn/summary.h"

namespace thalweg {
namespace {

// Rows at once where nothing is learnt.
constexpr int64_t kInferenceRows = 256;

// The shape of a network is known in part only before it runs, and one may even tell its rows by
// what it is given.
void check_predictions(const Tensor& predictions, const Shape& expected) {
  if (predictions.shape() == expected) return;
  throw invalid_argument("the network gives predictions of shape ", predictions.shape(), " for ",
                         expected[0], " rows, expected ", expected,
                         ": it must keep the rows of its input apart");
}

}  // namespace

void Estimator::State::check() const {
  if (batch_size < 1) throw invalid_argument("batch_size is ", batch_size, ", expected 1 or more");
  make_optimizer(optimizer, 1);  // throws for names and rates that cannot be
}

ModelRecord Estimator::State::new_record(const Head& fitted, const InputSpec& input) const {
  ModelRecord result;
  result.kind = kind;
  if (layer) result.network = network_to_json(*layer);
  result.input = input;
  result.label = fitted.label();
  result.optimizer = to_string(optimizer);
  if (const auto* named = std::get_if<NamedOptimizer>(&optimizer)) result.settings = *named;
  result.run.batch_size = batch_size;
  result.run.seed = seed;
  return result;
}

Shape Estimator::State::prediction_shape(int64_t rows) const {
  return head->prediction_shape(rows);
}

ModelGraph& Estimator::State::ready() const {
  if (model != nullptr && has_weights) return *model;
  if (!folder.empty() && is_model_folder(folder)) {
    throw failed_precondition(
        "the model in '", folder,
        "' has no weights: its training saved no checkpoint, or the files are "
        "gone; train it again");
  }
  throw failed_precondition("the estimator has learnt nothing yet; call fit() or load() first");
}

Estimator::Estimator(std::unique_ptr<State> state) : state_(std::move(state)) { state_->check(); }
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator::~Estimator() = default;

const ModelRecord& Estimator::record() const { return state_->record; }
const VariableStore& Estimator::variables() const { return *state_->variables; }

std::string Estimator::summary() const {
  const State& s = *state_;
  if (!s.layer || s.record.input.dtype == DType::kInvalid) return {};
  const InputSpec& input = s.record.input;
  return thalweg::summary(*s.layer, input.network_shape(), input.network_dtype());
}

EvaluationReport Estimator::evaluate(const Tensor& features, const Tensor& labels) const {
  return evaluate(Dataset::from_tensors({features, label_vector(labels)}));
}

EvaluationReport Estimator::evaluate(const Dataset& data) const {
  const State& s = *state_;
  const Callable& step = s.ready().evaluate();
  check_evaluation_data(data, s.record.input);
  if (data.is_infinite()) throw invalid_argument("the data have no end; call take() first");
  const double begin = system_clock().steady_seconds();
  const auto score = s.head->make_score();
  auto pass = encoded_batches(data, kInferenceRows, *s.head).iterate();
  int64_t rows = 0;
  while (const auto batch = pass.next()) {
    const std::vector<Tensor> results = step(*batch);
    check_predictions(results[1], s.prediction_shape((*batch)[1].dim(0)));
    score->add((*batch)[1], results[1], {}, results[0].at(0));
    rows += (*batch)[1].dim(0);
  }
  if (rows == 0) throw invalid_argument("the data have no rows to evaluate on");
  EvaluationReport report = score->report();
  report.seconds = system_clock().steady_seconds() - begin;
  return report;
}

void Estimator::export_saved_model(const std::string& folder, bool variables) const {
  const Graph& graph = state_->ready().graph();
  std::map<std::string, Tensor> values;
  for (const std::string& name : state_->variables->names()) {
    values[name] = state_->variables->get(name);
  }
  write_saved_model(folder, graph,
                    {{.inputs = {{"features", graph.output("features")}},
                      .outputs = {{"predictions", graph.output("predictions")}}}},
                    values, {.variables = variables});
}

Tensor Estimator::predict_values(const Tensor& features) const {
  const State& s = *state_;
  const Callable& step = s.ready().predict();
  s.record.input.check(features);
  const int64_t rows = features.dim(0);
  Tensor result(kFloat32, s.prediction_shape(rows));
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t begin = 0; begin < rows; begin += kInferenceRows) {
    const int64_t end = std::min(rows, begin + kInferenceRows);
    const Tensor batch = step({features.rows(begin, end)})[0];
    check_predictions(batch, s.prediction_shape(end - begin));
    std::memcpy(out, batch.raw(), batch.byte_size());
    out += batch.byte_size();
  }
  return result;
}

std::unique_ptr<Estimator> Estimator::load(const std::string& folder, const LayerMakers& makers) {
  auto state = load_state(folder, {}, makers, {});
  if (state->kind == "classifier") {
    return std::unique_ptr<Estimator>(new Classifier(std::move(state)));
  }
  return std::unique_ptr<Estimator>(new Regressor(std::move(state)));
}

}  // namespace thalweg
