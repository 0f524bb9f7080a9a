#include "estimator/model_graph.h"

#include <algorithm>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"

namespace thalweg {
namespace {

Output with_penalty(Output loss) {
  const Output penalty = regularization_loss(loss.graph());
  return penalty ? loss + penalty : loss;
}

std::vector<Output> placeholders(Graph& graph, const data::Spec& inputs) {
  std::vector<Output> result;
  for (const data::Component& input : inputs) {
    result.push_back(placeholder(graph, input.dtype, Shape{kUnknownDim}.concat(input.shape),
                                 {.name = to_node_name(input.name)}));
  }
  return result;
}

Node& train_step(Output loss, const std::vector<OptimizerShare>& optimizers) {
  if (optimizers.size() == 1) return optimizers[0].optimizer.minimize(loss);
  std::vector<OptimizerPart> parts;
  for (const OptimizerShare& share : optimizers) parts.push_back({share.optimizer, {}});
  // One pass back for all of them.
  for (const GradientAndVariable& pair : optimizers[0].optimizer.compute_gradients(loss)) {
    const std::string& name = variable_key(*pair.variable.node());
    const auto share = std::ranges::find_if(
        optimizers, [&](const OptimizerShare& each) { return name.starts_with(each.prefix); });
    if (share == optimizers.end()) continue;
    parts[static_cast<size_t>(share - optimizers.begin())].gradients.push_back(pair);
  }
  std::erase_if(parts, [](const OptimizerPart& part) { return part.gradients.empty(); });
  return apply_gradients(loss, std::move(parts));
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

ModelGraph::ModelGraph(const ModelParts& parts, const Head& head, uint64_t seed,
                       std::shared_ptr<VariableStore> variables,
                       const std::vector<OptimizerShare>& optimizers)
    : graph_(standard_ops()), num_inputs_(parts.inputs.size()) {
  graph_.set_seed(seed);
  const std::vector<Output> inputs = placeholders(graph_, parts.inputs);
  const Output labels =
      placeholder(graph_, head.label_dtype(), head.label_shape(kUnknownDim), {.name = "labels"});
  std::vector<Output> fed = inputs;
  fed.push_back(labels);
  Output weights, weight_sum;
  if (parts.weighted) {
    weights = placeholder(graph_, kFloat32, {kUnknownDim}, {.name = "weights"});
    fed.push_back(weights);
    weight_sum = reduce_sum(weights);
  }
  const std::vector<Output> prepared = parts.prepare ? parts.prepare(inputs) : inputs;

  const Output training = parts.network(prepared, Mode::kTraining);
  head.check_output(training);
  const Output predicting = parts.network(prepared, Mode::kPredicting);
  head.check_output(predicting);
  const Output predictions = identity(head.predictions(predicting), {.name = "predictions"});

  train_ = {.inputs = fed,
            .loss = with_penalty(head.loss(labels, training, weights)),
            .loss_weight = weight_sum};
  train_.metrics = head.metrics(labels, training, weights);
  eval_ = {.inputs = fed,
           .loss = with_penalty(head.loss(labels, predicting, weights)),
           .loss_weight = weight_sum};
  eval_.metrics = head.metrics(labels, predicting, weights);
  if (!optimizers.empty()) {
    train_.train_step = &train_step(train_.loss, optimizers);
    train_.learning_rate = optimizers.back().optimizer.learning_rate(graph_);
  }
  session_ = std::make_unique<Session>(graph_, SessionOptions{.variables = std::move(variables)});
  predict_ = session_->make_callable(inputs, {predictions});
  evaluate_ = session_->make_callable(fed, {eval_.loss, predictions});
}

int64_t ModelGraph::trainable_parameters() const {
  int64_t count = 0;
  for (const Graph::VariableRecord& variable : graph_.variables()) {
    if (variable.trainable) count += variable.shape.num_elements();
  }
  return count;
}

std::string to_node_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (!is_letter_or_digit(c) && c != '/' && c != '.' && c != '-') c = '_';
  }
  return name.empty() || !is_letter_or_digit(name[0]) ? "x" + name : name;
}

}  // namespace thalweg
