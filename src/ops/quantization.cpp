#include "thalweg/ops/quantization.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

using Context = GradientContext;
using shape_functions::same_as_input;

// The shape of a range input: scalar, or for slices along an axis `[size]` of it.
Shape range_shape(const ShapeContext& c, const Shape& x, int64_t axis) {
  if (axis < 0) return Shape{};
  if (!x.has_rank()) return Shape::unknown_of_rank(1);
  if (axis >= x.rank()) throw c.error("axis ", axis, " is outside of ", x);
  return Shape{x[static_cast<int>(axis)]};
}

void check_range(const ShapeContext& c, int first, const Shape& range) {
  for (int i = first; i < first + 2; ++i) {
    if (!c.input(i).is_compatible_with(range)) {
      throw c.error("`", c.input_name(i), "` must have shape ", range, ", got ", c.input(i));
    }
  }
}

void vars_shape(ShapeContext& c) {
  check_range(c, 1, Shape{});
  c.set_output(0, c.input(0));
}

void vars_gradient_shape(ShapeContext& c) {
  check_range(c, 2, Shape{});
  if (!c.input(0).is_compatible_with(c.input(1)))
    throw c.error("`gradients` are ", c.input(0), ", `inputs` ", c.input(1));
  c.set_output(0, c.input(0).merge(c.input(1)));
  c.set_output(1, Shape{});
  c.set_output(2, Shape{});
}

Shape channel_range(const ShapeContext& c, int values) {
  const Shape x = c.with_rank_at_least(values, 1);
  return Shape{x.has_rank() ? x.dim(-1) : kUnknownDim};
}

void per_channel_shape(ShapeContext& c) {
  check_range(c, 1, channel_range(c, 0));
  c.set_output(0, c.input(0));
}

void per_channel_gradient_shape(ShapeContext& c) {
  const Shape range = channel_range(c, 1);
  check_range(c, 2, range);
  if (!c.input(0).is_compatible_with(c.input(1)))
    throw c.error("`gradients` are ", c.input(0), ", `inputs` ", c.input(1));
  c.set_output(0, c.input(0).merge(c.input(1)));
  c.set_output(1, range.merge(c.input(2)).merge(c.input(3)));
  c.set_output(2, range.merge(c.input(2)).merge(c.input(3)));
}

void round_shape(ShapeContext& c) {
  const AttrValue* axis = c.node().find_attr("axis");
  if (c.num_inputs() > 2 && c.attr<bool>("range_given"))
    check_range(c, 1, range_shape(c, c.input(0), axis ? std::get<int64_t>(*axis) : -1));
  if (c.num_inputs() > 3) c.with_rank(3, 0);
  c.set_output(0, c.input(0));
}

void v4_gradient_shape(ShapeContext& c) {
  const Shape range = range_shape(c, c.input(1), c.attr<int64_t>("axis"));
  check_range(c, 2, range);
  if (!c.input(0).is_compatible_with(c.input(1)))
    throw c.error("`gradients` are ", c.input(0), ", `input` is ", c.input(1));
  c.set_output(0, c.input(0).merge(c.input(1)));
  c.set_output(1, range);
  c.set_output(2, range);
}

void quantize_shape(ShapeContext& c) {
  const Shape range = range_shape(c, c.input(0), c.attr<int64_t>("axis"));
  check_range(c, 1, range);
  c.set_output(0, c.input(0));
  if (c.num_outputs() == 1) return;
  c.set_output(1, range);
  c.set_output(2, range);
}

// The op's gradient is an op of its own, with the same attributes: gradients, then the inputs.
Node& gradient_node(Context& c, std::string_view op, std::initializer_list<const char*> attrs) {
  AttrMap kept;
  for (const char* name : attrs) kept.emplace(name, *c.node().find_attr(name));
  std::vector<Output> inputs{c.grad()};
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  return c.graph().add(op, std::move(inputs), std::move(kept));
}

