// Functions: graphs by name that nodes of another graph call, as the body of a loop, a branch, or a
// plain call. TensorFlow's FunctionDef.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// A graph with arguments and results. Built by one thread, immutable once it is in a library.
struct Function {
  std::string name;
  std::unique_ptr<Graph> body;      // shares the library of the graph that calls it
  std::vector<Output> arguments;    // of `_Arg` nodes of the body, in order
  std::vector<Output> results;      // tensors of the body, in order
  std::vector<Node*> side_effects;  // nodes that run beside the results, in program order
  std::vector<std::string> argument_names;
  std::vector<std::string> result_names;
  AttrMap attrs;  // kept for graph files
};

/// Functions by name, shared by a graph and the bodies of its functions. Thread-safe.
class FunctionLibrary {
 public:
  FunctionLibrary();
  ~FunctionLibrary();
  FunctionLibrary(const FunctionLibrary&) = delete;

  /// Takes the function over. Throws already_exists, and invalid_argument when results or arguments
  /// are not of its body.
  const Function& add(Function function);
  /// Null when there is none.
  const Function* find(std::string_view name) const;
  /// Throws not_found with the nearest name.
  const Function& at(std::string_view name) const;
  /// A name not yet in use: `base`, `base_1`, ...
  std::string unique_name(std::string_view base) const;
  /// Sorted.
  std::vector<std::string> names() const;

  /// The shapes of the function's results when its arguments have these shapes: more may be known
  /// then than when its body was built. Remembered.
  std::vector<Shape> result_shapes(const Function& function,
                                   std::span<const Shape> arguments) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;
  mutable std::map<std::string, std::vector<Shape>> shapes_;  // by function and arguments
};

/// A function that a node calls, and which of the node's inputs are its arguments.
struct FunctionCall {
  const std::string* name = nullptr;
  int first_argument = 0;
};
/// The functions that `node` names in its attributes; empty for most nodes.
std::vector<FunctionCall> function_calls(const Node& node);

/// What becomes of a resource.
struct ResourceUse {
  bool is_read = false;
  bool is_written = false;
};
/// What running a function, or a node with the functions it calls, does beside giving its results.
struct FunctionEffects {
  bool draws_random = false;
  bool is_ordered = false;                     // prints, checks
  std::vector<ResourceUse> arguments;          // by argument, or by input of the node
  std::map<const Node*, ResourceUse> handles;  // ops in bodies that make handles
  /// Whether it must run even when nobody wants its results.
  bool has_side_effects() const;
};
FunctionEffects effects_of(const Function& function);
FunctionEffects effects_of(const Node& node);
/// Whether the node must run when its body does, wanted or not.
bool has_side_effects(const Node& node);
/// Follows a handle through Identity nodes to the node that makes it, or hands it in.
const Node* handle_origin(const Output& resource);

}  // namespace thalweg
