#include "formats/list_nodes.h"

#include "thalweg/base/error.h"

namespace thalweg {

using tensorflow::DataType;

Edge node_input(const WireGraph& graph, int id, size_t i) {
  const WireNode& node = graph[id];
  if (i < node.inputs.size()) return node.inputs[i];
  throw invalid_argument("node `", node.name(), "` (", node.op(), ") has ", node.inputs.size(),
                         " inputs, expected more than ", i);
}

void ListNodes::become(std::string_view op, DataType type, std::vector<Edge> inputs) {
  WireNode& node = graph_[beside_];
  node.become(op);
  node.set_type("element_dtype", type);
  node.inputs = std::move(inputs);
}

int ListNodes::add(std::string_view op, std::vector<Edge> inputs) {
  return graph_.add(op, str(graph_[beside_].name(), "/", op), std::move(inputs));
}

Edge ListNodes::give(std::string_view op, std::vector<Edge> inputs, const Types& types) {
  const int added = add(op, std::move(inputs));
  for (const auto& [name, type] : types) graph_[added].set_type(name, type);
  return {added, 0};
}

Edge ListNodes::ints(const std::vector<int64_t>& values, DataType type, bool scalar) {
  const int added = add("Const", {});
  graph_[added].set_type("dtype", type);
  auto& tensor = *(*graph_[added].def.mutable_attr())["value"].mutable_tensor();
  tensor.set_dtype(type);
  auto& shape = *tensor.mutable_tensor_shape();
  if (!scalar) shape.add_dim()->set_size(static_cast<int64_t>(values.size()));
  for (int64_t value : values) {
    if (type == tensorflow::DT_INT32) tensor.add_int_val(static_cast<int32_t>(value));
    if (type == tensorflow::DT_INT64) tensor.add_int64_val(value);
  }
  return {added, 0};
}

Edge ListNodes::shape_constant(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return any_shape();
  std::vector<int64_t> dims;
  for (const auto& dim : shape.dim()) dims.push_back(dim.size());
  return vector(dims);
}

Edge ListNodes::shape_of(Edge value, DataType type) {
  return give("Shape", {value}, {{"T", type}, {"out_type", tensorflow::DT_INT32}});
}

Edge ListNodes::row_shape(Edge value, DataType type) {
  const Edge one = vector({1});
  const Edge rest = give("StridedSlice", {shape_of(value, type), one, vector({0}), one},
                         {{"T", tensorflow::DT_INT32}, {"Index", tensorflow::DT_INT32}});
  (*graph_[rest.node].def.mutable_attr())["end_mask"].set_i(1);
  return rest;
}

Edge ListNodes::largest(Edge indices) {
  return give("Max", {indices, vector({0})},
              {{"T", tensorflow::DT_INT32}, {"Tidx", tensorflow::DT_INT32}});
}

Edge ListNodes::after(Edge index) {
  const Edge one = ints({1}, tensorflow::DT_INT32, true);
  return give("AddV2", {index, one}, {{"T", tensorflow::DT_INT32}});
}

Edge ListNodes::lengthen(Edge list, Edge count) {
  const Edge length = give("TensorListLength", {list}, {});
  const Edge larger = give("Maximum", {length, count}, {{"T", tensorflow::DT_INT32}});
  return give("TensorListResize", {list, larger}, {});
}

}  // namespace thalweg