void args_gradient(Context& c) {
  c.set(0, gradient_node(c, "FakeQuantWithMinMaxArgsGradient",
                         {"min", "max", "num_bits", "narrow_range"})
               .output());
}

void set_three(Context& c, Node& node) {
  for (int i = 0; i < 3; ++i) c.set(i, node.output(i));
}

void vars_gradient(Context& c) {
  set_three(c, gradient_node(c, "FakeQuantWithMinMaxVarsGradient", {"num_bits", "narrow_range"}));
}

void per_channel_gradient(Context& c) {
  set_three(c, gradient_node(c, "FakeQuantWithMinMaxVarsPerChannelGradient",
                             {"num_bits", "narrow_range"}));
}

void v4_gradient(Context& c) {
  set_three(c, gradient_node(c, "QuantizeAndDequantizeV4Grad", {"axis"}));
}

// Straight through, as if nothing had been rounded.
void straight_through(Context& c) { c.set(0, c.grad()); }

constexpr const char* kMinAttr = "min: float = -6.0 | Lower end.";
constexpr const char* kMaxAttr = "max: float = 6.0 | Upper end.";
constexpr const char* kBits = "num_bits: int = 8 | Bits of the integers, 2 to 16.";
constexpr const char* kNarrow = "narrow_range: bool = false | Leave the lowest integer out.";
constexpr const char* kGradients = "gradients: float | Gradient of the outputs.";
constexpr const char* kInputs = "inputs: float | Any shape.";
constexpr const char* kLow = "min: float | Lower end, a scalar.";
constexpr const char* kHigh = "max: float | Upper end, a scalar.";
constexpr const char* kLows = "min: float | Lower ends, `[channels]`.";
constexpr const char* kHighs = "max: float | Upper ends, `[channels]`.";
constexpr const char* kOutputs = "outputs: float | The shape of `inputs`.";
constexpr const char* kBackprops =
    "backprops_wrt_input: float | Gradients where `inputs` are inside of the range, else 0.";
constexpr const char* kBelow =
    "backprop_wrt_min: float | Sum of the gradients of what is below; the shape of `min`.";
constexpr const char* kAbove = "backprop_wrt_max: float | Of what is above.";
constexpr std::string_view kSecond = "TensorFlow has none";

constexpr const char* kFloatType = "T: {bfloat16, half, float, double} | Element type.";
constexpr const char* kSigned = "signed_input: bool = true | Whether the integers are signed ones.";
constexpr const char* kDepth = "num_bits: int = 8 | Bits of the integers.";
constexpr const char* kGiven =
    "range_given: bool = false | Whether the range is given; otherwise it is the input's own.";
constexpr const char* kRound =
    "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN' | What halves are rounded to.";
constexpr const char* kAxis =
    "axis: int = -1 | Dimension whose entries have a range each; -1: there is one range.";
constexpr const char* kValues = "input: T | Any shape.";
constexpr const char* kInputMin = "input_min: T | Lower end, a scalar, or one for each slice.";
constexpr const char* kInputMax = "input_max: T | Upper end.";
constexpr const char* kRounded = "output: T | The shape of `input`.";
constexpr std::string_view kRoundDoc =
    "Rounds to what integers under one factor can hold, the largest under which the range fits and "
    "0 stays 0.";
constexpr const char* kIntegerType = "T: {qint8, quint8, qint32, qint16, quint16} | Integer type.";
constexpr const char* kMode =
    "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED' | The lowest integer is the "
    "lower end; the same, and 0 is a step; 0 is 0.";

