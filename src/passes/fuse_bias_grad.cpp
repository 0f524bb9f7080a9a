// fuse_bias_grad: the gradients of a layer's weights and of its bias read the same incoming
// gradient; one kernel gives both.
#include <map>

#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

bool is_weight_gradient(const Node& node) {
  if (node.output_dtype(0) != kFloat32) return false;
  if (node.type() == "MatMul")
    return node.attr<bool>("transpose_a") && !node.attr<bool>("transpose_b");
  return node.type() == "Conv2DBackpropFilter" && node.attr<std::string>("data_format") == "NHWC";
}

// Which input of a weight gradient is the incoming gradient.
int incoming(const Node& node) { return node.type() == "MatMul" ? 1 : 2; }

class FuseBiasGrad : public Rewriter {
 public:
  explicit FuseBiasGrad(const PlanGraph& source) : Rewriter(source) { find_pairs(); }

 protected:
  // The fused node stands where the first of the two stood, so that whoever reads either comes
  // later.
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    const auto pair = pairs_.find(&node);
    if (pair == pairs_.end()) return copy(node, inputs);
    const Node* weights = pair->second;
    const auto done = built_.find(weights);
    Node* fused = done != built_.end() ? done->second : build(*weights, node);
    built_[weights] = fused;
    return {fused->output(&node == weights ? 0 : 1)};
  }

 private:
  void find_pairs() {
    const Graph& graph = *source().graph;
    for (int id = 0; id < graph.num_nodes(); ++id) {
      const Node& bias = graph.node(id);
      if (bias.type() != "BiasAddGrad" || bias.output_dtype(0) != kFloat32 ||
          bias.attr<std::string>("data_format") != "NHWC" || !bias.control_inputs().empty() ||
          is_pinned(bias)) {
        continue;
      }
      for (const Node* weights : consumers(bias.input(0))) {
        if (!is_weight_gradient(*weights) ||
            !(weights->input(incoming(*weights)) == bias.input(0)) || pairs_.contains(weights) ||
            !weights->control_inputs().empty() || is_pinned(*weights) ||
            !inputs_before(*weights, std::min(weights->id(), id))) {
          continue;
        }
        pairs_[weights] = pairs_[&bias] = weights;
        break;
      }
    }
  }

  // Constants need not be: they can be made again.
  static bool inputs_before(const Node& node, int id) {
    for (const Output& input : node.inputs()) {
      if (input.node()->id() >= id && input.node()->type() != "Const") return false;
    }
    return true;
  }

  Node* build(const Node& weights, const Node& first) {
    std::vector<Output> inputs;
    for (const Output& input : weights.inputs()) {
      const Tensor* value = constant_value(input);
      inputs.push_back(value != nullptr ? constant(*input.node(), *value) : mapped(input));
    }
    AttrMap attrs = weights.attrs();
    if (weights.type() == "MatMul") {
      attrs.erase("transpose_a");
      attrs.erase("transpose_b");
      return &replace(first, "_MatMulBiasGrad", std::move(inputs), std::move(attrs),
                      weights.name());
    }
    return &replace(first, "_Conv2DBackpropFilterBias", std::move(inputs), std::move(attrs),
                    weights.name());
  }

  std::map<const Node*, const Node*>
      pairs_;  // from either of the two to the gradient of the weights
  std::map<const Node*, Node*> built_;
};

}  // namespace

PlanGraph fuse_bias_grad(const PlanGraph& source, const PassContext&) {
  return FuseBiasGrad(source).run();
}

}  // namespace thalweg
