// Ops that only passes make: several ops of the graph in one, for kernels that do them in one go.
// Their names start with an underscore, they never stand in a graph file, and they have no
// gradient: differentiation comes before the passes.
#include <algorithm>

#include "ops/families.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoGradient[] = "it is made by passes, after differentiation";

constexpr char kFloat[] = "T: {float, double, half, bfloat16} | Element type.";
constexpr char kFusedOps[] =
    "fused_ops: list(string) = [] | What follows, in order: BiasAdd, then at most one activation.";
constexpr char kNumArgs[] = "num_args: int >= 0 | How many args there are.";
constexpr char kArgs[] = "args: num_args * T | The bias.";
constexpr char kAlpha[] = "alpha: float = 0.2 | Of LeakyRelu.";
constexpr char kStrides[] = "strides: list(int) | As in Conv2D.";
constexpr char kCudnn[] = "use_cudnn_on_gpu: bool = true | As in Conv2D.";
constexpr char kPadding[] = "padding: {'SAME', 'VALID', 'EXPLICIT'} | As in Conv2D.";
constexpr char kExplicit[] = "explicit_paddings: list(int) = [] | As in Conv2D.";
constexpr char kFormat[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC' | As in Conv2D.";
constexpr char kDilations[] = "dilations: list(int) = [1, 1, 1, 1] | As in Conv2D.";

// The shape of the op that a fused one begins with.
void shape_of_op(ShapeContext& c, std::span<const OpDef> family, std::string_view name) {
  const auto row = std::find_if(family.begin(), family.end(),
                                [&](const OpDef& def) { return def.name == name; });
  THALWEG_CHECK(row != family.end(), "no op ", name);
  row->shape(c);
}

void check_epilogue(ShapeContext& c) {
  const auto& ops = c.attr<std::vector<std::string>>("fused_ops");
  const bool bias = !ops.empty() && ops[0] == "BiasAdd";
  if (c.attr<int64_t>("num_args") != (bias ? 1 : 0) || ops.size() > (bias ? 2u : 1u)) {
    throw c.error("fused_ops ", ops, " do not fit ", c.attr<int64_t>("num_args"), " args");
  }
}

void fused_matmul_shape(ShapeContext& c) {
  check_epilogue(c);
  const bool ta = c.attr<bool>("transpose_a");
  const bool tb = c.attr<bool>("transpose_b");
  c.set_output(0, Shape{c.with_rank(0, 2)[ta ? 1 : 0], c.with_rank(1, 2)[tb ? 0 : 1]});
}

void matmul_bias_grad_shape(ShapeContext& c) {
  const Shape a = c.with_rank(0, 2);
  const Shape grad = c.with_rank(1, 2);
  c.set_output(0, Shape{a[1], grad[1]});
  c.set_output(1, Shape{grad[1]});
}

void filter_bias_shape(ShapeContext& c) {
  const Shape filter = c.constant_shape(1);
  c.set_output(0, filter);
  c.set_output(1, filter.rank() == 4 ? Shape{filter[3]} : Shape{kUnknownDim});
}

void elementwise_shape(ShapeContext& c) {
  Shape shape = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) shape = broadcast(shape, c.input(i));
  c.set_output(0, shape);
}

constexpr OpDef kFusedOpsTable[] = {
    {.name = "_FusedMatMul",
     .inputs = {"a: T | Left operand.", "b: T | Right operand.", kArgs},
     .outputs = {"product: T | `[m, n]`."},
     .attrs = {"transpose_a: bool = false | As in MatMul.",
               "transpose_b: bool = false | As in MatMul.", kFloat, kNumArgs, kFusedOps, kAlpha},
     .doc = "MatMul with bias and activation.",
     .shape = fused_matmul_shape,
     .no_gradient = kNoGradient},
    {.name = "_FusedConv2D",
     .inputs = {"input: T | Images.", "filter: T | As in Conv2D.", kArgs},
     .outputs = {"output: T | Images."},
     .attrs = {kFloat, kNumArgs, kFusedOps, kAlpha, kStrides, kCudnn, kPadding, kExplicit, kFormat,
               kDilations},
     .doc = "Conv2D with bias and activation.",
     .shape =
         [](ShapeContext& c) {
           check_epilogue(c);
           shape_of_op(c, convolution_ops(), "Conv2D");
         },
     .no_gradient = kNoGradient},
    {.name = "_FusedDepthwiseConv2dNative",
     .inputs = {"input: T | Images.", "filter: T | As in DepthwiseConv2dNative.", kArgs},
     .outputs = {"output: T | Images."},
     .attrs = {kFloat, kNumArgs, kFusedOps, kAlpha, kStrides, kPadding, kExplicit, kFormat,
               kDilations},
     .doc = "DepthwiseConv2dNative with bias and activation.",
     .shape =
         [](ShapeContext& c) {
           check_epilogue(c);
           shape_of_op(c, convolution_ops(), "DepthwiseConv2dNative");
         },
     .no_gradient = kNoGradient},
    {.name = "_MatMulBiasGrad",
     .inputs = {"a: T | The layer's input, `[batch, k]`.",
                "grad: T | The gradient of its output, `[batch, n]`."},
     .outputs = {"product: T | The gradient of the weights, `[k, n]`.",
                 "bias_grad: T | Of the bias, `[n]`."},
     .attrs = {kFloat},
     .doc = "MatMul(a, grad, transpose_a) and BiasAddGrad(grad).",
     .shape = matmul_bias_grad_shape,
     .no_gradient = kNoGradient},
    {.name = "_Conv2DBackpropFilterBias",
     .inputs = {"input: T | Images.", "filter_sizes: int32 | The shape of the filter.",
                "out_backprop: T | The gradient of the convolution's output."},
     .outputs = {"filter_backprop: T | The gradient of the filter.",
                 "bias_grad: T | Of the bias, `[channels]`."},
     .attrs = {kFloat, kStrides, kCudnn, kPadding, kExplicit, kFormat, kDilations},
     .doc = "Conv2DBackpropFilter and BiasAddGrad(out_backprop).",
     .shape = filter_bias_shape,
     .no_gradient = kNoGradient},
    {.name = "_FusedElementwise",
     .inputs = {"args: N * T | Operands: of the result's shape, or broadcast to it."},
     .outputs = {"y: T | The last instruction's result."},
     .attrs = {"N: int >= 1 | How many args there are.", kFloat,
               "ops: list(string) >= 1 | The instructions: unary and binary ops, and _MulAdd.",
               "operands: list(int) | Three an instruction, -1 where unused: below N an arg, else "
               "N + an earlier "
               "instruction.",
               "alphas: list(float) | One an instruction: LeakyRelu's alpha, else 0."},
     .doc = "A chain of element-wise ops, computed tile by tile without writing what lies between.",
     .shape = elementwise_shape,
     .no_gradient = kNoGradient},
    {.name = "_FusedResourceApply",
     .inputs = {"args: Targs | The inputs of the first update, then of the second, ..."},
     .attrs = {"Targs: list(type) >= 1 | Types of args.",
               "op: string | The update op, such as ResourceApplyAdam.",
               "num_updates: int >= 1 | How many updates there are.",
               "use_nesterov: bool = false | Of the update op, where it has it.",
               "update_slots: bool = true | Of the update op, where it has it.",
               "multiply_linear_by_lr: bool = false | Of the update op, where it has it."},
     .doc = "All updates of one optimizer in one pass.",
     .shape = shape_functions::none,
     .no_gradient = kNoGradient,
     .effect = Effect::kWrites},
};

}  // namespace

std::span<const OpDef> fused_ops() { return kFusedOpsTable; }

}  // namespace thalweg
