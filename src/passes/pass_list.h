// The passes by name, for the pipeline; each stands in the file of its name.
#pragma once

#include "thalweg/passes/passes.h"

namespace thalweg {

PlanGraph fold(const PlanGraph& source, const PassContext& context);
PlanGraph fold_pad(const PlanGraph& source, const PassContext& context);
PlanGraph fold_scale(const PlanGraph& source, const PassContext& context);
PlanGraph fuse_bias_grad(const PlanGraph& source, const PassContext& context);
PlanGraph fuse_elementwise(const PlanGraph& source, const PassContext& context);
PlanGraph fuse_epilogue(const PlanGraph& source, const PassContext& context);
PlanGraph fuse_updates(const PlanGraph& source, const PassContext& context);
PlanGraph inline_calls(const PlanGraph& source, const PassContext& context);
PlanGraph lower_einsum(const PlanGraph& source, const PassContext& context);
PlanGraph merge(const PlanGraph& source, const PassContext& context);
PlanGraph prune(const PlanGraph& source, const PassContext& context);
PlanGraph simplify(const PlanGraph& source, const PassContext& context);
PlanGraph take_branches(const PlanGraph& source, const PassContext& context);

}  // namespace thalweg
