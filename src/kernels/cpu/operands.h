// How the operands of an element-wise kernel line up with its result, and in which layout it works.
#pragma once

#include <optional>
#include <vector>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

/// Where an operand's element for result element i is found.
enum class Pattern {
  kFull,    // at i
  kScalar,  // the only one
  kRow,     // at i mod length: repeated along leading dimensions
  kColumn   // at i / (elements per value): repeated along trailing dimensions
};

struct Operand {
  Pattern pattern = Pattern::kFull;
  int64_t length = 0;  // elements of the operand
};

/// The pattern of `operand` under NumPy broadcasting to `result`; nothing when it is another one.
std::optional<Operand> match_operand(const Shape& operand, const Shape& result);

/// What an element-wise kernel over float32 operands works on.
struct ElementwisePlan {
  std::vector<Operand> operands;
  KernelTraits traits;
  int64_t count = 0;  // elements to compute, padding included
};

/// Agrees on one layout: that in which full operands arrive, when all can take it, else plain. A
/// layout with padding is only taken by a kernel that maps zeros to zero. Nothing when dtypes,
/// shapes or patterns do not suit.
std::optional<ElementwisePlan> plan_elementwise(const KernelRequest& request, bool keeps_zero);

}  // namespace thalweg
