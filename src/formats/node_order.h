// The nodes of a GraphDef or of a function's body as a list that can be built from front to back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/graph.pb.h"

namespace thalweg {

/// One input as it is written: "node", "node:1", "node:output:0", "^node".
struct InputName {
  std::string_view node;
  std::string_view output;  // the name of an output argument, in function bodies
  int index = 0;
  bool is_control = false;
};
/// Throws invalid_argument for what is no such name.
InputName parse_input_name(std::string_view text);

using NodeDefs = google::protobuf::RepeatedPtrField<tensorflow::NodeDef>;

/// Indexes of `nodes` with every node after its inputs, otherwise in the order given, which is the
/// order of side effects. Names that are no node (arguments, or missing ones) count as there.
/// Throws invalid_argument naming the nodes of a circle, and two nodes of one name.
std::vector<int> topological_order(const NodeDefs& nodes);

/// Removes the nodes that none of `outputs` ("node", "node:1") needs, and the functions that no
/// node left calls. Throws not_found with the nearest name.
void keep_needed(const std::vector<std::string>& outputs, tensorflow::GraphDef& def);
/// Removes the functions that no node calls.
void keep_called_functions(tensorflow::GraphDef& def);

}  // namespace thalweg
