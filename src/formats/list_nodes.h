// Nodes on lists that are values, made beside the node of TensorFlow 1 whose work they do: what the
// rewrites of stacks and of arrays of gradients say again and again.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/wire_graph.h"

namespace thalweg {

/// Input `i` of a node. Throws invalid_argument naming the node when it has fewer.
Edge node_input(const WireGraph& graph, int id, size_t i);

/// Makes node `beside`, and nodes named after it.
class ListNodes {
 public:
  using Types = std::vector<std::pair<const char*, tensorflow::DataType>>;

  ListNodes(WireGraph& graph, int beside) : graph_(graph), beside_(beside) {}

  /// Makes the node itself an op on lists whose items are of `type`.
  void become(std::string_view op, tensorflow::DataType type, std::vector<Edge> inputs);

  /// Adds a node; `types` are its attributes.
  int add(std::string_view op, std::vector<Edge> inputs);
  Edge give(std::string_view op, std::vector<Edge> inputs, const Types& types);

  /// A constant of DT_INT32 or DT_INT64.
  Edge ints(const std::vector<int64_t>& values, tensorflow::DataType type, bool scalar = false);
  Edge vector(const std::vector<int64_t>& values) { return ints(values, tensorflow::DT_INT32); }
  /// TensorFlow's form of a shape that is not known: the scalar -1.
  Edge any_shape() { return ints({-1}, tensorflow::DT_INT32, true); }
  Edge shape_constant(const tensorflow::TensorShapeProto& shape);

  Edge shape_of(Edge value, tensorflow::DataType type);
  /// The shape of `value` without its first dimension.
  Edge row_shape(Edge value, tensorflow::DataType type);

  Edge largest(Edge indices);
  /// index + 1.
  Edge after(Edge index);
  /// The list with at least `count` items.
  Edge lengthen(Edge list, Edge count);

 private:
  WireGraph& graph_;
  int beside_;
};

}  // namespace thalweg
