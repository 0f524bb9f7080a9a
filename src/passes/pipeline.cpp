#include <algorithm>

#include "passes/pass_list.h"
#include "thalweg/passes/passes.h"

namespace thalweg {
namespace {

constexpr Pass kPasses[] = {
    {"fold", "Computes what depends on constants and known shapes only.", fold},
    {"merge", "Makes equal nodes one (common subexpressions).", merge},
    {"prune", "Drops what no fetch, target or side effect needs.", prune},
};

void check_names(const std::vector<std::string>& disabled) {
  std::vector<std::string> names = {"all"};
  for (const Pass& pass : kPasses) names.emplace_back(pass.name);
  for (const std::string& name : disabled) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw invalid_argument("there is no pass `", name, "`; passes are: ", join(names, ", "));
    }
  }
}

}  // namespace

std::span<const Pass> standard_passes() { return kPasses; }

PlanGraph run_passes(PlanGraph plan, const PassContext& context, const PassOptions& options) {
  check_names(options.disabled);
  const auto is_disabled = [&](std::string_view name) {
    return std::any_of(options.disabled.begin(), options.disabled.end(),
                       [&](const std::string& d) { return d == name || d == "all"; });
  };
  if (options.observe) options.observe("", plan);
  for (const Pass& pass : kPasses) {
    if (is_disabled(pass.name)) continue;
    try {
      plan = pass.run(plan, context);
      verify(plan, pass.name);
    } catch (Error& error) {
      error.add_context(str("pass ", pass.name));
      throw;
    }
    if (options.observe) options.observe(pass.name, plan);
  }
  return plan;
}

}  // namespace thalweg
