// fold_pad: zeros put around images become the padding of the convolution behind them.
#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

class FoldPad : public Rewriter {
 public:
  explicit FoldPad(const PlanGraph& source) : Rewriter(source) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    const std::string_view type = node.type();
    if (type != "Conv2D" && type != "DepthwiseConv2dNative") return copy(node, inputs);
    const Node& pad = *node.input(0).node();
    const Node& built = *inputs[0].node();
    const auto& padding = node.attr<std::string>("padding");
    if ((built.type() != "Pad" && built.type() != "PadV2") || padding == "SAME" ||
        !has_single_use(pad) || !pad.control_inputs().empty() || !pads_with_zeros(built)) {
      return copy(node, inputs);
    }
    const Tensor* amounts = constant_value(built.input(1));
    if (amounts == nullptr || amounts->num_elements() != 8) return copy(node, inputs);
    // Two a dimension, in the order of data_format, as the attribute has them.
    std::vector<int64_t> total(8, 0);
    if (padding == "EXPLICIT") total = node.attr<std::vector<int64_t>>("explicit_paddings");
    const bool channels_first = node.attr<std::string>("data_format") == "NCHW";
    for (size_t i = 0; i < total.size(); ++i) {
      const size_t dimension = i / 2;
      const bool is_spatial = channels_first ? dimension >= 2 : dimension == 1 || dimension == 2;
      const auto amount = static_cast<int64_t>(amounts->at(static_cast<int64_t>(i)));
      if (amount < 0 || (!is_spatial && amount != 0)) return copy(node, inputs);
      total[i] += amount;
    }
    AttrMap attrs = node.attrs();
    attrs["padding"] = std::string("EXPLICIT");
    attrs["explicit_paddings"] = std::move(total);
    std::vector<Output> operands = inputs;
    operands[0] = built.input(0);
    return {replace(node, type, std::move(operands), std::move(attrs)).output()};
  }

 private:
  static bool pads_with_zeros(const Node& pad) {
    if (pad.type() == "Pad") return true;
    const Tensor* value = constant_value(pad.input(2));
    return value != nullptr && value->at(0) == 0;
  }
};

}  // namespace

PlanGraph fold_pad(const PlanGraph& source, const PassContext&) { return FoldPad(source).run(); }

}  // namespace thalweg
