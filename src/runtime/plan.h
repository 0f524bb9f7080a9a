// A plan: one graph for one set of feeds, fetches and shapes, turned into a flat list of prepared
// steps.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/memory_planner.h"
#include "thalweg/passes/passes.h"
#include "thalweg/runtime/variable_store.h"

namespace thalweg {

/// Plans of one callable or function that are kept, for arguments of different shapes; the one left
/// alone longest gives way. A loop whose variable grows would otherwise keep one an iteration, and
/// a server one for each size of batch it ever met.
inline constexpr size_t kMaxPlans = 32;

/// Where a value's bytes are found during a run.
enum class Source {
  kArena,     // index: storage; at its offset in the run's arena
  kConstant,  // index: constant of the plan
  kFeed,      // index: feed
  kVariable,  // index: variable; its buffer, read without copying
  kResource,  // index: variable; the pointer is to its VariableState
  kHandle,    // index: handle; the pointer is to the Resource, no variable
  kSlot       // index: slot of the run; a tensor of its own (data-dependent shape, or strings)
};

/// A tensor of the plan. Several may share one source: a reshape is another view of the same bytes.
struct PlanValue {
  DType dtype = DType::kInvalid;
  Shape shape;
  LayoutPtr layout;
  Source source = Source::kArena;
  int index = 0;
};

/// One prepared operation. `kernel` is null for a step whose input shapes are only known at run
/// time: it is prepared then.
struct PlanStep {
  const Node* node =
      nullptr;  // in the plan's graph; for a layout conversion, the node that wanted it
  KernelPtr kernel;
  std::string provider;
  std::vector<int> inputs;   // values
  std::vector<int> outputs;  // values
  int scratch = -1;          // storage
  bool is_conversion = false;
  std::vector<int> writes;      // variables whose buffer this step may replace
  std::vector<bool> last_uses;  // by input: an object that nobody reads later; empty: none
};

/// A variable as this plan uses it.
struct PlanVariable {
  VariableState* state = nullptr;
  LayoutPtr layout;          // in which the plan wants the value
  bool must_be_set = false;  // read before anything in the plan writes it
  bool is_written = false;
};

class PlanFunctions;  // runtime/plan_functions.h

/// What is fixed once and used by every run. Immutable after building; run() is thread-safe.
class Plan {
 public:
  struct BuildOptions {
    std::vector<std::string> disabled_passes = {};  // for the functions that it calls
    /// Of the plan whose run calls this one; null for a plan that a session runs.
    PlanFunctions* functions = nullptr;
  };
  /// Prepares `graph` (optimised already) to run on `kernels` with variables from `store`.
  static std::shared_ptr<Plan> build(PlanGraph graph, const KernelRegistry& kernels,
                                     std::shared_ptr<VariableStore> store,
                                     const BuildOptions& options);
  ~Plan();

  struct RunOptions {
    std::function<void(std::string_view)> print;
    bool check_finite = false;
    std::vector<double>* step_seconds = nullptr;  // one a step, added to
  };
  void run(std::span<const Tensor> feeds, std::span<Tensor> fetches,
           const RunOptions& options) const;
  /// As part of a run of the plan that calls this one, which holds the variables' lock. Objects in
  /// feeds may be taken over with `take_feeds`.
  void run_inside(std::span<const Tensor> feeds, std::span<Tensor> fetches, RunScope& scope,
                  bool take_feeds) const;

  std::string explain(const std::vector<double>* step_seconds = nullptr) const;
  size_t arena_bytes() const { return memory_.arena_bytes; }
  /// Sum of all intermediates, as if each had memory of its own.
  size_t intermediate_bytes() const { return intermediate_bytes_; }
  size_t num_steps() const { return steps_.size(); }

 private:
  friend class PlanBuilder;
  struct RunState;
  class StepContext;
  Plan();

  std::unique_ptr<RunState> acquire() const;
  void release(std::unique_ptr<RunState> state) const;
  std::unique_ptr<RunState> make_run_state() const;
  void* resolve(const RunState& state, const PlanValue& value) const;
  void bind_feeds(RunState& state, std::span<const Tensor> feeds) const;
  void bind_variable(RunState& state, int variable) const;
  void convert_variables() const;
  bool variables_ready() const;
  void bind_variables(RunState& state) const;
  FunctionRunner* functions_interface() const;
  void execute(RunState& state, StepContext& context) const;
  void run_dynamic(RunState& state, const PlanStep& step, StepContext& context) const;
  void check_finite(const RunState& state, const PlanStep& step) const;
  void collect(RunState& state, std::span<Tensor> fetches) const;
  bool take_object(RunState& state, size_t fetch, Tensor& target) const;
  Tensor as_tensor(const RunState& state, const PlanValue& value) const;

  std::unique_ptr<PlanFunctions> own_functions_;  // outlives the kernels that call them
  PlanFunctions* functions_ = nullptr;            // null when no node calls a function
  bool is_called_ = false;                        // the plan of a function
  PlanGraph graph_;
  const KernelRegistry* kernels_ = nullptr;
  std::shared_ptr<VariableStore> store_;
  std::vector<PlanValue> values_;
  std::vector<PlanStep> steps_;
  std::vector<PlanVariable> variables_;
  std::vector<std::shared_ptr<Resource>> handles_;  // tables, queues
  std::vector<Tensor> constants_;
  std::vector<PlanValue> feeds_;
  std::vector<int> fetches_;       // values
  std::vector<bool> fetch_takes_;  // by fetch: it alone uses a slot, and may empty it
  std::vector<PlanValue> slots_;
  std::vector<Lifetime> storages_;
  MemoryPlan memory_;
  size_t intermediate_bytes_ = 0;
  bool draws_random_ = false;
  bool writes_variables_ = false;  // here or in a function that it reaches

  // Arguments of all steps in one array; where each step's begin, and which must be set anew in
  // each run.
  struct Patch {
    int argument;
    int value;
  };
  std::vector<int> argument_begin_;
  std::vector<std::vector<Patch>> feed_patches_;      // by feed
  std::vector<std::vector<Patch>> variable_patches_;  // by variable

  mutable std::mutex pool_mutex_;
  mutable std::vector<std::unique_ptr<RunState>> pool_;
};

}  // namespace thalweg
