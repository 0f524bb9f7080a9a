#include "thalweg/ops/rnn.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// The number of cells, as far as the state or the bias tells.
int64_t cells(const ShapeContext& c, int cs_prev, int bias) {
  const Shape state = c.with_rank(cs_prev, 2), b = c.with_rank(bias, 1);
  if (state[1] == kUnknownDim) return b[0] == kUnknownDim ? kUnknownDim : b[0] / 4;
  if (b[0] != kUnknownDim && b[0] != 4 * state[1]) {
    throw c.error("`b` must have 4 * ", state[1], " entries, got ", b);
  }
  return state[1];
}

void check(const ShapeContext& c, int i, const Shape& wanted) {
  if (!c.input(i).is_compatible_with(wanted))
    throw c.error("`", c.input_name(i), "` must have shape ", wanted, ", got ", c.input(i));
}

// cs_prev, h_prev, w, wci, wcf, wco, b from input `x` + 1 on. Tells batch, input and cell sizes.
struct LstmShapes {
  int64_t batch, input, cell;
  LstmShapes(const ShapeContext& c, int x, const Shape& x_shape)
      : batch(x_shape.dim(-2)), input(x_shape.dim(-1)), cell(cells(c, x + 1, x + 7)) {
    check(c, x + 1, Shape{batch, cell});
    check(c, x + 2, Shape{batch, cell});
    if (batch == kUnknownDim) batch = c.input(x + 1).has_rank() ? c.input(x + 1)[0] : kUnknownDim;
    check(c, x + 3, Shape{add_dims(input, cell), columns()});
    if (!c.attr<bool>("use_peephole")) return;
    for (int i = x + 4; i < x + 7; ++i) check(c, i, Shape{cell});
  }
  int64_t columns() const { return multiply_dims(4, cell); }
};

// What the forward op made and the gradients that came, which are all shaped as its outputs.
void check_rest(const ShapeContext& c, int first, const Shape& wanted) {
  for (int i = first; i < c.num_inputs(); ++i) check(c, i, wanted);
}

void lstm_cell_shape(ShapeContext& c) {
  const LstmShapes s(c, 0, c.with_rank(0, 2));
  for (int i = 0; i < 7; ++i) c.set_output(i, Shape{s.batch, s.cell});
}

void lstm_cell_grad_shape(ShapeContext& c) {
  const LstmShapes s(c, 0, c.with_rank(0, 2));
  check_rest(c, 8, Shape{s.batch, s.cell});
  c.set_output(0, Shape{s.batch, s.cell});
  c.set_output(1, Shape{s.batch, s.columns()});
  for (int i = 2; i < 5; ++i) c.set_output(i, Shape{s.cell});
}

void block_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  const Shape x = c.with_rank(1, 3);
  const LstmShapes s(c, 1, x);
  for (int i = 0; i < 7; ++i) c.set_output(i, Shape{x[0], s.batch, s.cell});
}

void block_grad_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  const Shape x = c.with_rank(1, 3);
  const LstmShapes s(c, 1, x);
  check_rest(c, 9, Shape{x[0], s.batch, s.cell});
  c.set_output(0, x);
  c.set_output(1, Shape{s.batch, s.cell});
  c.set_output(2, Shape{s.batch, s.cell});
  c.set_output(3, c.input(4).has_rank() ? c.input(4) : Shape{kUnknownDim, s.columns()});
  for (int i = 4; i < 7; ++i) c.set_output(i, Shape{s.cell});
  c.set_output(7, Shape{s.columns()});
}

void gru_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 2), h = c.with_rank(1, 2);
  check(c, 0, Shape{h[0], kUnknownDim});
  const int64_t cell = h[1];
  const int64_t rows = add_dims(x[1], cell);
  const int64_t both = multiply_dims(2, cell);
  check(c, 2, Shape{rows, both});
  check(c, 3, Shape{rows, cell});
  check(c, 4, Shape{both});
  check(c, 5, Shape{cell});
  const int64_t batch = x[0] == kUnknownDim ? h[0] : x[0];
  check_rest(c, 6, Shape{batch, cell});
  if (c.num_outputs() == 4 && c.num_inputs() == 6) {
    for (int i = 0; i < 4; ++i) c.set_output(i, Shape{batch, cell});
    return;
  }
  c.set_output(0, Shape{batch, x[1]});
  c.set_output(1, Shape{batch, cell});
  c.set_output(2, Shape{batch, cell});
  c.set_output(3, Shape{batch, both});
}

