// The list of passes, and the run through it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/kernels/kernel_registry.h"
#include "thalweg/passes/plan_graph.h"

namespace thalweg {

struct PassContext {
  const KernelRegistry& kernels;  // to compute constants
};

/// One pass, one file. Takes a legal graph, returns a legal one that computes the same; running it
/// again changes nothing.
struct Pass {
  std::string_view name;
  std::string_view doc;
  PlanGraph (*run)(const PlanGraph& source, const PassContext& context);
};

/// In the order they run.
std::span<const Pass> standard_passes();

struct PassOptions {
  std::vector<std::string> disabled = {};  // by name; "all" disables every one
  /// Called before the first pass (name "") and after each, for printing.
  std::function<void(std::string_view pass, const PlanGraph& graph)> observe = {};
};

/// Runs the standard passes, verifying after each. Throws invalid_argument for an unknown name in
/// `disabled`.
PlanGraph run_passes(PlanGraph plan, const PassContext& context, const PassOptions& options = {});

}  // namespace thalweg
