// fold_scale: factors and terms for each channel join the constant filter and the bias of the
// convolution or matrix product before them. A batch norm with fixed statistics is such a pair.
// What would leave the range of the element type stays as it is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

// y * scale + offset, for each channel.
struct Affine {
  std::vector<double> scale, offset;
};

// A convolution or product of the new graph with constant filter, and its constant bias. Nobody but
// the next node in line reads it.
struct Linear {
  const Node* node = nullptr;
  std::vector<double> bias = {};  // empty: none
};

bool is_linear(const Node& node) {
  const std::string_view type = node.type();
  return type == "Conv2D" || type == "DepthwiseConv2dNative" || type == "MatMul";
}

bool is_batch_norm(const Node& node) {
  const std::string_view type = node.type();
  return type == "FusedBatchNorm" || type == "FusedBatchNormV2" || type == "FusedBatchNormV3";
}

std::string data_format(const Node& node) {
  const AttrValue* format = node.find_attr("data_format");
  return format == nullptr ? "NHWC" : std::get<std::string>(*format);
}

// A filter cell's channel is (cell / inner) % count.
struct Channels {
  int64_t count;
  int64_t inner;
};

Channels channels_of(const Node& linear) {
  const Shape& filter = linear.input(1).shape();
  if (linear.type() == "DepthwiseConv2dNative") return {filter[2] * filter[3], 1};
  if (linear.type() == "Conv2D") return {filter[3], 1};
  if (linear.attr<bool>("transpose_b")) return {filter[0], filter[1]};
  return {filter[1], 1};
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = tensor.at(static_cast<int64_t>(i));
  return values;
}

Tensor vector_of(const std::vector<double>& values, DType dtype) {
  return Tensor::from(std::span<const double>(values), Shape{static_cast<int64_t>(values.size())})
      .cast(dtype);
}

bool is_in_range(double value, DType dtype) {
  return std::abs(value) <= (dtype == kFloat32 ? double{std::numeric_limits<float>::max()}
                                               : std::numeric_limits<double>::max());
}

