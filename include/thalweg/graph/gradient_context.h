// What a gradient function sees: the forward node, the gradients that flow into its outputs, and
// where to put the gradients of its inputs. It works in graph terms, so gradients are ordinary
// nodes: optimised, and differentiable again.
#pragma once

#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Back-propagation itself, for gradient functions of ops that call functions: the gradients of
/// `xs` when `grad_ys` flow into `ys`; nothing where none arrives.
using BackPropagate = std::vector<Output> (*)(const std::vector<Output>& ys,
                                              const std::vector<Output>& xs,
                                              const std::vector<Output>& grad_ys);

/// Lives for one call of a gradient function.
class GradientContext {
 public:
  GradientContext(Node& node, std::vector<Output> output_gradients,
                  BackPropagate back_propagate = nullptr)
      : node_(node),
        output_gradients_(std::move(output_gradients)),
        input_gradients_(static_cast<size_t>(node.num_inputs())),
        back_propagate_(back_propagate) {}

  Graph& graph() const { return node_.graph(); }
  Node& node() const { return node_; }
  Output input(int i) const { return node_.input(i); }
  Output output(int i = 0) const { return node_.output(i); }
  int num_inputs() const { return node_.num_inputs(); }
  template <class T>
  const T& attr(std::string_view name) const {
    return node_.attr<T>(name);
  }

  /// The gradient of output `i`; nothing when no gradient flows into it (as if zero). A gradient
  /// function is only called when at least one output has one.
  Output grad(int i = 0) const { return output_gradients_[static_cast<size_t>(i)]; }

  /// Sets the gradient of input `i`; inputs left out get none (integers, shapes, axes).
  void set(int i, Output gradient) { input_gradients_[static_cast<size_t>(i)] = gradient; }

  const std::vector<Output>& input_gradients() const { return input_gradients_; }

  BackPropagate back_propagate() const { return back_propagate_; }

 private:
  Node& node_;
  std::vector<Output> output_gradients_;
  std::vector<Output> input_gradients_;
  BackPropagate back_propagate_;
};

}  // namespace thalweg