constexpr OpDef kOps[] = {
    {.name = "FakeQuantWithMinMaxArgs",
     .inputs = {kInputs},
     .outputs = {kOutputs},
     .attrs = {kMinAttr, kMaxAttr, kBits, kNarrow},
     .doc = "Rounds to the steps of a fixed range, which is moved so that 0 is a step.",
     .shape = same_as_input,
     .gradient = args_gradient},
    {.name = "FakeQuantWithMinMaxArgsGradient",
     .inputs = {kGradients, kInputs},
     .outputs = {"backprops: float | Gradients where `inputs` are inside of the range, else 0."},
     .attrs = {kMinAttr, kMaxAttr, kBits, kNarrow},
     .doc = "Gradient of FakeQuantWithMinMaxArgs.",
     .shape = rows::one_shape,
     .no_gradient = kSecond},
    {.name = "FakeQuantWithMinMaxVars",
     .inputs = {kInputs, kLow, kHigh},
     .outputs = {kOutputs},
     .attrs = {kBits, kNarrow},
     .doc = "Rounds to the steps of a range, which is moved so that 0 is a step. All zeros when "
            "both ends are 0.",
     .shape = vars_shape,
     .gradient = vars_gradient},
    {.name = "FakeQuantWithMinMaxVarsGradient",
     .inputs = {kGradients, kInputs, kLow, kHigh},
     .outputs = {kBackprops, kBelow, kAbove},
     .attrs = {kBits, kNarrow},
     .doc = "Gradient of FakeQuantWithMinMaxVars.",
     .shape = vars_gradient_shape,
     .no_gradient = kSecond},
    {.name = "FakeQuantWithMinMaxVarsPerChannel",
     .inputs = {"inputs: float | `[..., channels]`.", kLows, kHighs},
     .outputs = {kOutputs},
     .attrs = {kBits, kNarrow},
     .doc = "FakeQuantWithMinMaxVars with a range for each entry of the last dimension.",
     .shape = per_channel_shape,
     .gradient = per_channel_gradient},
    {.name = "FakeQuantWithMinMaxVarsPerChannelGradient",
     .inputs = {kGradients, "inputs: float | `[..., channels]`.", kLows, kHighs},
     .outputs = {kBackprops, kBelow, kAbove},
     .attrs = {kBits, kNarrow},
     .doc = "Gradient of FakeQuantWithMinMaxVarsPerChannel.",
     .shape = per_channel_gradient_shape,
     .no_gradient = kSecond},
    {.name = "QuantizeAndDequantize",
     .inputs = {kValues},
     .outputs = {kRounded},
     .attrs = {kSigned, kDepth, kGiven, "input_min: float = 0.0 | Lower end.",
               "input_max: float = 0.0 | Upper end.", kFloatType},
     .doc = "The first version of QuantizeAndDequantizeV2, with a fixed range.",
     .shape = round_shape,
     .gradient = straight_through},
    {.name = "QuantizeAndDequantizeV2",
     .inputs = {kValues, kInputMin, kInputMax},
     .outputs = {kRounded},
     .attrs = {kSigned, kDepth, kGiven, kFloatType, kRound, kNarrow, kAxis},
     .doc = kRoundDoc,
     .shape = round_shape,
     .gradient = straight_through},
    {.name = "QuantizeAndDequantizeV3",
     .inputs = {kValues, kInputMin, kInputMax, "num_bits: int32 | Bits of the integers, a scalar."},
     .outputs = {kRounded},
     .attrs = {kSigned, "range_given: bool = true | Whether the range is given.", kFloatType,
               kNarrow, kAxis},
     .doc = kRoundDoc,
     .shape = round_shape,
     .gradient = straight_through},
    {.name = "QuantizeAndDequantizeV4",
     .inputs = {kValues, kInputMin, kInputMax},
     .outputs = {kRounded},
     .attrs = {kSigned, kDepth, kGiven, kFloatType, kRound, kNarrow, kAxis},
     .doc = "QuantizeAndDequantizeV2 whose gradient passes inside of the range only.",
     .shape = round_shape,
     .gradient = v4_gradient},
    {.name = "QuantizeAndDequantizeV4Grad",
     .inputs = {"gradients: T | Gradient of the output.", kValues, kInputMin, kInputMax},
     .outputs = {"input_backprop: T | Gradients where `input` is inside of the range, else 0.",
                 "input_min_backprop: T | Zeros, as TensorFlow has it.",
                 "input_max_backprop: T | Zeros."},
     .attrs = {kFloatType, kAxis},
     .doc = "Gradient of QuantizeAndDequantizeV4.",
     .shape = v4_gradient_shape,
     .no_gradient = kSecond},
    {.name = "QuantizeV2",
     .inputs = {"input: float | Any shape.",
                "min_range: float | Lower end, a scalar, or one for each slice.",
                "max_range: float | Upper end."},
     .outputs = {"output: T | Integers of the shape of `input`.",
                 "output_min: float | Lower end of what they stand for; the shape of `min_range`.",
                 "output_max: float | Upper end."},
     .attrs = {kIntegerType, kMode,
               "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO' | "
               "What halves are rounded to; the second goes with SCALED only.",
               kNarrow, kAxis,
               "ensure_minimum_range: float = 0.01 | Least width of the range, relative to its "
               "larger end or 1."},
     .doc = "Quantizes floats to integers; what is outside of the range takes its end.",
     .shape = quantize_shape,
     .no_gradient = "its output is made of integers"},
    {.name = "Dequantize",
     .inputs = {"input: T | Any shape.",
                "min_range: float | Lower end of what the integers stand for.",
                "max_range: float | Upper end."},
     .outputs = {"output: dtype | The shape of `input`."},
     .attrs = {kIntegerType, kMode, kNarrow, kAxis,
               "dtype: {bfloat16, float} = float | Type of the result."},
     .doc = "What quantized integers stand for.",
     .shape = quantize_shape,
     .no_gradient = "its input is made of integers"},
};

}  // namespace

