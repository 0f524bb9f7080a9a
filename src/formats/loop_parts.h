// What a loop of TensorFlow 1 is made of:
//
//   Enter -> Merge -> Switch(LoopCond) -> ... -> NextIteration -> Merge    a loop variable
//   Enter(is_constant)                                                     an invariant
#pragma once

#include <map>
#include <vector>

#include "formats/loop_frames.h"

namespace thalweg {

struct LoopVariable {
  int merge = -1;
  Edge initial;   // outside
  int next = -1;  // its NextIteration
};

struct LoopParts {
  int condition = -1;  // the LoopCond
  std::vector<LoopVariable> variables;
  std::map<int, int> variable_of;  // by Merge
};

/// Throws invalid_argument naming the node: a Merge that is not of one Enter and one NextIteration,
/// no LoopCond or two.
LoopParts find_loop_parts(const WireGraph& graph, const LoopFrame& frame);

/// Throws invalid_argument when a node has another number of inputs.
Edge only_input(const WireGraph& graph, int id);

}  // namespace thalweg
