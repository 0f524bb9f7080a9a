// Running a plan: nothing is allocated, looked up or locked per step.
#include <chrono>
#include <cmath>
#include <cstring>

#include "runtime/arena_error.h"
#include "runtime/plan_functions.h"
#include "runtime/run_scope.h"
#include "thalweg/base/log.h"
#include "thalweg/kernels/evaluate.h"
#include "thalweg/tensor/variant.h"

namespace thalweg {
namespace {

// How often a run that only reads asks for the variables' layouts before it takes them for itself.
constexpr int kMaxTries = 2;

// Strings or variants of a tensor into another of the same shape.
void move_objects(Tensor& from, Tensor& to) {
  const auto move_all = [&]<class T>(TypeTag<T>) {
    std::span<const T> values = from.data<T>();
    std::span<T> target = to.mutable_data<T>();
    const bool alone = from.owns_buffer_alone();
    for (size_t e = 0; e < values.size(); ++e)
      target[e] = alone ? std::move(const_cast<T&>(values[e])) : values[e];
  };
  if (to.dtype() == kString) move_all(TypeTag<std::string>());
  if (to.dtype() == kVariant) move_all(TypeTag<Variant>());
}

}  // namespace

/// What one run at a time needs of its own; kept for the next run.
struct Plan::RunState {
  std::shared_ptr<Buffer> arena;
  std::vector<Tensor> feeds;
  std::vector<Tensor> slots;
  std::vector<void*> arguments;
  std::vector<std::unique_ptr<KernelState>> kernel_states;  // by step
  std::vector<void*> scratch;                               // by step
  std::vector<const void*> variable_buffers;                // as bound now
};

/// The window of a kernel on the run: moved from step to step.
class Plan::StepContext final : public KernelContext {
 public:
  StepContext(const Plan& plan, RunState& state, RunScope& scope, uint64_t random_run,
              bool take_feeds)
      : plan_(plan), run_(state), scope_(scope), random_run_(random_run), take_feeds_(take_feeds) {}

  void enter(size_t step) {
    step_ = &plan_.steps_[step];
    void** arguments = run_.arguments.data() + plan_.argument_begin_[step];
    inputs_ = arguments;
    outputs_ = arguments + step_->inputs.size();
    scratch_ = run_.scratch[step];
    KernelContext::state_ = run_.kernel_states[step].get();
  }

  void set_output(int i, Tensor value) override {
    const PlanValue& target =
        plan_.values_[static_cast<size_t>(step_->outputs[static_cast<size_t>(i)])];
    THALWEG_CHECK(target.source == Source::kSlot, "output ", i, " has memory already");
    run_.slots[static_cast<size_t>(target.index)] = std::move(value);
  }
  Tensor input_tensor(int i) const override { return plan_.as_tensor(run_, input_value(i)); }
  bool is_last_use(int i) const override {
    if (step_->last_uses.empty() || !step_->last_uses[static_cast<size_t>(i)]) return false;
    return take_feeds_ || input_value(i).source != Source::kFeed;
  }
  RunScope* run_scope() const override { return &scope_; }
  uint64_t random_run() const override { return random_run_; }
  void print(std::string_view text) override {
    if (scope_.options().print) {
      scope_.options().print(text);
    } else {
      log(LogLevel::kInfo, "print", text);
    }
  }

 private:
  const PlanValue& input_value(int i) const {
    return plan_.values_[static_cast<size_t>(step_->inputs[static_cast<size_t>(i)])];
  }

