// Which handles stand for one and the same variable, table or queue, whatever nodes make them.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// The key of what `handle`, a node that makes handles, stands for: two nodes of one key name the
/// same state of a session. Variables go by their name alone; tables and queues by op, container
/// and name. Empty for a node that only hands a handle in, which may stand for anything.
std::string resource_key(const Node& handle);

}  // namespace thalweg
