// Effects in a branch that no Merge waits for: ops that a TensorFlow 1 program runs by name, under
// the condition that their branch is taken.
#pragma once

#include <set>
#include <vector>

#include "formats/branch_contexts.h"
#include "formats/op_facts.h"

namespace thalweg {

struct LoneEffects {
  Side side;              // of the innermost predicate
  Context context;        // of the branches around that
  std::vector<int> last;  // the nodes that no other of the branch comes after
};

/// Those of the nodes under `depth` predicates that are not in `copied`. Nodes that share an effect
/// come together, so that it happens once; others do not, so that each may be run alone.
std::vector<LoneEffects> find_lone_effects(const WireGraph& graph, const BranchContexts& contexts,
                                           const OpFacts& facts, const std::set<int>& copied,
                                           size_t depth);

}  // namespace thalweg