Output grad_or_zeros(Context& c, int i) { return c.grad(i) ? c.grad(i) : zeros_like(c.output(i)); }

// The gradient of [x, h] w + b by x, h, w and b, from that of the product.
void product_gradients(Context& c, Output gradient, int x, int h, int w, int b) {
  const Output joined = matmul(gradient, c.input(w), {.transpose_b = true});
  const Output x_shape = shape_of(c.input(x)), h_shape = shape_of(c.input(h));
  const Output behind = x_shape * constant(c.graph(), Tensor::of<int32_t>({0, 1}));
  c.set(x, slice(joined, {0, 0}, x_shape));
  c.set(h, slice(joined, behind, h_shape));
  c.set(w, matmul(concat({c.input(x), c.input(h)}, 1), gradient, {.transpose_a = true}));
  c.set(b, reduce_sum(gradient, 0));
}

void lstm_cell_gradient(Context& c) {
  std::vector<Output> inputs;
  for (int i = 0; i < 8; ++i) inputs.push_back(c.input(i));
  for (int i = 0; i < 6; ++i) inputs.push_back(c.output(i));
  inputs.push_back(grad_or_zeros(c, 1));
  inputs.push_back(grad_or_zeros(c, 6));
  Node& node = c.graph().add("LSTMBlockCellGrad", std::move(inputs),
                             {{"use_peephole", c.attr<bool>("use_peephole")}});
  product_gradients(c, node.output(1), 0, 2, 3, 7);
  c.set(1, node.output(0));
  for (int i = 0; i < 3; ++i) c.set(4 + i, node.output(2 + i));
}

template <const char* kOp>
void block_gradient(Context& c) {
  std::vector<Output> inputs;
  for (int i = 0; i < 9; ++i) inputs.push_back(c.input(i));
  for (int i = 0; i < 7; ++i) inputs.push_back(c.output(i));
  inputs.push_back(grad_or_zeros(c, 1));
  inputs.push_back(grad_or_zeros(c, 6));
  Node& node =
      c.graph().add(kOp, std::move(inputs), {{"use_peephole", c.attr<bool>("use_peephole")}});
  for (int i = 0; i < 8; ++i) c.set(1 + i, node.output(i));
}

void gru_gradient(Context& c) {
  const Output x = c.input(0), h = c.input(1), r = c.output(0);
  std::vector<Output> inputs;
  for (int i = 0; i < 6; ++i) inputs.push_back(c.input(i));
  for (int i = 0; i < 3; ++i) inputs.push_back(c.output(i));
  inputs.push_back(grad_or_zeros(c, 3));
  Node& node = c.graph().add("GRUBlockCellGrad", std::move(inputs));
  const Output d_c = node.output(2), d_ru = node.output(3);
  c.set(0, node.output(0));
  c.set(1, node.output(1));
  c.set(2, matmul(concat({x, h}, 1), d_ru, {.transpose_a = true}));
  c.set(3, matmul(concat({x, h * r}, 1), d_c, {.transpose_a = true}));
  c.set(4, reduce_sum(d_ru, 0));
  c.set(5, reduce_sum(d_c, 0));
}

constexpr char kBlockGrad[] = "BlockLSTMGrad";
constexpr char kBlockGradV2[] = "BlockLSTMGradV2";

constexpr const char* kType = "T: {half, float} | Element type.";
constexpr const char* kForget = "forget_bias: float = 1.0 | Added to the forget gate.";
constexpr const char* kClip = "cell_clip: float = 3.0 | Bound of |cs|; none when not above 0.";
constexpr const char* kPeep = "use_peephole: bool = false | Whether gates see the cell's state.";
constexpr const char* kNeedPeep = "use_peephole: bool | Whether gates see the cell's state.";
constexpr const char* kX = "x: T | Input, `[batch, input]`.";
constexpr const char* kXs = "x: T | Inputs, `[time, batch, input]`.";
constexpr const char* kLength = "seq_len_max: int64 | Steps that count; later ones give zeros.";
constexpr const char* kCs = "cs_prev: T | Cell state before, `[batch, cell]`.";
constexpr const char* kH = "h_prev: T | Output before, `[batch, cell]`.";
constexpr const char* kW =
    "w: T | Weights, `[input + cell, 4 * cell]`: gates i, c, f, o (V2: i, f, c, o).";
