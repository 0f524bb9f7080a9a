// Turning a C++ callable into a function of the graph's library.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "thalweg/graph/function.h"

namespace thalweg {

/// The annotated `_Arg` that stands for tensors like `like` in another graph.
Output add_argument(Graph& body, const Output& like, const Shape& shape, int index,
                    const std::string& name);
Output add_argument(Graph& body, DType dtype, const Shape& shape, int index,
                    const std::string& name);

/// A body under construction. Several bodies may share the list of tensors that they take from
/// outside, so that one node can call any of them with the same arguments.
class BodyTrace {
 public:
  BodyTrace(Graph& outer, std::vector<Output>& captures);

  /// Before trace().
  Output argument(DType dtype, const Shape& shape, const std::string& name);
  /// Runs `f`, whose nodes go into the body.
  void trace(const std::function<std::vector<Output>(const std::vector<Output>&)>& f);

  const std::vector<Output>& results() const { return results_; }
  /// Nodes outside that the caller must run after.
  const std::vector<Node*>& outer_controls() const { return outer_controls_; }
  /// Puts the function into the library; arguments are those declared, then one for each capture.
  /// With `pass_on`, the captures follow the results.
  const Function& finish(const std::string& name, bool pass_on = false);

 private:
  Output capture(const Output& outside);
  Output captured(size_t i);

  Graph& outer_;
  std::vector<Output>& captures_;
  std::unique_ptr<Graph> body_;
  std::vector<Output> arguments_;
  std::vector<Output> captured_;  // by capture, as far as there are
  std::map<Output, Output> constants_;
  std::vector<Output> results_;
  std::vector<Node*> outer_controls_;
};

/// The function's nodes that must run though nobody reads them, in program order.
std::vector<Node*> side_effects_of(const Graph& body);
/// Whether calls of it may not be merged, dropped or moved.
bool is_stateful(const Function& function);

}  // namespace thalweg
