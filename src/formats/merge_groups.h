// Which Merges of one predicate can become outputs of one If.
#pragma once

#include <vector>

#include "formats/wire_graph.h"

namespace thalweg {

/// Takes out of `merges` the first, and every further one that neither comes after one taken nor
/// before it: an If of those waits for nothing that it gives itself.
std::vector<int> take_independent(const WireGraph& graph, std::vector<int>& merges);

}  // namespace thalweg
