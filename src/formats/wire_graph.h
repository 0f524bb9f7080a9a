// The nodes of a GraphDef with edges as numbers instead of names: what the rewrites of TensorFlow 1
// graphs work on. It stays on the wire's side: ops, attributes and devices are those of the file.
#pragma once

#include <compare>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/node_order.h"
#include "proto/graph.pb.h"

namespace thalweg {

/// One output of a node of a WireGraph.
struct Edge {
  int node = -1;
  int output = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

struct WireNode {
  tensorflow::NodeDef def;  // its `input` is empty: inputs stand in the two lists below
  std::vector<Edge> inputs;
  std::vector<int> controls;
  bool removed = false;

  const std::string& name() const { return def.name(); }
  const std::string& op() const { return def.op(); }
  /// DT_INVALID, "", false, 0 where there is no such attribute.
  tensorflow::DataType type_attr(const std::string& attr) const;
  bool bool_attr(const std::string& attr) const;
  const std::string& string_attr(const std::string& attr) const;

  /// Makes it another op with no attributes; name, device, inputs and controls stay.
  void become(std::string_view op);
  void set_type(const std::string& attr, tensorflow::DataType type);
  void add_control(int node);
};

/// Nodes keep their numbers; removed ones are left out when the graph is written. Adding nodes
/// leaves references to nodes valid. Thread-compatible.
class WireGraph {
 public:
  WireGraph() = default;
  /// Takes the nodes. Throws invalid_argument naming the node: two of a name, an input that no node
  /// gives.
  explicit WireGraph(NodeDefs nodes);

  int size() const { return static_cast<int>(nodes_.size()); }
  WireNode& operator[](int node) { return nodes_[static_cast<size_t>(node)]; }
  const WireNode& operator[](int node) const { return nodes_[static_cast<size_t>(node)]; }

  /// Adds a node named `base`, or `base_1`, ... where that is taken.
  int add(std::string_view op, std::string_view base, std::vector<Edge> inputs);
  /// Adds a copy of a node of any graph, without its edges, under its own name.
  int add_copy(const WireNode& node);
  bool has(const std::string& name) const { return by_name_.count(name) != 0; }

  /// For each node the living ones that read or wait for it, each once a use.
  std::vector<std::vector<int>> consumers() const;
  /// The living nodes with inputs first. Throws invalid_argument naming a node of a cycle.
  std::vector<int> topological_order() const;

  /// Moves the nodes out as a GraphDef has them.
  NodeDefs take_nodes();

 private:
  std::string unique_name(std::string_view base);

  std::deque<WireNode> nodes_;
  std::unordered_map<std::string, int> by_name_;
  std::unordered_map<std::string, int> numbers_;  // the last one given to a name
};

}  // namespace thalweg
