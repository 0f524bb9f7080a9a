// Computes parts of a graph with the reference kernels, one node after the other: the oracle of
// tests below the runtime.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "thalweg/kernels/evaluate.h"

namespace thalweg::testing {

/// Holds what is fed and the variables' values. Thread-compatible.
class ReferenceEvaluator {
 public:
  /// `x` has this value, whatever computes it.
  void feed(Output x, Tensor value) { fed_[x] = std::move(value); }

  /// Gives the variable of a VarHandleOp this value.
  void set_variable(Output handle, const Tensor& value) {
    VariableState& state = variables_[handle.node()];
    state.name = handle.node()->name();
    state.dtype = value.dtype();
    state.shape = handle.node()->attr<Shape>("shape");
    state.initialized = true;
    state.value_shape = value.shape();
    state.buffer = value.clone().buffer();
  }

  /// The value of a variable that has one.
  Tensor variable(Output handle) const {
    const VariableState& state = variables_.at(handle.node());
    return Tensor::share(state.dtype, state.value_shape, state.buffer).clone();
  }

  /// The values of `fetches`; an invalid Tensor for an empty Output. Runs nodes in the order they
  /// were added.
  std::vector<Tensor> run(const std::vector<Output>& fetches) {
    std::map<Output, Tensor> values = fed_;
    for (const auto& [id, node] : needed(fetches)) compute(*node, values);
    std::vector<Tensor> result;
    for (const Output& x : fetches) result.push_back(x ? values.at(x) : Tensor());
    return result;
  }
  Tensor run(Output x) { return run(std::vector<Output>{x})[0]; }

 private:
  std::map<int, const Node*> needed(const std::vector<Output>& fetches) const {
    std::map<int, const Node*> nodes;
    std::vector<const Node*> open;
    const auto reach = [&](Output x) {
      if (x && !fed_.contains(x)) open.push_back(x.node());
    };
    for (const Output& x : fetches) reach(x);
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (node->type() == "VarHandleOp" || !nodes.emplace(node->id(), node).second) continue;
      for (const Output& input : node->inputs()) reach(input);
      for (const Node* control : node->control_inputs()) open.push_back(control);
    }
    return nodes;
  }

  void compute(const Node& node, std::map<Output, Tensor>& values) {
    std::vector<Tensor> inputs;
    std::vector<Resource*> states;
    for (const Output& input : node.inputs()) {
      const bool is_variable = input.dtype() == kResource;
      inputs.push_back(is_variable ? Tensor() : values.at(input));
      states.push_back(is_variable ? &variables_[input.node()] : nullptr);
    }
    std::vector<Tensor> outputs =
        evaluate(node, inputs, reference_kernels(), {.resources = states});
    for (int i = 0; i < node.num_outputs(); ++i) {
      values.emplace(node.output(i), std::move(outputs[static_cast<size_t>(i)]));
    }
  }

  std::map<Output, Tensor> fed_;
  std::map<const Node*, VariableState> variables_;
};

}  // namespace thalweg::testing
