#include "thalweg/ops/linalg.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/matrix_product.h"
#include "thalweg/graph/einsum.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

void matmul_gradient(GradientContext& c) {
  const auto [a, b] = product_gradients(conj(c.input(0)), conj(c.input(1)), c.grad(),
                                        c.attr<bool>("transpose_a"), c.attr<bool>("transpose_b"));
  c.set(0, a);
  c.set(1, b);
}

void einsum_shape(ShapeContext& c) {
  const EinsumEquation equation = parse_einsum(c.attr<std::string>("equation"), c.num_inputs());
  std::vector<Shape> shapes;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const std::string& labels = equation.inputs[static_cast<size_t>(i)];
    const bool has_ellipsis = labels.find('.') != std::string::npos;
    if (!c.input(i).has_rank() && has_ellipsis) {
      c.set_output(0, Shape::unknown());
      return;
    }
    shapes.push_back(c.input(i).has_rank()
                         ? c.input(i)
                         : Shape::unknown_of_rank(static_cast<int>(labels.size())));
  }
  c.set_output(0, einsum_loops(equation, shapes).output());
}

std::string spelled(const std::string& labels) {
  std::string text;
  for (char label : labels) text += label == '.' ? std::string("...") : std::string(1, label);
  return text;
}

// The dimension, counted from the front (from the back behind an ellipsis), at which `labels[i]`
// stands.
int64_t axis_of(const std::string& labels, size_t i) {
  const size_t dots = labels.find('.');
  return i < dots ? static_cast<int64_t>(i)
                  : static_cast<int64_t>(i) - static_cast<int64_t>(labels.size());
}

// The gradient of one operand is again an einsum: of the result's gradient and the other operands,
// to the operand's labels. Labels that stand nowhere else were summed over alone: the gradient is
// the same all along them.
Output einsum_gradient_of(GradientContext& c, const EinsumEquation& equation, size_t which) {
  const Output x = c.input(static_cast<int>(which));
  const std::string& labels = equation.inputs[which];
  std::vector<Output> operands{c.grad()};
  std::string left = equation.output;
  std::string text = spelled(equation.output);
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    if (i == which) continue;
    operands.push_back(c.input(static_cast<int>(i)));
    left += equation.inputs[i];
    text += "," + spelled(equation.inputs[i]);
  }
  std::string kept;
  std::vector<int64_t> missing;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (left.find(labels[i]) != std::string::npos) {
      kept += labels[i];
    } else if (labels[i] != '.') {
      missing.push_back(axis_of(labels, i));
    } else if (!x.shape().has_rank()) {
      throw unimplemented("the gradient of einsum \"", c.attr<std::string>("equation"),
                          "\" needs the rank of operand ", which);
    } else {
      const auto hidden =
          static_cast<int64_t>(x.shape().rank()) - static_cast<int64_t>(labels.size()) + 1;
      for (int64_t k = 0; k < hidden; ++k) missing.push_back(static_cast<int64_t>(i) + k);
    }
  }
  Output gradient = einsum(text + "->" + spelled(kept), operands);
  if (labels.find('.') == std::string::npos && missing.empty()) return gradient;
  // Front to back for axes from the front, back to front for those from the back: each lands in its
  // final place.
  for (int64_t axis : missing) {
    if (axis >= 0) gradient = expand_dims(gradient, axis);
  }
  for (auto axis = missing.rbegin(); axis != missing.rend(); ++axis) {
    if (*axis < 0) gradient = expand_dims(gradient, *axis);
  }
  const bool whole = missing.empty() && equation.output.find('.') != std::string::npos;
  return sum_to_shape_of(whole ? gradient : gradient + zeros_like(x), x);
}

void einsum_gradient(GradientContext& c) {
  const EinsumEquation equation = parse_einsum(c.attr<std::string>("equation"), c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i)
    c.set(i, einsum_gradient_of(c, equation, static_cast<size_t>(i)));
}

// The dimension of channels, from the front or the back.
int channel_axis(const std::string& data_format) { return data_format == "NCHW" ? 1 : -1; }

void bias_add_shape(ShapeContext& c) {
  const Shape value = c.with_rank_at_least(0, 2);
  const Shape bias = c.with_rank(1, 1);
  if (!value.has_rank()) {
    c.set_output(0, value);
    return;
  }
  const int axis = channel_axis(c.attr<std::string>("data_format"));
  if (!Shape{value.dim(axis)}.is_compatible_with(bias)) {
    throw c.error("value ", value, " has ", value.dim(axis), " channels, the bias ", bias[0]);
  }
  Shape result = value;
  if (value.dim(axis) == kUnknownDim) result.set_dim(axis < 0 ? value.rank() - 1 : axis, bias[0]);
  c.set_output(0, result);
}

void bias_add_gradient(GradientContext& c) {
  c.set(0, c.grad());
  c.set(1, bias_add_grad(c.grad(), {.data_format = c.attr<std::string>("data_format")}));
}

