// A function's body cut in two for reverse mode: what runs forward and keeps what the way back
// needs, and what runs backward.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "thalweg/graph/function.h"
#include "thalweg/graph/gradient_context.h"

namespace thalweg {

/// Whether gradients flow through tensors of this type (lists of tensors included).
bool is_differentiable(DType dtype);

/// The body of one function with its gradient added, in a graph of its own. Lives while a gradient
/// function builds the two halves.
class SplitBody {
 public:
  /// For a loop, arguments that the body hands on unchanged are not counted as results, and every
  /// other differentiable argument gets a gradient, be it zeros.
  SplitBody(const Function& function, BackPropagate back_propagate, bool is_loop);

  const Function& function() const { return function_; }
  bool is_passed_on(size_t argument) const { return passed_on_[argument]; }
  /// Results that gradients flow into.
  const std::vector<int>& gradient_results() const { return gradient_results_; }
  /// By argument, nothing where none arrives. For the handle of a variable: of its value.
  const std::vector<Output>& argument_gradients() const { return argument_gradients_; }
  /// Tensors of the forward half that the backward half reads.
  const std::vector<Output>& saved() const { return saved_; }
  /// Which argument a saved tensor is; -1 when it is computed.
  int argument_index(const Output& saved) const;

  using Mapping = std::map<Output, Output>;
  /// Puts the forward half into an empty graph. Afterwards `map` tells what stands for the body's
  /// tensors; arguments are among them, in order.
  void copy_forward(Graph& target, Mapping& map) const;
  /// Puts the backward half into a graph, given what stands there for saved() and for
  /// incoming(i), the gradient of gradient_results()[i].
  void copy_backward(Graph& target, Mapping& map) const;
  const Output& incoming(size_t i) const { return incoming_[i]; }

  /// The tensor of this body for one of the function's.
  Output own(const Output& of_function) const;

 private:
  void clone();
  void differentiate(BackPropagate back_propagate, bool is_loop);
  void cut();
  bool becomes_constant(const Node& node) const;
  bool runs_forward(const Node& node) const;

  const Function& function_;
  bool is_loop_;
  std::unique_ptr<Graph> graph_;
  std::vector<bool> passed_on_;  // by argument
  std::vector<int> gradient_results_;
  std::vector<Output> incoming_;
  std::vector<Output> argument_gradients_;
  std::vector<Output> saved_;
  int first_added_ = 0;               // id of the first node that back-propagation added
  std::vector<bool> is_forward_;      // by id
  std::vector<bool> is_needed_back_;  // by id
};

/// The function's arguments, results and side effects in a graph that holds its forward half.
std::vector<Output> arguments_of(const SplitBody& split, const SplitBody::Mapping& map);
std::vector<Output> results_of(const SplitBody& split, const SplitBody::Mapping& map);
std::vector<Node*> mapped_effects(const SplitBody& split, const Graph& target);
/// An empty graph with the registry, the library and the seed of another.
std::unique_ptr<Graph> graph_like(const Graph& graph);
/// Puts a function under a name that begins with `name` into the library.
const Function& add_function(FunctionLibrary& library, const std::string& name,
                             std::unique_ptr<Graph> body, std::vector<Output> arguments,
                             std::vector<Output> results, std::vector<Node*> side_effects);
std::vector<DType> types_of(const std::vector<Output>& outputs);

/// `grad`, or zeros like what it is the gradient of.
Output gradient_or_zeros(const Output& grad, const Output& of);
/// Zeros like a tensor, or like the value of a variable of `dtype`.
Output zeros_of(const Output& tensor_or_handle, DType dtype);
/// The node that computes what `node` does and more, made by an earlier gradient; null when there
/// is none.
Node* find_extension(const Node& node);
/// Adds it: the op and inputs of `node`, then more of them.
Node& add_extension(const Node& node, std::vector<Output> more_inputs, AttrMap attrs);
/// Lists of ints among a node's annotations.
std::vector<int64_t> ints_of(const Node& node, std::string_view annotation);

}  // namespace thalweg
