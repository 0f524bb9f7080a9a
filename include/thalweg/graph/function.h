// Functions: graphs by name that nodes of another graph call, as the body of a loop, a branch, or a
// plain call. TensorFlow's FunctionDef.
#pragma once

#include <map>
#include <memory>
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

/// Functions by name, shared by a graph and the bodies of its functions. Thread-compatible; const
/// use is thread-safe.
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

 private:
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;
};

}  // namespace thalweg