std::span<const OpDef> quantization_ops() { return kOps; }

Output fake_quant(Output x, float min, float max, const FakeQuantOptions& o) {
  return add_op(
      "FakeQuantWithMinMaxArgs", {x},
      {{"min", min}, {"max", max}, {"num_bits", o.num_bits}, {"narrow_range", o.narrow_range}},
      o.name);
}

Output fake_quant(Output x, Output min, Output max, const FakeQuantOptions& o) {
  return add_op("FakeQuantWithMinMaxVars", {x, min, max},
                {{"num_bits", o.num_bits}, {"narrow_range", o.narrow_range}}, o.name);
}

Output fake_quant_per_channel(Output x, Output min, Output max, const FakeQuantOptions& o) {
  return add_op("FakeQuantWithMinMaxVarsPerChannel", {x, min, max},
                {{"num_bits", o.num_bits}, {"narrow_range", o.narrow_range}}, o.name);
}

Output quantize_and_dequantize(Output x, Output input_min, Output input_max,
                               const QuantizeAndDequantizeOptions& o) {
  return add_op("QuantizeAndDequantizeV4", {x, input_min, input_max},
                {{"signed_input", o.signed_input},
                 {"num_bits", o.num_bits},
                 {"range_given", o.range_given},
                 {"round_mode", std::string(o.half_up ? "HALF_UP" : "HALF_TO_EVEN")},
                 {"narrow_range", o.narrow_range},
                 {"axis", o.axis}},
                o.name);
}

QuantizedTensor quantize(Output x, Output min, Output max, DType dtype, const QuantizeOptions& o) {
  Node& node = x.graph().add(
      "QuantizeV2", {x, min, max},
      {{"T", dtype}, {"mode", o.mode}, {"narrow_range", o.narrow_range}, {"axis", o.axis}},
      {.name = o.name});
  return {node.output(0), node.output(1), node.output(2)};
}

Output dequantize(const QuantizedTensor& x, const QuantizeOptions& o) {
  return add_op("Dequantize", {x.values, x.min, x.max},
                {{"mode", o.mode}, {"narrow_range", o.narrow_range}, {"axis", o.axis}}, o.name);
}

}  // namespace thalweg
