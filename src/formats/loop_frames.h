// The loops of a TensorFlow 1 graph: which nodes run in which of them.
#pragma once

#include <string>
#include <vector>

#include "formats/wire_graph.h"

namespace thalweg {

/// What Enter nodes of one `frame_name` open. Frame 0 is the graph outside of all loops.
struct LoopFrame {
  std::string name;
  int parent = -1;
  int depth = 0;
  std::vector<int> enters;  // these run in the parent, what they give is inside
  std::vector<int> nodes;   // all that run inside, Exits among them
};

struct LoopFrames {
  std::vector<LoopFrame> frames;
  std::vector<int> frame_of;  // of each node: the frame that it runs in
};

/// Throws invalid_argument naming a node that mixes tensors of two frames, an Exit outside of all
/// loops, a node that nothing can reach.
LoopFrames find_loop_frames(const WireGraph& graph);

}  // namespace thalweg
