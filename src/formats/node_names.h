// Names for nodes that are added to a GraphDef, which must not be those of others.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "proto/graph.pb.h"

namespace thalweg {

/// The names of a graph's nodes, and of the scopes they lie in.
class NodeNames {
 public:
  explicit NodeNames(const tensorflow::GraphDef& def);

  /// `name`, or `name`_1, ... when it is taken; taken from now on.
  std::string take(const std::string& name);
  /// `scope`, or `scope`_1, ..., under which there is no node.
  std::string free_scope(const std::string& scope) const;

 private:
  void insert(const std::string& name);

  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> scopes_;  // "a" and "a/b" of "a/b/c"
};

/// What Graph takes as a node's name: other characters become '_'.
std::string legal_node_name(std::string_view name);

/// Gives nodes legal names, others than those that there are, and their readers too. The names
/// changed, with those that nodes have now; mostly none.
using RenamedNodes = std::unordered_map<std::string, std::string>;
RenamedNodes make_names_legal(tensorflow::GraphDef& def);
/// Has nodes read others in place of those that are named so.
void rename_inputs(const RenamedNodes& renamed, tensorflow::GraphDef& def);
/// The name of a node, or of a tensor ("node:1"), after that.
std::string new_name(const std::string& name, const RenamedNodes& renamed);

}  // namespace thalweg
