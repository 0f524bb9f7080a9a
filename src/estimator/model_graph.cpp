#include "estimator/model_graph.h"

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

Output with_penalty(Output loss) {
  const Output penalty = regularization_loss(loss.graph());
  return penalty ? loss + penalty : loss;
}

}  // namespace

ModelGraph::ModelGraph(const Network& network, const InputSpec& input, const Head& head,
                       uint64_t seed, std::shared_ptr<VariableStore> variables,
                       const std::optional<Optimizer>& optimizer)
    : graph_(standard_ops()) {
  graph_.set_seed(seed);
  const Output features =
      placeholder(graph_, input.dtype, input.batch_shape(), {.name = "features"});
  const Output labels =
      placeholder(graph_, head.label_dtype(), head.label_shape(kUnknownDim), {.name = "labels"});
  const Output prepared = input.prepare(features);

  const Output training = network(prepared, Mode::kTraining);
  head.check_output(training);
  const Output predicting = network(prepared, Mode::kPredicting);
  head.check_output(predicting);
  const Output predictions = identity(head.predictions(predicting), {.name = "predictions"});

  train_ = {.inputs = {features, labels}, .loss = with_penalty(head.loss(labels, training, {}))};
  train_.metrics = head.metrics(labels, training, {});
  eval_ = {.inputs = {features, labels}, .loss = with_penalty(head.loss(labels, predicting, {}))};
  eval_.metrics = head.metrics(labels, predicting, {});
  if (optimizer) {
    train_.train_step = &optimizer->minimize(train_.loss);
    train_.learning_rate = optimizer->learning_rate(graph_);
  }
  session_ = std::make_unique<Session>(graph_, SessionOptions{.variables = std::move(variables)});
  predict_ = session_->make_callable({features}, {predictions});
  evaluate_ = session_->make_callable({features, labels}, {eval_.loss, predictions});
}

int64_t ModelGraph::trainable_parameters() const {
  int64_t count = 0;
  for (const Graph::VariableRecord& variable : graph_.variables()) {
    if (variable.trainable) count += variable.shape.num_elements();
  }
  return count;
}

}  // namespace thalweg
