// simplify: algebra that holds bit for bit (or better) for every value, infinities, NaN and the
// sign of zero included, and movements that move nothing. Sums whose order changes may round
// otherwise.
#include <algorithm>
#include <cmath>

#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

bool is_splat(const Output& output, double value) {
  const Tensor* tensor = constant_value(output);
  if (tensor == nullptr || !is_numeric(tensor->dtype()) || tensor->num_elements() == 0)
    return false;
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    if (tensor->at(i) != value) return false;
  }
  return true;
}

// Whether x + output is x for every x: -0.0 + 0.0 is 0.0, so that only -0.0 changes no float.
bool adds_nothing(const Output& output) {
  if (!is_splat(output, 0)) return false;
  if (!is_floating(output.dtype())) return true;
  const Tensor& tensor = *constant_value(output);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (!std::signbit(tensor.at(i))) return false;
  }
  return true;
}

// The same of x - output, where only 0.0 does.
bool subtracts_nothing(const Output& output) {
  if (!is_splat(output, 0)) return false;
  const Tensor& tensor = *constant_value(output);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (std::signbit(tensor.at(i))) return false;
  }
  return true;
}

// Dimensions that a constant names, counted from the start; those of a tensor of `rank` dimensions.
std::optional<std::vector<int64_t>> constant_axes(const Output& output, int rank) {
  const Tensor* tensor = constant_value(output);
  if (tensor == nullptr || !is_integer(tensor->dtype()) || rank < 0) return std::nullopt;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    const auto axis = static_cast<int64_t>(tensor->at(i));
    axes.push_back(axis < 0 ? axis + rank : axis);
  }
  return axes;
}

// The constant permutation of a Transpose, which has an entry for each dimension.
std::optional<std::vector<int64_t>> constant_permutation(const Output& output) {
  const Tensor* tensor = constant_value(output);
  return tensor == nullptr ? std::nullopt
                           : constant_axes(output, static_cast<int>(tensor->num_elements()));
}

bool is_known(const Shape& shape) { return shape.is_fully_defined(); }