class FoldScale : public Rewriter {
 public:
  explicit FoldScale(const PlanGraph& source) : Rewriter(source) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (is_linear(node)) return start(node, inputs);
    if (!node.control_inputs().empty()) return copy(node, inputs);
    for (size_t i = 0; i < std::min<size_t>(inputs.size(), 2); ++i) {
      const auto found = lines_.find(inputs[i]);
      if (found == lines_.end()) continue;
      const Linear line = found->second;
      const auto affine = affine_of(node, inputs, i, line);
      if (!affine) continue;
      if (const Output result = extend(node, inputs, line, *affine)) return {result};
    }
    return copy(node, inputs);
  }

 private:
  std::vector<Output> start(const Node& node, const std::vector<Output>& inputs) {
    std::vector<Output> outputs = copy(node, inputs);
    const DType dtype = node.output_dtype(0);
    if (has_single_use(node) && node.control_inputs().empty() &&
        constant_value(inputs[1]) != nullptr && (dtype == kFloat32 || dtype == kFloat64)) {
      lines_[outputs[0]] = {.node = outputs[0].node()};
    }
    return outputs;
  }

  // What `node` does to its operand `which`, when that is a factor and a term for each channel.
  std::optional<Affine> affine_of(const Node& node, const std::vector<Output>& inputs, size_t which,
                                  const Linear& line) const {
    const auto count = static_cast<size_t>(channels_of(*line.node).count);
    const std::vector<double> ones(count, 1.0), zeros(count, 0.0);
    if (is_batch_norm(node)) return which == 0 ? affine_of_norm(node, inputs, line) : std::nullopt;
    if (inputs.size() != 2) return std::nullopt;
    const std::string_view type = node.type();
    const Output& other = inputs[1 - which];
    if (type == "BiasAdd") {
      const Tensor* bias = constant_value(other);
      if (which != 0 || bias == nullptr || data_format(node) != data_format(*line.node))
        return std::nullopt;
      return Affine{ones, values_of(*bias)};
    }
    const bool is_sum = type == "AddV2" || type == "Add";
    if (!is_sum && type != "Mul" && type != "Sub") return std::nullopt;
    auto values = channel_values(other, line);
    if (!values) return std::nullopt;
    if (type == "Mul") return Affine{std::move(*values), zeros};
    if (is_sum) return Affine{ones, std::move(*values)};
    if (which == 1) return Affine{std::vector<double>(count, -1.0), std::move(*values)};
    for (double& value : *values) value = -value;
    return Affine{ones, std::move(*values)};
  }

  std::optional<Affine> affine_of_norm(const Node& node, const std::vector<Output>& inputs,
                                       const Linear& line) const {
    if (node.attr<bool>("is_training") || data_format(node) != data_format(*line.node))
      return std::nullopt;
    for (int i = 1; i < node.num_outputs(); ++i) {
      if (!consumers(node.output(i)).empty() || is_fetched(node.output(i))) return std::nullopt;
    }
    std::vector<std::vector<double>> statistics;
    for (size_t i = 1; i < 5; ++i) {
      const Tensor* value = constant_value(inputs[i]);
      if (value == nullptr || value->num_elements() != channels_of(*line.node).count)
        return std::nullopt;
      statistics.push_back(values_of(*value));
    }
    Affine affine{std::move(statistics[0]), std::move(statistics[1])};
    for (size_t c = 0; c < affine.scale.size(); ++c) {
      affine.scale[c] /= std::sqrt(statistics[3][c] + double{node.attr<float>("epsilon")});
      affine.offset[c] -= statistics[2][c] * affine.scale[c];
    }
    return affine;
  }

  // One value a channel, when `operand` is a constant that is broadcast to all but the channels.
  static std::optional<std::vector<double>> channel_values(const Output& operand,
                                                           const Linear& line) {
    const Tensor* tensor = constant_value(operand);
    const int rank = line.node->output_shape(0).rank();
    if (tensor == nullptr || tensor->rank() > rank) return std::nullopt;
    const int64_t count = channels_of(*line.node).count;
    if (tensor->num_elements() == 1)
      return std::vector<double>(static_cast<size_t>(count), tensor->at(0));
    const int channel = data_format(*line.node) == "NCHW" ? 1 : rank - 1;
    for (int d = 0; d < tensor->rank(); ++d) {
      const bool is_channel = d + rank - tensor->rank() == channel;
      if (tensor->dim(d) != (is_channel ? count : 1)) return std::nullopt;
    }
    return values_of(*tensor);
  }

  // The line with `affine` behind it; the nodes that it takes the place of fall away unread.
  // Nothing when the numbers do not allow it.
  Output extend(const Node& node, const std::vector<Output>& inputs, Linear line,
                const Affine& affine) {
    const DType dtype = line.node->output_dtype(0);
    const bool scales = std::any_of(affine.scale.begin(), affine.scale.end(),
                                    [](double factor) { return factor != 1; });
    const bool is_first_bias = node.type() == "BiasAdd" && line.bias.empty();
    if (line.bias.empty()) line.bias.assign(affine.scale.size(), 0.0);
    for (size_t c = 0; c < line.bias.size(); ++c)
      line.bias[c] = line.bias[c] * affine.scale[c] + affine.offset[c];
    if (!std::all_of(line.bias.begin(), line.bias.end(),
                     [dtype](double term) { return is_in_range(term, dtype); })) {
      return {};
    }
    Output result;
    if (is_first_bias) {
      result = copy(node, inputs)[0];
    } else {
      Output product = line.node->output(0);
      if (scales) {
        auto weights = scaled(*line.node, affine.scale);
        if (!weights) return {};
        const Output filter = constant(node, std::move(*weights));
        std::vector<Output> operands(line.node->inputs().begin(), line.node->inputs().end());
        operands[1] = filter;
        line.node =
            &replace(node, line.node->type(), operands, line.node->attrs(), line.node->name());
        product = line.node->output(0);
      }
      const bool is_biased =
          std::any_of(line.bias.begin(), line.bias.end(), [](double term) { return term != 0; });
      if (!is_biased) line.bias.clear();
      result = !is_biased ? product
                          : replace(node, "BiasAdd",
                                    {product, constant(node, vector_of(line.bias, dtype))},
                                    {{"data_format", data_format(*line.node)}})
                                .output();
    }
    lines_.erase(result);  // it may be the product itself
    if (has_single_use(node)) lines_[result] = std::move(line);
    return result;
  }

  // The filter with its channels scaled; nothing when a weight leaves the range of its type, where
  // the product of what comes in and the weight need not.
  static std::optional<Tensor> scaled(const Node& linear, const std::vector<double>& scale) {
    const Tensor& filter = *constant_value(linear.input(1));
    const Channels channels = channels_of(linear);
    Tensor result(filter.dtype(), filter.shape());
    const auto fill = [&]<class T>(std::span<const T> from, std::span<T> to) {
      for (size_t cell = 0; cell < to.size(); ++cell) {
        const auto channel = (static_cast<int64_t>(cell) / channels.inner) % channels.count;
        const double factor = scale[static_cast<size_t>(channel)];
        const double weight = from[cell] * factor;
        if (!is_in_range(weight, filter.dtype())) return false;
        to[cell] = static_cast<T>(weight);
        if (std::isnormal(from[cell]) && factor != 0 && !std::isnormal(to[cell])) return false;
      }
      return true;
    };
    const bool fits = filter.dtype() == kFloat32
                          ? fill(filter.data<float>(), result.mutable_data<float>())
                          : fill(filter.data<double>(), result.mutable_data<double>());
    return fits ? std::optional(std::move(result)) : std::nullopt;
  }

  std::map<Output, Linear> lines_;  // by the new graph's output
};

}  // namespace

PlanGraph fold_scale(const PlanGraph& source, const PassContext&) {
  return FoldScale(source).run();
}

}  // namespace thalweg
