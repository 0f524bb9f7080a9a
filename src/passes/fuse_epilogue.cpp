// fuse_epilogue: bias and activation join the matrix product or convolution that feeds them.
#include <algorithm>

#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

constexpr std::string_view kActivations[] = {"Relu", "Relu6",   "Elu",
                                             "Tanh", "Sigmoid", "LeakyRelu"};

bool is_activation(std::string_view type) {
  return std::find(std::begin(kActivations), std::end(kActivations), type) !=
         std::end(kActivations);
}

std::string_view fused_name(std::string_view type) {
  if (type == "MatMul" || type == "_FusedMatMul") return "_FusedMatMul";
  if (type == "Conv2D" || type == "_FusedConv2D") return "_FusedConv2D";
  if (type == "DepthwiseConv2dNative" || type == "_FusedDepthwiseConv2dNative")
    return "_FusedDepthwiseConv2dNative";
  return {};
}

class FuseEpilogue : public Rewriter {
 public:
  explicit FuseEpilogue(const PlanGraph& source) : Rewriter(source) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    const bool bias = node.type() == "BiasAdd";
    if (!bias && !is_activation(node.type())) return copy(node, inputs);
    const Node& producer = *node.input(0).node();
    const Node& built = *inputs[0].node();  // what stands for the producer, fused already perhaps
    const std::string_view fused = fused_name(built.type());
    if (fused.empty() || !has_single_use(producer) || !producer.control_inputs().empty() ||
        !is_floating(node.output_dtype(0)) || !accepts(built, node, bias)) {
      return copy(node, inputs);
    }
    std::vector<std::string> ops;
    if (const AttrValue* before = built.find_attr("fused_ops"))
      ops = std::get<std::vector<std::string>>(*before);
    ops.emplace_back(node.type());
    std::vector<Output> operands(built.inputs().begin(), built.inputs().end());
    if (bias) operands.push_back(inputs[1]);
    AttrMap attrs = built.attrs();
    attrs.erase("num_args");
    attrs["num_args"] = static_cast<int64_t>(operands.size()) - 2;
    attrs["fused_ops"] = std::move(ops);
    if (const AttrValue* alpha = node.find_attr("alpha")) attrs["alpha"] = *alpha;
    return {replace(node, fused, std::move(operands), std::move(attrs)).output()};
  }

 private:
  // A bias first, then one activation.
  static bool accepts(const Node& built, const Node& node, bool bias) {
    const AttrValue* before = built.find_attr("fused_ops");
    const size_t count = before == nullptr ? 0 : std::get<std::vector<std::string>>(*before).size();
    if (!bias)
      return count == 0 ||
             (count == 1 && std::get<std::vector<std::string>>(*before)[0] == "BiasAdd");
    const AttrValue* format = built.find_attr("data_format");
    const std::string& wanted = node.attr<std::string>("data_format");
    return count == 0 &&
           (format == nullptr ? wanted == "NHWC" : std::get<std::string>(*format) == wanted);
  }
};

}  // namespace

PlanGraph fuse_epilogue(const PlanGraph& source, const PassContext&) {
  return FuseEpilogue(source).run();
}

}  // namespace thalweg