class Simplify : public Rewriter {
 public:
  explicit Simplify(const PlanGraph& source) : Rewriter(source) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (node.effect() != Effect::kNone || is_pinned(node) || !node.control_inputs().empty() ||
        inputs.empty()) {
      return copy(node, inputs);
    }
    if (const Output same = unchanged(node, inputs)) return {same};
    if (const Output simpler = rephrased(node, inputs)) return {simpler};
    return copy(node, inputs);
  }

 private:
  // The input that the node passes on as it is; nothing when it does something.
  static Output unchanged(const Node& node, const std::vector<Output>& in) {
    const std::string_view type = node.type();
    const Shape& result = node.output_shape(0);
    const auto keeps_shape = [&](const Output& x) {
      return is_known(x.shape()) && x.shape() == result;
    };
    if (type == "Identity" || type == "StopGradient" || type == "PreventGradient") return in[0];
    if (type == "AddN" && in.size() == 1) return in[0];
    if ((type == "Reshape" || type == "BroadcastTo" || type == "Squeeze" || type == "Tile") &&
        keeps_shape(in[0])) {
      return in[0];
    }
    if (type == "Cast" && in[0].dtype() == node.output_dtype(0)) return in[0];
    if ((type == "AddV2" || type == "Add") && adds_nothing(in[1]) && keeps_shape(in[0]))
      return in[0];
    if ((type == "AddV2" || type == "Add") && adds_nothing(in[0]) && keeps_shape(in[1]))
      return in[1];
    if (type == "Sub" && subtracts_nothing(in[1]) && keeps_shape(in[0])) return in[0];
    if ((type == "Mul" || type == "RealDiv") && is_splat(in[1], 1) && keeps_shape(in[0]))
      return in[0];
    if (type == "Mul" && is_splat(in[0], 1) && keeps_shape(in[1])) return in[1];
    if (type == "Pow" && is_splat(in[1], 1) && keeps_shape(in[0])) return in[0];
    if (type == "Neg" && in[0].node()->type() == "Neg") return in[0].node()->input(0);
    if (type == "Transpose") {
      const auto perm = constant_permutation(in[1]);
      if (perm && std::is_sorted(perm->begin(), perm->end())) return in[0];
    }
    if (is_reduction(type)) {
      const Tensor* axes = constant_value(in[1]);
      if (axes != nullptr && axes->num_elements() == 0) return in[0];
    }
    return {};
  }

  static bool is_reduction(std::string_view type) {
    return type == "Sum" || type == "Mean" || type == "Max" || type == "Min" || type == "Prod";
  }

  // The same value from a cheaper or better known op; nothing when there is none.
  Output rephrased(const Node& node, const std::vector<Output>& in) {
    const std::string_view type = node.type();
    if (type == "AddN" && in.size() == 2 && in[0].shape() == in[1].shape() &&
        is_numeric(in[0].dtype())) {
      return replace(node, "AddV2", in, {}).output();
    }
    if (type == "Reshape" && in[0].node()->type() == "Reshape") {
      const Output whole = in[0].node()->input(0);
      if (is_known(whole.shape()) && whole.shape() == node.output_shape(0)) return whole;
      return replace(node, "Reshape", {whole, in[1]}, {}).output();
    }
    if (const Output moved = ahead_of_reshape(node, in)) return moved;
    if (type == "Transpose") return transpose_twice(node, in);
    if (type == "MatMul") return transposed_operand(node, in);
    if (type == "AddV2" || type == "Add") {
      if (const Output sum = as_bias_add(node, in)) return sum;
    }
    if (type == "Sum") return as_bias_gradient(node, in);
    // Not Sqrt for a power of 0.5: they differ at -inf and at -0.0.
    if (type == "Pow" && is_splat(in[1], 2) && is_known(in[0].shape()) &&
        in[0].shape() == node.output_shape(0)) {
      return replace(node, "Square", {in[0]}, {}).output();
    }
    return without_broadcast(node, in);
  }

  Output transpose_twice(const Node& node, const std::vector<Output>& in) {
    const Node& inner = *in[0].node();
    if (inner.type() != "Transpose") return {};
    const auto outer_perm = constant_permutation(in[1]);
    const auto inner_perm = constant_permutation(inner.input(1));
    if (!outer_perm || !inner_perm) return {};
    std::vector<int32_t> perm;
    for (int64_t p : *outer_perm)
      perm.push_back(static_cast<int32_t>((*inner_perm)[static_cast<size_t>(p)]));
    if (std::is_sorted(perm.begin(), perm.end())) return inner.input(0);
    const Output together = constant(node, Tensor::from(std::span<const int32_t>(perm),
                                                        Shape{static_cast<int64_t>(perm.size())}));
    return replace(node, "Transpose", {inner.input(0), together}, {}).output();
  }

  // matmul(transpose(a), b) reads a the other way round instead of moving it.
  Output transposed_operand(const Node& node, const std::vector<Output>& in) {
    std::vector<Output> operands = in;
    AttrMap attrs = node.attrs();
    bool changed = false;
    for (size_t i = 0; i < 2; ++i) {
      const Node& producer = *in[i].node();
      if (producer.type() != "Transpose") continue;
      const auto perm = constant_permutation(producer.input(1));
      if (!perm || *perm != std::vector<int64_t>{1, 0}) continue;
      operands[i] = producer.input(0);
      const char* flag = i == 0 ? "transpose_a" : "transpose_b";
      attrs[flag] = !std::get<bool>(attrs[flag]);
      changed = true;
    }
    return changed ? replace(node, "MatMul", std::move(operands), std::move(attrs)).output()
                   : Output();
  }

  // Whether `output` is a product of matrices, with a bias perhaps, in another shape that nothing
  // but `user` looks at.
  bool is_reshaped_product(const Node& user, size_t input, const Output& output) const {
    const Node& reshape = *output.node();
    if (reshape.type() != "Reshape" || !is_floating(output.dtype()) ||
        !has_single_use(*user.input(static_cast<int>(input)).node())) {
      return false;
    }
    const Node& maker = *reshape.input(0).node();
    return maker.type() == "MatMul" ||
           (maker.type() == "BiasAdd" && maker.input(0).node()->type() == "MatMul");
  }

  // f(reshape(product)) as reshape(f(product)) for an f that joins the product.
  Output ahead_of_reshape(const Node& node, const std::vector<Output>& in) {
    static constexpr std::string_view kJoining[] = {"BiasAdd", "Relu",    "Relu6",    "Elu",
                                                    "Tanh",    "Sigmoid", "LeakyRelu"};
    if (std::find(std::begin(kJoining), std::end(kJoining), node.type()) == std::end(kJoining) ||
        !is_reshaped_product(node, 0, in[0])) {
      return {};
    }
    std::vector<Output> operands = in;
    operands[0] = in[0].node()->input(0);
    if (node.type() == "BiasAdd" &&
        (node.attr<std::string>("data_format") != "NHWC" || !is_known(in[1].shape()) ||
         operands[0].node()->type() != "MatMul" ||
         operands[0].shape().dim(-1) != in[1].shape()[0])) {
      return {};
    }
    const Output product = replace(node, node.type(), std::move(operands), node.attrs()).output();
    return replace(node, "Reshape", {product, in[0].node()->input(1)}, {}).output();
  }

  // The same for a sum that becomes a bias: what is added has the last dimensions of the reshaped
  // product, which are the columns of the product.
  Output as_bias_of_reshaped(const Node& node, size_t which, const std::vector<Output>& in) {
    const Output value = in[which];
    Output bias = in[1 - which];
    const int rank = bias.shape().rank();
    if (!is_reshaped_product(node, which, value)) return {};
    const Output product = value.node()->input(0);
    if (product.node()->type() != "MatMul" || !is_known(bias.shape()) || rank < 1 ||
        rank >= value.shape().rank() || !is_known(value.shape()) ||
        !(value.shape().slice(-rank) == bias.shape()) ||
        product.shape().dim(-1) != bias.shape().num_elements()) {
      return {};
    }
    if (rank > 1) {
      const Output columns = constant(node, Tensor::of<int64_t>({bias.shape().num_elements()}));
      bias = replace(node, "Reshape", {bias, columns}, {}).output();
    }
    const Output sum = replace(node, "BiasAdd", {product, bias}, {}).output();
    return replace(node, "Reshape", {sum, value.node()->input(1)}, {}).output();
  }

  // A row added to a matrix product or to images is a bias, which fuses with what makes them.
  Output as_bias_add(const Node& node, const std::vector<Output>& in) {
    for (size_t i = 0; i < 2; ++i) {
      if (const Output sum = as_bias_of_reshaped(node, i, in)) return sum;
      const Output value = in[i];
      const Output bias = in[1 - i];
      const std::string_view producer = value.node()->type();
      if (producer != "MatMul" && producer != "Conv2D") continue;
      if (producer == "Conv2D" && value.node()->attr<std::string>("data_format") != "NHWC")
        continue;
      if (bias.shape().rank() != 1 || !is_known(bias.shape()) ||
          bias.shape()[0] != value.shape().dim(-1))
        continue;
      if (!is_floating(value.dtype())) continue;
      return replace(node, "BiasAdd", {value, bias}, {}).output();
    }
    return {};
  }

  // The sum over all dimensions but the last is a bias gradient.
  Output as_bias_gradient(const Node& node, const std::vector<Output>& in) {
    const int rank = in[0].shape().rank();
    const auto axes = constant_axes(in[1], rank);
    if (!axes || rank < 2 || node.attr<bool>("keep_dims") || !is_floating(in[0].dtype())) return {};
    std::vector<bool> summed(static_cast<size_t>(rank), false);
    for (int64_t axis : *axes) summed[static_cast<size_t>(axis)] = true;
    const bool all_but_last =
        std::count(summed.begin(), summed.end(), true) == rank - 1 && !summed.back();
    return all_but_last ? replace(node, "BiasAddGrad", {in[0]}, {}).output() : Output();
  }

  // x * broadcast_to(s, shape of x) needs no broadcast: the product does it by itself.
  Output without_broadcast(const Node& node, const std::vector<Output>& in) {
    static constexpr std::string_view kBinary[] = {"AddV2",   "Add", "Sub",     "Mul",
                                                   "RealDiv", "Div", "Maximum", "Minimum"};
    if (std::find(std::begin(kBinary), std::end(kBinary), node.type()) == std::end(kBinary))
      return {};
    for (size_t i = 0; i < 2; ++i) {
      const Node& producer = *in[i].node();
      if (producer.type() != "BroadcastTo" || !is_known(in[1 - i].shape()) ||
          !(in[1 - i].shape() == node.output_shape(0))) {
        continue;
      }
      std::vector<Output> operands = in;
      operands[i] = producer.input(0);
      return replace(node, node.type(), std::move(operands), node.attrs()).output();
    }
    return {};
  }
};

}  // namespace

PlanGraph simplify(const PlanGraph& source, const PassContext&) { return Simplify(source).run(); }

}  // namespace thalweg