constexpr const char* kWci = "wci: T | Peephole weights of the input gate, `[cell]`.";
constexpr const char* kWcf = "wcf: T | Of the forget gate.";
constexpr const char* kWco = "wco: T | Of the output gate.";
constexpr const char* kB = "b: T | Bias, `[4 * cell]`.";
constexpr const char* kI = "i: T | Input gate.";
constexpr const char* kCsOut = "cs: T | Cell state.";
constexpr const char* kF = "f: T | Forget gate.";
constexpr const char* kO = "o: T | Output gate.";
constexpr const char* kCi = "ci: T | Candidate.";
constexpr const char* kCo = "co: T | Tanh of the cell state.";
constexpr const char* kHOut = "h: T | Output.";
constexpr std::string_view kSecond = "TensorFlow has no second derivatives of its fused cells";

constexpr std::string_view kBlockDoc =
    "An LSTM over a sequence; results of all steps are `[time, batch, cell]`.";

constexpr OpDef block(std::string_view name, Specs attrs, GradientFunction gradient) {
  return {.name = name,
          .inputs = {kLength, kXs, kCs, kH, kW, kWci, kWcf, kWco, kB},
          .outputs = {kI, kCsOut, kF, kO, kCi, kCo, kHOut},
          .attrs = attrs,
          .doc = kBlockDoc,
          .shape = block_shape,
          .gradient = gradient};
}

constexpr OpDef block_grad(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {kLength, kXs, kCs, kH, kW, kWci, kWcf, kWco, kB, kI, kCsOut, kF, kO, kCi, kCo,
                     kHOut, "cs_grad: T | Gradient of `cs`.", "h_grad: T | Gradient of `h`."},
          .outputs = {"x_grad: T | Gradient of `x`.", "cs_prev_grad: T | Of `cs_prev`.",
                      "h_prev_grad: T | Of `h_prev`.", "w_grad: T | Of `w`.",
                      "wci_grad: T | Of `wci`; zeros without peepholes.", "wcf_grad: T | Of `wcf`.",
                      "wco_grad: T | Of `wco`.", "b_grad: T | Of `b`."},
          .attrs = {kNeedPeep, kType},
          .doc = doc,
          .shape = block_grad_shape,
          .no_gradient = kSecond};
}

