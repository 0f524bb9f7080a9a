#include "thalweg/estimator/estimator.h"

#include <map>

#include "estimator/estimator_state.h"
#include "estimator/fit_data.h"
#include "thalweg/estimator/classifier.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/estimator/regressor.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/nn/summary.h"

namespace thalweg {
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

ModelParts tensor_parts(const InputSpec& input, const Network& network) {
  return {.inputs = {{"features", input.dtype, input.shape}},
          .prepare = [input](const std::vector<Output>& inputs) -> std::vector<Output> {
            return {input.prepare(inputs[0])};
          },
          .network = [network](const std::vector<Output>& inputs,
                               Mode mode) { return network(inputs[0], mode); }};
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
  s.ready();
  check_evaluation_data(data, s.record.input);
  if (data.is_infinite()) throw invalid_argument("the data have no end; call take() first");
  auto pass = encoded_batches(data, kInferenceRows, *s.head).iterate();
  return s.score([&] { return pass.next(); });
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
  s.ready();
  s.record.input.check(features);
  return s.predict({features});
}

std::unique_ptr<Estimator> Estimator::load(const std::string& folder, const LayerMakers& makers) {
  auto state = load_state(folder, {}, makers, {});
  if (state->kind == "classifier") {
    return std::unique_ptr<Estimator>(new Classifier(std::move(state)));
  }
  return std::unique_ptr<Estimator>(new Regressor(std::move(state)));
}

}  // namespace thalweg
