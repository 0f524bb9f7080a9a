#include "estimator/columns/transform_graph.h"

#include <limits>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/string.h"
#include "thalweg/ops/unary.h"

namespace thalweg {

StageGraph::StageGraph(Graph& graph, const Transform::State& state, const std::vector<Output>& raw,
                       std::vector<Node*>* initializers)
    : graph_(graph), state_(state), raw_(raw), initializers_(initializers) {
  if (raw.size() != state.inputs.size()) {
    throw invalid_argument("the transform takes ", state.inputs.size(), " raw tensors, got ",
                           raw.size());
  }
  for (size_t i = 0; i < raw.size(); ++i) {
    const FittedInput& input = state.inputs[i];
    if (raw[i].dtype() != input.dtype) {
      throw invalid_argument("raw column ", shown(input.column), " is ", raw[i].dtype(),
                             ", expected ", input.dtype);
    }
  }
}

Output StageGraph::batch() {
  if (!batch_) {
    batch_ = strided_slice(shape_of(raw_.at(0), kInt64), {0}, {1}, {1}, {.shrink_axis_mask = 1});
  }
  return batch_;
}

Output StageGraph::text(const std::string& column) {
  return raw_[static_cast<size_t>(state_.input_index(column))];
}

Output StageGraph::is_empty(const std::string& column) {
  Output& made = empty_[column];
  if (!made) made = equal(text(column), constant(graph_, Tensor("")));
  return made;
}

Output StageGraph::number(const std::string& column) {
  Output& made = numbers_[column];
  if (made) return made;
  const FittedInput& input = state_.input(column);
  Output x = text(column);
  Output missing;
  if (input.dtype == kString) {
    // TensorFlow reads no number from "".
    missing = is_empty(column);
    x = select(missing, constant(graph_, Tensor("0")), x);
    x = string_to_number(x, input.is_wide ? kFloat64 : kFloat32);
  }
  if (input.is_wide) x = cast(x - input.offset, kFloat32);
  if (missing) {
    x = select(missing, constant(graph_, std::numeric_limits<float>::quiet_NaN()), x);
  }
  return made = x;
}

std::vector<Output> StageGraph::outputs() {
  std::vector<Output> result;
  if (!state_.prepared.numbers.empty()) result.push_back(numbers());
  if (!state_.ids.empty()) {
    std::vector<Output> columns;
    for (const FeatureColumn& category : state_.ids) columns.push_back(ids(category));
    result.push_back(pack(columns, 1));
  }
  for (const FeatureColumn& category : state_.bags) {
    const Bag made = bag(category);
    result.push_back(made.ids);
    result.push_back(made.weights);
  }
  return result;
}

}  // namespace thalweg
