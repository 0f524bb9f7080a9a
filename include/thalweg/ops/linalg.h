// Products of matrices and tensors, and the bias that follows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct MatMulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  std::string name = {};
};
/// `a` `[m, k]` times `b` `[k, n]`: `[m, n]`. TensorFlow's MatMul. Throws invalid_argument when the
/// inner dimensions differ.
Output matmul(Output a, Output b, MatMulOptions options = {});

struct BatchMatMulOptions {
  bool adj_x = false;  // transpose the last two dimensions of x
  bool adj_y = false;
  std::string name = {};
};
/// `x` `[..., m, k]` times `y` `[..., k, n]`: `[..., m, n]`, leading dimensions broadcast.
/// TensorFlow's BatchMatMulV2.
Output batch_matmul(Output x, Output y, BatchMatMulOptions options = {});

struct EinsumOptions {
  std::string name = {};
};
/// A sum of products by labelled dimensions: `einsum("bij,bjk->bik", {a, b})`. One or two operands,
/// "..." for broadcast dimensions; a label may stand only once in one operand. TensorFlow's Einsum.
Output einsum(std::string_view equation, std::vector<Output> inputs, EinsumOptions options = {});

struct BiasAddOptions {
  std::string data_format = "NHWC";  // "NHWC": channels are the last dimension; "NCHW": the second
  std::string name = {};
};
/// `value` `[..., channels]` plus `bias` `[channels]`. TensorFlow's BiasAdd.
Output bias_add(Output value, Output bias, BiasAddOptions options = {});
/// The sum of `out_backprop` over all dimensions but the channels: `[channels]`. TensorFlow's
/// BiasAddGrad.
Output bias_add_grad(Output out_backprop, BiasAddOptions options = {});

}  // namespace thalweg
