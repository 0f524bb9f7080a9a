#include "train/not_finite.h"

#include <cmath>

#include "thalweg/base/error.h"

namespace thalweg::train {
namespace {

// The first element that is not finite, -1 for none.
int64_t first_not_finite(const Tensor& tensor) {
  if (tensor.dtype() == kFloat32) {
    const auto values = tensor.data<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) return static_cast<int64_t>(i);
    }
    return -1;
  }
  if (!is_floating(tensor.dtype())) return -1;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (!std::isfinite(tensor.at(i))) return i;
  }
  return -1;
}

std::string find_in_batch(const TrainSpec& spec, std::span<const Tensor> batch) {
  for (size_t i = 0; i < batch.size(); ++i) {
    const int64_t element = first_not_finite(batch[i]);
    if (element < 0) continue;
    const int64_t rows = batch[i].rank() > 0 ? batch[i].dim(0) : 1;
    return str("the data: input `", spec.inputs[i].name(), "` is ", batch[i].at(element),
               " in row ", element / (batch[i].num_elements() / rows), " of the batch");
  }
  return {};
}

}  // namespace

std::string find_not_finite(const Graph& graph, const VariableStore& variables) {
  for (const Graph::VariableRecord& variable : graph.variables()) {
    if (!variable.trainable || !is_floating(variable.dtype)) continue;
    if (!variables.is_initialized(variable.name)) continue;
    const Tensor value = variables.get(variable.name);
    const int64_t element = first_not_finite(value);
    if (element < 0) continue;
    return str("variable `", variable.name, "`: element ", element, " of ", value.dtype(),
               value.shape(), " is ", value.at(element));
  }
  return {};
}

std::string explain_not_finite(Session& session, const TrainSpec& spec,
                               std::span<const Tensor> batch) {
  VariableStore& variables = session.variables();
  const uint64_t random_runs = variables.random_runs();
  std::vector<Feed> feeds;
  for (size_t i = 0; i < batch.size(); ++i) feeds.push_back({spec.inputs[i], batch[i]});
  double loss = 0;
  try {
    loss = session.run(spec.loss, feeds).at(0);
  } catch (const Error&) {
    variables.set_random_runs(random_runs);
    return {};
  }
  variables.set_random_runs(random_runs);
  if (std::isfinite(loss)) return {};

  if (std::string found = find_not_finite(session.graph(), variables); !found.empty()) return found;
  if (std::string found = find_in_batch(spec, batch); !found.empty()) return found;

  // Without passes each node is the one that the user's program made.
  SessionOptions options = session.options();
  options.disabled_passes = {"all"};
  options.check_finite = true;
  std::string found = str("only the loss itself, ", spec.loss.name(), ", which is ", loss);
  try {
    Session(session.graph(), options).run(spec.loss, feeds);
  } catch (const Error& error) {
    if (error.code() == Code::kOutOfRange) found = error.message();
  }
  variables.set_random_runs(random_runs);
  return found;
}

}  // namespace thalweg::train