constexpr OpDef kOps[] = {
    {.name = "LSTMBlockCell",
     .inputs = {kX, kCs, kH, kW, kWci, kWcf, kWco, kB},
     .outputs = {kI, kCsOut, kF, kO, kCi, kCo, kHOut},
     .attrs = {kForget, kClip, kPeep, kType},
     .doc = "One step of an LSTM; results are `[batch, cell]`.",
     .shape = lstm_cell_shape,
     .gradient = lstm_cell_gradient},
    {.name = "LSTMBlockCellGrad",
     .inputs = {kX, kCs, kH, kW, kWci, kWcf, kWco, kB, kI, kCsOut, kF, kO, kCi, kCo,
                "cs_grad: T | Gradient of `cs`.", "h_grad: T | Gradient of `h`."},
     .outputs = {"cs_prev_grad: T | Gradient of `cs_prev`.",
                 "dicfo: T | Of the gates before their functions, `[batch, 4 * cell]`.",
                 "wci_grad: T | Of `wci`; zeros without peepholes.", "wcf_grad: T | Of `wcf`.",
                 "wco_grad: T | Of `wco`."},
     .attrs = {kNeedPeep, kType},
     .doc = "Gradient of LSTMBlockCell, up to the product with the weights. Clipping passes it.",
     .shape = lstm_cell_grad_shape,
     .no_gradient = kSecond},
    block("BlockLSTM", {kForget, kClip, kPeep, kType}, block_gradient<kBlockGrad>),
    block("BlockLSTMV2",
          {"cell_clip: float = 0.0 | Bound of |cs|; none when not above 0.", kPeep, kType},
          block_gradient<kBlockGradV2>),
    block_grad("BlockLSTMGrad", "Gradient of BlockLSTM."),
    block_grad("BlockLSTMGradV2", "Gradient of BlockLSTMV2."),
    {.name = "GRUBlockCell",
     .inputs = {kX, kH,
                "w_ru: T | Weights of the reset and update gates, `[input + cell, 2 * cell]`.",
                "w_c: T | Weights of the candidate, `[input + cell, cell]`.",
                "b_ru: T | Bias of the gates, `[2 * cell]`.",
                "b_c: T | Bias of the candidate, `[cell]`."},
     .outputs = {"r: T | Reset gate.", "u: T | Update gate.", "c: T | Candidate.",
                 "h: T | New state, u * h_prev + (1 - u) * c."},
     .attrs = {"T: {float} | Element type."},
     .doc = "One step of a GRU; results are `[batch, cell]`.",
     .shape = gru_shape,
     .gradient = gru_gradient},
    {.name = "GRUBlockCellGrad",
     .inputs = {kX, kH, "w_ru: T | As in GRUBlockCell.", "w_c: T | As there.",
                "b_ru: T | As there.", "b_c: T | As there.", "r: T | Reset gate.",
                "u: T | Update gate.", "c: T | Candidate.", "d_h: T | Gradient of `h`."},
     .outputs = {"d_x: T | Gradient of `x`.", "d_h_prev: T | Of `h_prev`.",
                 "d_c_bar: T | Of the candidate before its function, `[batch, cell]`.",
                 "d_r_bar_u_bar: T | Of the gates before theirs, `[batch, 2 * cell]`."},
     .attrs = {"T: {float} | Element type."},
     .doc = "Gradient of GRUBlockCell, up to the products with the weights.",
     .shape = gru_shape,
     .no_gradient = kSecond},
};

// wci, wcf, wco: the given ones or zeros, and whether they are given.
bool add_peepholes(const LstmWeights& weights, std::vector<Output>& inputs) {
  const int given = !!weights.wci + !!weights.wcf + !!weights.wco;
  if (given != 0 && given != 3)
    throw invalid_argument("of the peephole weights wci, wcf and wco ", given,
                           " are given; give "
                           "all or none");
  const Shape& bias = weights.bias.shape();
  if (given == 0 && !bias.is_fully_defined())
    throw invalid_argument("the bias of an LSTM must have a known size, got ", bias);
  const Output none =
      given == 0 ? zeros(weights.bias.graph(), weights.bias.dtype(), Shape{bias.num_elements() / 4})
                 : Output();
  for (const Output& w : {weights.wci, weights.wcf, weights.wco})
    inputs.push_back(given == 0 ? none : w);
  return given == 3;
}

}  // namespace

std::span<const OpDef> rnn_ops() { return kOps; }

LstmStates lstm_sequence(Output x, Output seq_len_max, const LstmStates& initial,
                         const LstmWeights& weights, const LstmOptions& options) {
  std::vector<Output> inputs{seq_len_max, x, initial.c, initial.h, weights.kernel};
  const bool peephole = add_peepholes(weights, inputs);
  inputs.push_back(weights.bias);
  Node& node = x.graph().add("BlockLSTMV2", std::move(inputs),
                             {{"cell_clip", options.cell_clip}, {"use_peephole", peephole}},
                             {.name = options.name});
  return {node.output(1), node.output(6)};
}

LstmStates lstm_cell(Output x, const LstmStates& previous, const LstmWeights& weights,
                     const LstmCellOptions& options) {
  std::vector<Output> inputs{x, previous.c, previous.h, weights.kernel};
  const bool peephole = add_peepholes(weights, inputs);
  inputs.push_back(weights.bias);
  Node& node = x.graph().add("LSTMBlockCell", std::move(inputs),
                             {{"forget_bias", options.forget_bias},
                              {"cell_clip", options.cell_clip},
                              {"use_peephole", peephole}},
                             {.name = options.name});
  return {node.output(1), node.output(6)};
}

Output gru_cell(Output x, Output h_prev, const GruWeights& weights, const GruCellOptions& options) {
  return x.graph()
      .add("GRUBlockCell", {x, h_prev, weights.w_ru, weights.w_c, weights.b_ru, weights.b_c}, {},
           {.name = options.name})
      .output(3);
}

}  // namespace thalweg
