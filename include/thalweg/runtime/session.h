// Running a graph: feed any tensors, fetch any tensors, run any nodes.
//
// The first run with new feeds, fetches or shapes builds a Plan; later ones only execute it. See
// engine.md, section 2.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"
#include "thalweg/kernels/kernel_registry.h"
#include "thalweg/runtime/variable_store.h"

namespace thalweg {

struct SessionOptions {
  /// Which kernels to use; null: standard_kernels(). Must outlive the session.
  const KernelRegistry* kernels = nullptr;
  /// Passes to leave out, by name; "all" leaves the graph as it was built.
  std::vector<std::string> disabled_passes = {};
  /// Where the values live; null: the session makes its own.
  std::shared_ptr<VariableStore> variables = nullptr;
  /// Where Print writes; empty: stderr.
  std::function<void(std::string_view)> print = {};
  /// Checks every floating-point tensor after the step that made it, and throws out_of_range naming
  /// the first node with a value that is not finite. For finding where a NaN comes from: slow.
  bool check_finite = false;
};

/// A value given in place of what a node would compute.
struct Feed {
  Output tensor;
  Tensor value;
};

namespace internal {
class CallableState;
}

/// Feeds, fetches and targets fixed once, run many times. A cheap handle; thread-safe: concurrent
/// calls run side by side unless they change variables. Must not outlive its session's graph.
class Callable {
 public:
  Callable() = default;

  /// One value a feed, in the order given to make_callable. Fetched values that `fetches` already
  /// holds memory for (same dtype and shape, not shared with anyone) are written in place: then a
  /// step allocates nothing.
  void run(std::span<const Tensor> feeds, std::span<Tensor> fetches) const;
  std::vector<Tensor> operator()(const std::vector<Tensor>& feeds) const;

  /// What the plan for feeds of these shapes does: steps, fusions, kernels, layout changes, arena.
  std::string explain(std::span<const Tensor> feeds) const;
  /// The same with the mean time of each step over `runs` runs, which are really made (variables
  /// change with them).
  std::string profile(std::span<const Tensor> feeds, int runs) const;
  /// Bytes of the plan's arena, and the sum of all intermediate tensors in it.
  struct Memory {
    size_t arena_bytes = 0;
    size_t intermediate_bytes = 0;
  };
  Memory memory(std::span<const Tensor> feeds) const;

 private:
  friend class Session;
  std::shared_ptr<internal::CallableState> state_;
};

/// Runs a graph on this process's CPU. Thread-safe. The graph may grow between runs, not during
/// one.
class Session {
 public:
  explicit Session(const Graph& graph, SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Gives every variable of the graph that has no value yet its first value.
  void initialize();

  /// The values of `fetches`, and `targets` run beside them. Only what they need runs. Throws
  /// invalid_argument when a feed does not fit or is missing, failed_precondition for an
  /// uninitialised variable; whatever a kernel throws comes with its node named.
  std::vector<Tensor> run(const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
                          const std::vector<Node*>& targets = {});
  /// One value.
  Tensor run(Output fetch, const std::vector<Feed>& feeds = {});
  void run(Node& target, const std::vector<Feed>& feeds = {});

  Callable make_callable(std::vector<Output> feeds, std::vector<Output> fetches,
                         std::vector<Node*> targets = {});

  const Graph& graph() const { return graph_; }
  VariableStore& variables() { return *options_.variables; }
  const VariableStore& variables() const { return *options_.variables; }
  std::shared_ptr<VariableStore> shared_variables() const { return options_.variables; }
  const SessionOptions& options() const { return options_; }

 private:
  struct Cache;
  const Graph& graph_;
  SessionOptions options_;
  std::unique_ptr<Cache> cache_;
};

/// The value of one expression, computed now, with its graph's variables at their first values. For
/// debugging and tests.
Tensor eval(Output y, const std::vector<Feed>& feeds = {});

}  // namespace thalweg