void bias_add_grad_shape(ShapeContext& c) {
  const Shape gradient = c.with_rank_at_least(0, 2);
  c.set_output(0, gradient.has_rank()
                      ? Shape{gradient.dim(channel_axis(c.attr<std::string>("data_format")))}
                      : Shape::unknown_of_rank(1));
}

// Spreads the gradient of the sums over the dimensions that were summed: adding to zeros broadcasts
// it.
void bias_add_grad_gradient(GradientContext& c) {
  c.set(0, bias_add(zeros_like(c.input(0)), c.grad(),
                    {.data_format = c.attr<std::string>("data_format")}));
}

constexpr OpDef kLinalgOps[] = {
    {.name = "MatMul",
     .inputs = {"a: T | Left operand, `[m, k]` (`[k, m]` when transposed).",
                "b: T | Right operand, `[k, n]` (`[n, k]` when transposed)."},
     .outputs = {"product: T | `[m, n]`."},
     .attrs = {"transpose_a: bool = false | Whether a is transposed before the product.",
               "transpose_b: bool = false | Whether b is transposed before the product.",
               "T: {bfloat16, half, float, double, int32, int64, complex64, complex128} | Element "
               "type."},
     .doc = "The product of two matrices. Over k = 0 it is 0.",
     .shape = matmul_shape,
     .gradient = matmul_gradient},
    {.name = "BatchMatMulV2",
     .inputs = {"x: T | `[..., m, k]` (`[..., k, m]` with adj_x).",
                "y: T | `[..., k, n]` (`[..., n, k]` with adj_y)."},
     .outputs = {"output: T | `[..., m, n]`; the leading dimensions of x and y are broadcast."},
     .attrs =
         {"T: {bfloat16, half, float, double, int32, int64, complex64, complex128} | Element "
          "type.",
          "adj_x: bool = false | Whether x is replaced by its adjoint: the last two dimensions "
          "swapped, complex elements conjugated.",
          "adj_y: bool = false | Whether y is replaced by its adjoint."},
     .doc = "Products of the matrices that the last two dimensions hold.",
     .shape = batch_matmul_shape,
     .gradient = batch_matmul_gradient},
    {.name = "Einsum",
     .inputs = {"inputs: N * T | The operands."},
     .outputs = {"output: T | Dimensions as the labels behind `->` say."},
     .attrs = {"equation: string | Labels of each operand's dimensions, `ij,jk->ik`; `...` stands "
               "for dimensions that "
               "broadcast. A label stands once in an operand; diagonals are not taken.",
               "N: int >= 1 | Number of operands.",
               "T: {bfloat16, half, float, double, int32, int64} | Element type."},
     .doc = "Sums of products over all dimensions whose label is not in the result (Einstein's "
            "convention).",
     .shape = einsum_shape,
     .gradient = einsum_gradient},
    {.name = "BiasAdd",
     .inputs = {"value: T | `[..., channels]`, or `[batch, channels, ...]` with NCHW.",
                "bias: T | `[channels]`."},
     .outputs = {"output: T | Shaped as value."},
     .attrs = {"T: {bfloat16, half, float, double, int32, int64} | Element type.",
               "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Whether channels are the last or the "
               "second dimension."},
     .doc = "Adds to each element the bias of its channel.",
     .shape = bias_add_shape,
     .gradient = bias_add_gradient},
    {.name = "BiasAddGrad",
     .inputs = {"out_backprop: T | `[..., channels]`, or `[batch, channels, ...]` with NCHW."},
     .outputs = {"output: T | `[channels]`."},
     .attrs = {"T: {bfloat16, half, float, double, int32, int64} | Element type.",
               "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Whether channels are the last or the "
               "second dimension."},
     .doc = "The gradient of BiasAdd by the bias: the sum over all dimensions but the channels.",
     .shape = bias_add_grad_shape,
     .gradient = bias_add_grad_gradient},
};

}  // namespace

std::span<const OpDef> linalg_ops() { return kLinalgOps; }

Output matmul(Output a, Output b, MatMulOptions options) {
  return add_op("MatMul", {a, b},
                {{"transpose_a", options.transpose_a}, {"transpose_b", options.transpose_b}},
                options.name);
}

Output batch_matmul(Output x, Output y, BatchMatMulOptions options) {
  return add_op("BatchMatMulV2", {x, y}, {{"adj_x", options.adj_x}, {"adj_y", options.adj_y}},
                options.name);
}

Output einsum(std::string_view equation, std::vector<Output> inputs, EinsumOptions options) {
  return add_op("Einsum", std::move(inputs), {{"equation", std::string(equation)}}, options.name);
}

Output bias_add(Output value, Output bias, BiasAddOptions options) {
  return add_op("BiasAdd", {value, bias}, {{"data_format", options.data_format}}, options.name);
}

Output bias_add_grad(Output out_backprop, BiasAddOptions options) {
  return add_op("BiasAddGrad", {out_backprop}, {{"data_format", options.data_format}},
                options.name);
}

}  // namespace thalweg
