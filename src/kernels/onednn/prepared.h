// From a oneDNN primitive to a kernel of the engine: which argument is which input or output, the
// layouts that follow from it, and the state of a run.
#pragma once

#include <initializer_list>
#include <string_view>

#include "kernels/cpu/elementwise.h"
#include "kernels/onednn/layout.h"
#include "kernels/onednn/shim_build.h"

namespace thalweg::onednn {

/// One argument of a primitive: input or output `index` of the kernel, and its view.
struct Binding {
  Arg arg;
  bool is_output;
  int index;
  Desc view;
};
inline Binding in(Arg arg, int index, Desc view) { return {arg, false, index, std::move(view)}; }
inline Binding out(Arg arg, int index, Desc view) { return {arg, true, index, std::move(view)}; }

/// What the ops whose names start with _Fused add to a result: a bias, then an activation.
struct Fusion {
  bool bias = false;
  Epilogue epilogue = {};          ///< what the primitive does
  simd::UnaryFn finish = nullptr;  ///< what is done in place afterwards
};
/// From the attributes `fused_ops` and `alpha`; without them none. Nothing for unknown ops.
std::optional<Fusion> fusion_of(const Node& node);

/// A kernel that runs `primitive`, whose arguments are all bound (bindings to arguments that it
/// does not have are ignored), and then `finish` on all cells of output 0, padding included.
KernelPtr bind(const Primitive& primitive, std::initializer_list<Binding> bindings,
               simd::UnaryFn finish = nullptr);

/// Whether a primitive is one of oneDNN's own fast implementations, not im2col over plain layouts.
bool is_fast(const Primitive& primitive);

/// Whether the kernels of this folder can take the request at all: numbers are float32 and nothing
/// is empty or unknown. Also brings oneDNN's thread count for the calling thread into line.
bool is_suitable(const KernelRequest& request);

}  // namespace thalweg::onednn
