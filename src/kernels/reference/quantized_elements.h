// What kernels on quantized numbers share: each tensor comes and goes with two scalars beside it,
// the ends of the range that its integers stand for.
#pragma once

#include "kernels/reference/elements.h"
#include "kernels/reference/quantized_range.h"

namespace thalweg::reference {

/// The range whose ends are inputs `first` and `first` + 1.
inline FloatRange range_input(const KernelContext& c, int first) {
  return {*c.input<float>(first), *c.input<float>(first + 1)};
}

/// Gives the ends of a range as outputs `first` and `first` + 1.
inline void give_range(KernelContext& c, int first, FloatRange range) {
  *c.output<float>(first) = range.min;
  *c.output<float>(first + 1) = range.max;
}

/// An integer that `Q` holds.
template <class Q>
Q from_integer(int64_t value) {
  return Q{static_cast<IntegerOf<Q>>(value)};
}

/// Calls f with the tag of a type of those that the rows allow; null for another.
template <class F>
KernelPtr visit_quantized(DType dtype, F&& f) {
  switch (dtype) {
    case kQInt8: return f(TypeTag<QInt8>{});
    case kQUInt8: return f(TypeTag<QUInt8>{});
    case kQInt32: return f(TypeTag<QInt32>{});
    default: return nullptr;
  }
}

}  // namespace thalweg::reference
