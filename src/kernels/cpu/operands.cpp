#include "kernels/cpu/operands.h"

#include <algorithm>

namespace thalweg {

std::optional<Operand> match_operand(const Shape& operand, const Shape& result) {
  const int64_t length = operand.num_elements();
  if (operand == result) return Operand{Pattern::kFull, length};
  if (length == 1) return Operand{Pattern::kScalar, 1};
  const int skip = result.rank() - operand.rank();
  if (skip < 0) return std::nullopt;
  // Leading ones of the operand count as missing dimensions.
  int first = 0;
  while (first < operand.rank() && operand[first] == 1) ++first;
  if (operand.slice(first) == result.slice(skip + first)) return Operand{Pattern::kRow, length};
  int last = operand.rank();
  while (last > 0 && operand[last - 1] == 1) --last;
  if (skip == 0 && operand.slice(0, last) == result.slice(0, last))
    return Operand{Pattern::kColumn, length};
  return std::nullopt;
}

std::optional<ElementwisePlan> plan_elementwise(const KernelRequest& request, bool keeps_zero) {
  const Shape& result = request.outputs[0].shape;
  if (request.outputs[0].dtype != kFloat32 || !result.is_fully_defined()) return std::nullopt;
  ElementwisePlan plan;
  LayoutPtr layout;
  bool only_full = true;
  for (const TensorSpec& input : request.inputs) {
    if (input.dtype != kFloat32) return std::nullopt;
    const auto operand = match_operand(input.shape, result);
    if (!operand) return std::nullopt;
    plan.operands.push_back(*operand);
    if (operand->pattern == Pattern::kFull) {
      if (layout == nullptr) layout = input.layout;
    } else if (operand->pattern != Pattern::kScalar) {
      only_full = false;
    }
  }
  if (!only_full || (layout != nullptr && layout->has_padding() && !keeps_zero)) layout = nullptr;

  plan.count = layout == nullptr ? result.num_elements()
                                 : static_cast<int64_t>(layout->size_bytes() / sizeof(float));
  for (size_t i = 0; i < plan.operands.size(); ++i) {
    const bool full = plan.operands[i].pattern == Pattern::kFull;
    plan.traits.input_layouts.push_back(full ? layout : nullptr);
    if (full) plan.traits.in_place.emplace_back(static_cast<int>(i), 0);
  }
  plan.traits.output_layouts = {layout};
  return plan;
}

}  // namespace thalweg
