#include "formats/tensor_arrays.h"

#include <string>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

void expect_inputs(const WireNode& node, size_t count) {
  if (node.inputs.size() == count) return;
  throw invalid_argument("node `", node.name(), "` (", node.op(), ") has ", node.inputs.size(),
                         " inputs, expected ", count);
}

void refuse_old_kinds(const WireNode& node) {
  const std::string& op = node.op();
  if ((op.starts_with("TensorArrayGrad") && op != "TensorArrayGradV3") || op == "TensorArrayV2" ||
      op == "TensorArray") {
    throw unimplemented("node `", node.name(), "` (", op,
                        ") is of a kind of TensorArray that is not supported; export the graph "
                        "with TensorFlow 1.0 or later");
  }
}

bool passes(const WireNode& node) { return !passing_op(node.op()).empty(); }

}  // namespace

tensorflow::TensorShapeProto shape_attr(const WireNode& node, const char* name) {
  const auto found = node.def.attr().find(name);
  if (found != node.def.attr().end()) return found->second.shape();
  tensorflow::TensorShapeProto unknown;
  unknown.set_unknown_rank(true);
  return unknown;
}

TensorArrays::TensorArrays(const WireGraph& graph) : links_(graph) {
  std::vector<Edge> handles;
  std::vector<Edge> flows;
  std::vector<Edge> gradients;
  for (int id = 0; id < graph.size(); ++id) {
    const WireNode& node = graph[id];
    refuse_old_kinds(node);
    if (node.op() == "TensorArrayGradV3") {
      expect_inputs(node, 2);
      gradients.push_back({id, 0});
    }
    if (node.op() == "TensorArrayV3") {
      expect_inputs(node, 1);
      arrays_[id] = {node.type_attr("dtype"), shape_attr(node, "element_shape"),
                     node.bool_attr("dynamic_size")};
      handles.push_back({id, 0});
      flows.push_back({id, 1});
    }
  }
  handles_ = follow_through_stacks(graph, handles, passes, links_);
  gradients_ = follow(graph, gradients, passes);
  for (int id = 0; id < graph.size(); ++id) {
    const std::string& op = graph[id].op();
    if (op != "TensorArrayWriteV3" && op != "TensorArrayScatterV3" && op != "TensorArraySplitV3")
      continue;
    if (!is_of_gradients(graph[id])) flows.push_back({id, 0});
  }
  flows_ = follow_through_stacks(graph, flows, passes, links_);
  if (arrays_.empty() && !gradients.empty()) {
    throw unimplemented("node `", graph[gradients.front().node].name(),
                        "` (TensorArrayGradV3): its handle does not come from a TensorArrayV3 of "
                        "the graph");
  }
}

const TensorArray& TensorArrays::of(const WireNode& node, size_t inputs) const {
  expect_inputs(node, inputs);
  const auto found = handles_.edges.find(node.inputs[0]);
  if (found == handles_.edges.end() || flows_.edges.count(node.inputs.back()) == 0) {
    throw unimplemented("node `", node.name(), "` (", node.op(),
                        "): its handle and flow do not come from a TensorArrayV3 of the graph");
  }
  return of_root(found->second);
}

const TensorArray& TensorArrays::of_gradient(const WireNode& node) const {
  const auto found = handles_.edges.find(node.inputs[0]);
  if (found == handles_.edges.end()) {
    throw unimplemented("node `", node.name(), "` (", node.op(),
                        "): its handle does not come from a TensorArrayV3 of the graph");
  }
  return of_root(found->second);
}

void TensorArrays::set_types(WireGraph& graph, const Followed& followed,
                             tensorflow::DataType type) const {
  for (const auto& [edge, source] : followed.edges) {
    if (edge != source) graph[edge.node].set_type("T", type);
  }
  for (int stack : links_.stacks()) {
    for (int push : links_.pushes(stack)) {
      if (followed.edges.count(graph[push].inputs[1]) == 0) continue;
      graph[push].set_type("T", type);
      graph[stack].set_type("elem_type", type);
      for (int pop : links_.pops(stack)) graph[pop].set_type("elem_type", type);
    }
  }
}

}  // namespace thalweg
