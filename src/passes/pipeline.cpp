#include <algorithm>

#include "passes/pass_list.h"
#include "thalweg/passes/passes.h"

namespace thalweg {
namespace {

constexpr Pass kPasses[] = {
    {"inline", "The body of a function in the place of a plain call.", inline_calls},
    {"fold", "Computes what depends on constants and known shapes only.", fold},
    {"take_branches", "An If whose choice has become known becomes its branch.", take_branches},
    {"lower_einsum", "Einsums become transposes and products of matrices.", lower_einsum},
    {"simplify", "Algebra and movements that move nothing.", simplify},
    {"merge", "Makes equal nodes one (common subexpressions).", merge},
    {"fold_pad", "Zeros around images become the padding of the convolution behind.", fold_pad},
    {"fold_scale", "Factors for each channel join the constant filter before them.", fold_scale},
    {"fuse_epilogue", "Bias and activation join the product or convolution before them.",
     fuse_epilogue},
    {"fuse_bias_grad", "One kernel for the gradients of weights and bias.", fuse_bias_grad},
    {"fuse_elementwise", "One tiled loop for a tree of element-wise ops.", fuse_elementwise},
    {"fuse_updates", "One pass for all updates of an optimizer.", fuse_updates},
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
      // What a pass leaves unread is dropped before the next one counts readers.
      plan = prune(pass.run(plan, context), context);
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
