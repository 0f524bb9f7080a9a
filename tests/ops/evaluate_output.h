// Computes an Output by the reference kernels, one node after the other: no session, no passes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thalweg/kernels/evaluate.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {

using Feeds = std::map<Output, Tensor>;

/// The value of `x`, given those of the placeholders in `feeds` (which also keeps what was computed
/// on the way).
inline Tensor evaluate_output(Output x, Feeds& feeds) {
  if (const auto it = feeds.find(x); it != feeds.end()) return it->second;
  const Node& node = *x.node();
  std::vector<Tensor> inputs;
  for (const Output& input : node.inputs()) inputs.push_back(evaluate_output(input, feeds));
  const std::vector<Tensor> outputs = evaluate(node, inputs, reference_kernels());
  for (int i = 0; i < node.num_outputs(); ++i)
    feeds[node.output(i)] = outputs[static_cast<size_t>(i)];
  return feeds[x];
}
inline Tensor evaluate_output(Output x) {
  Feeds feeds;
  return evaluate_output(x, feeds);
}

/// The elements as doubles, whatever the dtype.
inline std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) result.push_back(tensor.at(i));
  return result;
}

/// How many nodes of an op the graph holds.
inline int count_nodes(const Graph& graph, std::string_view op) {
  int count = 0;
  for (int id = 0; id < graph.num_nodes(); ++id) count += graph.node(id).type() == op ? 1 : 0;
  return count;
}

}  // namespace thalweg::testing