  const Plan& plan_;
  RunState& run_;
  RunScope& scope_;
  uint64_t random_run_;
  bool take_feeds_;
  const PlanStep* step_ = nullptr;
};

Plan::Plan() = default;
Plan::~Plan() = default;

std::unique_ptr<Plan::RunState> Plan::make_run_state() const {
  auto state = std::make_unique<RunState>();
  try {
    state->arena = Buffer::allocate(std::max<size_t>(memory_.arena_bytes, 1));
  } catch (const Error& error) {
    throw arena_error(error, steps_, values_);
  }
  state->feeds.resize(feeds_.size());
  for (const PlanValue& slot : slots_) {
    // Strings of known shape have their objects made once; other slots are filled by the kernel.
    state->slots.push_back(slot.shape.is_fully_defined() ? Tensor::zeros(slot.dtype, slot.shape)
                                                         : Tensor());
  }
  state->variable_buffers.assign(variables_.size(), nullptr);
  char* arena = static_cast<char*>(state->arena->data());
  for (const PlanStep& step : steps_) {
    for (const auto* list : {&step.inputs, &step.outputs}) {
      for (int v : *list)
        state->arguments.push_back(resolve(*state, values_[static_cast<size_t>(v)]));
    }
    state->kernel_states.push_back(step.kernel == nullptr ? nullptr : step.kernel->make_state());
    state->scratch.push_back(
        step.scratch < 0 ? nullptr : arena + memory_.offsets[static_cast<size_t>(step.scratch)]);
  }
  return state;
}

// The address, where it is the same in every run; null for what is bound later.
void* Plan::resolve(const RunState& state, const PlanValue& value) const {
  const auto index = static_cast<size_t>(value.index);
  switch (value.source) {
    case Source::kArena: return static_cast<char*>(state.arena->data()) + memory_.offsets[index];
    case Source::kConstant: return const_cast<void*>(constants_[index].raw());
    case Source::kResource: return static_cast<Resource*>(variables_[index].state);
    case Source::kHandle: return handles_[index].get();
    case Source::kSlot: return const_cast<void*>(state.slots[index].raw());
    case Source::kFeed:
    case Source::kVariable: return nullptr;
  }
  return nullptr;
}

std::unique_ptr<Plan::RunState> Plan::acquire() const {
  {
    const std::lock_guard lock(pool_mutex_);
    if (!pool_.empty()) {
      std::unique_ptr<RunState> state = std::move(pool_.back());
      pool_.pop_back();
      return state;
    }
  }
  return make_run_state();
}

void Plan::release(std::unique_ptr<RunState> state) const {
  for (Tensor& feed : state->feeds) feed = Tensor();
  const std::lock_guard lock(pool_mutex_);
  pool_.push_back(std::move(state));
}

void Plan::bind_feeds(RunState& state, std::span<const Tensor> feeds) const {
  for (size_t i = 0; i < feeds.size(); ++i) {
    state.feeds[i] = feeds[i];
    for (const Patch& patch : feed_patches_[i]) {
      state.arguments[static_cast<size_t>(patch.argument)] = const_cast<void*>(feeds[i].raw());
    }
  }
}

void Plan::bind_variable(RunState& state, int variable) const {
  const auto index = static_cast<size_t>(variable);
  const Buffer* buffer = variables_[index].state->buffer.get();
  void* data = buffer == nullptr ? nullptr : buffer->data();
  if (state.variable_buffers[index] == data) return;
  state.variable_buffers[index] = data;
  for (const Patch& patch : variable_patches_[index]) {
    state.arguments[static_cast<size_t>(patch.argument)] = data;
  }
}

namespace {

// Somebody uses the value as a constant, or still reads it: see VariableStore::share().
bool is_shared(const PlanVariable& variable) {
  return variable.is_written && variable.state->initialized &&
         variable.state->buffer.use_count() > 1;
}

}  // namespace

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

void Plan::bind_variables(RunState& state) const {
  for (size_t v = 0; v < variables_.size(); ++v) bind_variable(state, static_cast<int>(v));
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

Tensor Plan::as_tensor(const RunState& state, const PlanValue& value) const {
  const auto index = static_cast<size_t>(value.index);
  const auto view = [&](const Tensor& tensor) {
    // A slot's shape is only known now; every other view has its own.
    return value.shape.is_fully_defined() ? tensor.reshape(value.shape) : tensor;
  };
  switch (value.source) {
    case Source::kArena:
      return Tensor::share(value.dtype, value.shape, state.arena, memory_.offsets[index]);
    case Source::kConstant: return view(constants_[index]);
    case Source::kFeed: return view(state.feeds[index]);
    case Source::kVariable:
      return Tensor::share(value.dtype, value.shape, variables_[index].state->buffer);
    case Source::kSlot: return view(state.slots[index]);
    case Source::kResource:
    case Source::kHandle: return Tensor();
  }
  return Tensor();
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

// Hands a slot's contents over, when nothing else of the plan gives them away.
bool Plan::take_object(RunState& state, size_t fetch, Tensor& target) const {
  if (!fetch_takes_[fetch]) return false;
  const PlanValue& value = values_[static_cast<size_t>(fetches_[fetch])];
  Tensor& slot = state.slots[static_cast<size_t>(value.index)];
  if (!value.shape.is_fully_defined()) {
    if (!slot.owns_buffer_alone()) return false;
    target = std::move(slot);
    slot = Tensor();
    return true;
  }
  if (value.dtype != kVariant) return false;
  const bool fits = target.is_valid() && target.dtype() == kVariant &&
                    target.shape() == value.shape && target.owns_buffer_alone();
  if (!fits) target = Tensor(kVariant, value.shape);
  move_objects(slot, target);
  return true;
}

void Plan::collect(RunState& state, std::span<Tensor> fetches) const {
  for (size_t i = 0; i < fetches.size(); ++i) {
    const PlanValue& value = values_[static_cast<size_t>(fetches_[i])];
    const bool in_place = fetches[i].is_valid() && fetches[i].dtype() == value.dtype &&
                          fetches[i].shape() == value.shape && fetches[i].owns_buffer_alone() &&
                          !holds_objects(value.dtype);
    if (in_place) {
      const void* from =
          value.source == Source::kArena ? resolve(state, value) : as_tensor(state, value).raw();
      std::memcpy(fetches[i].mutable_raw(), from, fetches[i].byte_size());
    } else if (!take_object(state, i, fetches[i])) {
      fetches[i] = as_tensor(state, value).clone();
    }
  }
}

}  // namespace thalweg
