// fold: computes now what depends on constants only, and what known shapes tell.
#include "passes/pass_list.h"
#include "thalweg/graph/function.h"
#include "thalweg/kernels/evaluate.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

// A folded value may not bloat the plan: past this size the op runs each time, unless it shrinks
// its inputs.
constexpr size_t kMaxFoldedBytes = size_t{1} << 20;

bool is_small(const Node& node, size_t input_bytes) {
  const size_t limit = std::max(kMaxFoldedBytes, input_bytes);
  size_t bytes = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Shape& shape = node.output_shape(i);
    if (!shape.is_fully_defined()) return true;  // then the inputs bound it well enough
    // Compared by division: the product may be more than a size_t holds.
    const size_t size = std::max<size_t>(element_size(node.output_dtype(i)), 1);
    const auto elements = static_cast<size_t>(shape.num_elements());
    if (elements > (limit - bytes) / size) return false;
    bytes += elements * size;
  }
  return true;
}

class Fold : public Rewriter {
 public:
  Fold(const PlanGraph& source, const KernelRegistry& kernels)
      : Rewriter(source), kernels_(kernels) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (node.effect() != Effect::kNone || node.type() == "Const" || node.type() == "Placeholder" ||
        node.num_outputs() == 0 || is_pinned(node) || !node.control_inputs().empty() ||
        !function_calls(node).empty()) {
      return copy(node, inputs);
    }
    if (auto value = value_from_shape(node, inputs)) return {constant(node, std::move(*value))};
    if (auto value = small_fill(node)) return {constant(node, std::move(*value))};
    std::vector<Tensor> values;
    size_t bytes = 0;
    for (const Output& input : inputs) {
      const Tensor* value = constant_value(input);
      if (value == nullptr) return copy(node, inputs);
      values.push_back(*value);
      bytes += value->byte_size();
    }
    // A list that is no constant is taken over by what changes it.
    const DType dtype = node.output_dtype(0);
    if (inputs.empty() || dtype == kResource || dtype == kVariant || !is_small(node, bytes))
      return copy(node, inputs);
    std::vector<Output> outputs;
    for (Tensor& value : evaluate(node, values, kernels_))
      outputs.push_back(constant(node, std::move(value)));
    return outputs;
  }

 private:
  static std::optional<Tensor> value_from_shape(const Node& node,
                                                const std::vector<Output>& inputs) {
    const std::string_view type = node.type();
    if (type != "Shape" && type != "Rank" && type != "Size") return std::nullopt;
    const Shape& shape = inputs[0].shape();
    if (!shape.has_rank()) return std::nullopt;
    if (type == "Rank") return Tensor(static_cast<int32_t>(shape.rank()));
    if (!shape.is_fully_defined()) return std::nullopt;
    const DType dtype = node.output_dtype(0);
    if (type == "Size") return Tensor(shape.num_elements()).cast(dtype);
    return Tensor::from(shape.dims(), Shape{shape.rank()}).cast(dtype);
  }

  // ones_like(loss), where back-propagation starts: a few bytes whose value no input decides.
  static std::optional<Tensor> small_fill(const Node& node) {
    constexpr int64_t kFewElements = 64;
    if (node.type() != "OnesLike" && node.type() != "ZerosLike") return std::nullopt;
    const Shape& shape = node.output_shape(0);
    if (!shape.is_fully_defined() || shape.num_elements() > kFewElements ||
        !is_numeric(node.output_dtype(0))) {
      return std::nullopt;
    }
    Tensor ones(kFloat32, shape);
    for (float& value : ones.mutable_data<float>()) value = node.type() == "OnesLike" ? 1.0f : 0.0f;
    return ones.cast(node.output_dtype(0));
  }

  const KernelRegistry& kernels_;
};

}  // namespace

PlanGraph fold(const PlanGraph& source, const PassContext& context) {
  return Fold(source, context.kernels).run();
}

}  // namespace thalweg
