// What TensorFlow 1 adds to a graph beside the gradient of a loop, and functions need not.
#pragma once

#include "formats/wire_graph.h"

namespace thalweg {

/// Drops what is there for order alone: ControlTriggers, which wait for pushes and pops in
/// branches; Switches in a loop that stands in the branch they choose.
void drop_gradient_wiring(WireGraph& graph);

/// Drops the wish to be placed beside a node (`_class`) that is not among these.
void drop_lost_colocations(google::protobuf::RepeatedPtrField<tensorflow::NodeDef>& nodes);

}  // namespace thalweg
