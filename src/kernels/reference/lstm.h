// Sizes and options of the LSTM ops, and the order of the gates in their weights.
#pragma once

#include <cstdint>

#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

/// The products of the weights w `[input + cell, 4 * cell]` are four gates side by side: i
/// (input), c (candidate), f (forget), o (output); the second version of the block op swaps c and
/// f.
struct LstmSizes {
  int64_t steps = 1;
  int64_t batch, input, cell;
  int64_t i = 0, c = 1, f = 2, o = 3;
  bool peephole;
  double cell_clip = 0;  // none when not above 0
  double forget_bias = 0;

  /// `x` is the number of input x; the others follow it as in every op of the family: cs_prev,
  /// h_prev, w, wci, wcf, wco, b.
  LstmSizes(const KernelRequest& request, int x) {
    const Shape& shape = request.inputs[static_cast<size_t>(x)].shape;
    if (shape.rank() == 3) steps = shape[0];
    batch = shape.dim(-2);
    input = shape.dim(-1);
    cell = request.inputs[static_cast<size_t>(x + 1)].shape[1];
    peephole = request.node.attr<bool>("use_peephole");
    if (const AttrValue* clip = request.node.find_attr("cell_clip"))
      cell_clip = std::get<float>(*clip);
    if (const AttrValue* bias = request.node.find_attr("forget_bias"))
      forget_bias = std::get<float>(*bias);
    if (request.node.type().ends_with("V2")) std::swap(c, f);
  }
  /// Elements of one step of x, and of a state.
  int64_t x_size() const { return batch * input; }
  int64_t state_size() const { return batch * cell; }
};

/// The steps that count: input 0 of the block ops. Throws invalid_argument.
inline int64_t steps_that_count(const KernelContext& context, const LstmSizes& sizes) {
  const int64_t count = *context.input<int64_t>(0);
  if (count < 0 || count > sizes.steps) {
    throw invalid_argument("`seq_len_max` is ", count, ", outside of [0, ", sizes.steps,
                           "], the steps of `x`");
  }
  return count;
}

}  // namespace thalweg::reference
