// Running a plan: nothing is allocated, looked up or locked per step.
#include <chrono>
#include <cmath>
#include <cstring>

#include "runtime/move_objects.h"
#include "runtime/plan_functions.h"
#include "runtime/run_state.h"
#include "thalweg/kernels/evaluate.h"

namespace thalweg {
namespace {

// How often a run that only reads asks for the variables' layouts before it takes them for itself.
constexpr int kMaxTries = 2;

// Somebody uses the value as a constant, or still reads it: see VariableStore::share().
bool is_shared(const PlanVariable& variable) {
  return variable.is_written && variable.state->initialized &&
         variable.state->buffer.use_count() > 1;
}

}  // namespace

Plan::Plan() = default;
Plan::~Plan() = default;

bool Plan::variables_ready() const {
  for (const PlanVariable& variable : variables_) {
    if (is_shared(variable)) return false;
    if (variable.state->initialized ? !same_layout(variable.state->layout, variable.layout)
                                    : variable.must_be_set) {
      return false;
    }
  }
  return true;
}

void Plan::convert_variables() const {
  for (const PlanVariable& variable : variables_) {
    if (!variable.state->initialized) {
      if (!variable.must_be_set) continue;
      throw failed_precondition(
          "variable `", variable.state->name,
          "` has no value yet; call session.initialize() or restore a checkpoint first");
    }
    if (!same_layout(variable.state->layout, variable.layout)) {
      VariableStore::convert(*variable.state, variable.layout);
    }
    if (is_shared(variable)) {
      VariableState& state = *variable.state;
      state.buffer = Tensor::share(state.dtype, state.value_shape, state.buffer).clone().buffer();
    }
  }
}

void Plan::run(std::span<const Tensor> feeds, std::span<Tensor> fetches,
               const RunOptions& options) const {
  // Runs that only read share the variables; a run that writes has them for itself.
  std::shared_lock shared(store_->mutex_, std::defer_lock);
  std::unique_lock alone(store_->mutex_, std::defer_lock);
  if (writes_variables_) {
    alone.lock();
    if (!variables_ready()) convert_variables();
  } else if (!variables_.empty() || functions_ != nullptr) {
    // Plans of functions are built during the run: they look variables up.
    shared.lock();
    for (int tries = 0; !variables_ready(); ++tries) {
      shared.unlock();
      alone.lock();
      convert_variables();
      // Plans that want other layouts may convert the variables back before this one shares the
      // lock again, time after time: then it runs alone.
      if (tries == kMaxTries) break;
      alone.unlock();
      shared.lock();
    }
  }

  const uint64_t random_run = draws_random_ ? store_->random_runs_.fetch_add(1) : 0;
  RunScope scope(options, random_run);
  std::unique_ptr<RunState> state = acquire();
  bind_feeds(*state, feeds);
  bind_variables(*state);
  StepContext context(*this, *state, scope, random_run, false);
  execute(*state, context);
  collect(*state, fetches);
  release(std::move(state));
}

void Plan::run_inside(std::span<const Tensor> feeds, std::span<Tensor> fetches, RunScope& scope,
                      bool take_feeds) const {
  if (!variables_ready()) convert_variables();
  std::unique_ptr<RunState> state = acquire();
  bind_feeds(*state, feeds);
  bind_variables(*state);
  StepContext context(*this, *state, scope, draws_random_ ? scope.next_random_call() : 0,
                      take_feeds);
  execute(*state, context);
  collect(*state, fetches);
  release(std::move(state));
}

void Plan::execute(RunState& state, StepContext& context) const {
  const RunOptions& options = context.run_scope()->options();
  // Steps are timed in the plan that the session runs; a call counts as one.
  std::vector<double>* const step_seconds = is_called_ ? nullptr : options.step_seconds;
  size_t current = 0;
  try {
    for (; current < steps_.size(); ++current) {
      const PlanStep& step = steps_[current];
      const auto start = step_seconds == nullptr ? std::chrono::steady_clock::time_point()
                                                 : std::chrono::steady_clock::now();
      if (step.kernel != nullptr) {
        context.enter(current);
        step.kernel->compute(context);
      } else {
        run_dynamic(state, step, context);
      }
      for (int variable : step.writes) bind_variable(state, variable);
      if (options.check_finite) check_finite(state, step);
      if (step_seconds != nullptr) {
        (*step_seconds)[current] +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }
    }
  } catch (Error& error) {
    if (context.run_scope()->may_tell()) error.add_context(steps_[current].node->to_string());
    throw;
  } catch (...) {
    rethrow_as_error(*steps_[current].node);
  }
}

void Plan::run_dynamic(RunState& state, const PlanStep& step, StepContext& context) const {
  std::vector<Tensor> inputs;
  std::vector<Resource*> resources;
  for (int v : step.inputs) {
    const PlanValue& value = values_[static_cast<size_t>(v)];
    inputs.push_back(as_tensor(state, value));
    const auto index = static_cast<size_t>(value.index);
    resources.push_back(value.source == Source::kResource ? variables_[index].state
                        : value.source == Source::kHandle ? handles_[index].get()
                                                          : nullptr);
  }
  std::vector<Tensor> outputs = evaluate(*step.node, inputs, *kernels_,
                                         {.random_run = context.random_run(),
                                          .resources = resources,
                                          .functions = functions_interface(),
                                          .caller = &context});
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const PlanValue& value = values_[static_cast<size_t>(step.outputs[i])];
    if (value.dtype == kResource) continue;  // a loop hands its handles on
    if (outputs[i].dtype() != value.dtype || !outputs[i].shape().is_compatible_with(value.shape)) {
      throw internal_error("output ", i, " was inferred to be ", value.dtype, value.shape,
                           " but is ", outputs[i].dtype(), outputs[i].shape(),
                           "; the op's shape function contradicts itself or its kernel");
    }
    if (value.source == Source::kSlot) {
      Tensor& slot = state.slots[static_cast<size_t>(value.index)];
      if (value.shape.is_fully_defined()) {
        move_objects(outputs[i], slot);
      } else {
        slot = std::move(outputs[i]);
      }
    } else {
      std::memcpy(resolve(state, value), outputs[i].raw(), outputs[i].byte_size());
    }
  }
}

void Plan::check_finite(const RunState& state, const PlanStep& step) const {
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const PlanValue& value = values_[static_cast<size_t>(step.outputs[i])];
    if (!is_floating(value.dtype)) continue;
    Tensor tensor = as_tensor(state, value);
    if (value.layout != nullptr) {
      Tensor plain(value.dtype, value.shape);
      convert_layout(value.dtype, value.shape, value.layout, tensor.raw(), nullptr,
                     plain.mutable_raw());
      tensor = std::move(plain);
    }
    for (int64_t e = 0; e < tensor.num_elements(); ++e) {
      if (std::isfinite(tensor.at(e))) continue;
      throw out_of_range("output ", i, " ", tensor.dtype(), tensor.shape(),
                         " is not finite: element ", e, " is ", tensor.at(e));
    }
  }
}

}  // namespace thalweg
