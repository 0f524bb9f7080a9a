// Running a plan: nothing is allocated, looked up or locked per step.
#include <chrono>
#include <cmath>
#include <cstring>

#include "runtime/plan.h"
#include "thalweg/base/log.h"
#include "thalweg/kernels/evaluate.h"

namespace thalweg {

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
  StepContext(const Plan& plan, RunState& state, const RunOptions& options, uint64_t random_run)
      : plan_(plan), state_(state), options_(options), random_run_(random_run) {}

  void enter(size_t step) {
    step_ = &plan_.steps_[step];
    void** arguments = state_.arguments.data() + plan_.argument_begin_[step];
    inputs_ = arguments;
    outputs_ = arguments + step_->inputs.size();
    scratch_ = state_.scratch[step];
    KernelContext::state_ = state_.kernel_states[step].get();
  }

  void set_output(int i, Tensor value) override {
    const PlanValue& target =
        plan_.values_[static_cast<size_t>(step_->outputs[static_cast<size_t>(i)])];
    THALWEG_CHECK(target.source == Source::kSlot, "output ", i, " has memory already");
    state_.slots[static_cast<size_t>(target.index)] = std::move(value);
  }
  uint64_t random_run() const override { return random_run_; }
  void print(std::string_view text) override {
    if (options_.print) {
      options_.print(text);
    } else {
      log(LogLevel::kInfo, "print", text);
    }
  }

 private:
  const Plan& plan_;
  RunState& state_;
  const RunOptions& options_;
  uint64_t random_run_;
  const PlanStep* step_ = nullptr;
};

Plan::Plan() = default;
Plan::~Plan() = default;

std::unique_ptr<Plan::RunState> Plan::make_run_state() const {
  auto state = std::make_unique<RunState>();
  state->arena = Buffer::allocate(std::max<size_t>(memory_.arena_bytes, 1));
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

bool Plan::variables_ready() const {
  for (const PlanVariable& variable : variables_) {
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
  } else if (!variables_.empty()) {
    shared.lock();
    while (!variables_ready()) {
      shared.unlock();
      alone.lock();
      convert_variables();
      alone.unlock();
      shared.lock();
    }
  }

  const uint64_t random_run = draws_random_ ? store_->random_runs_.fetch_add(1) : 0;
  std::unique_ptr<RunState> state = acquire();
  bind_feeds(*state, feeds);
  for (size_t v = 0; v < variables_.size(); ++v) bind_variable(*state, static_cast<int>(v));
  execute(*state, options, random_run);
  collect(*state, fetches);
  release(std::move(state));
}

void Plan::execute(RunState& state, const RunOptions& options, uint64_t random_run) const {
  StepContext context(*this, state, options, random_run);
  size_t current = 0;
  try {
    for (; current < steps_.size(); ++current) {
      const PlanStep& step = steps_[current];
      const auto start = options.step_seconds == nullptr ? std::chrono::steady_clock::time_point()
                                                         : std::chrono::steady_clock::now();
      if (step.kernel != nullptr) {
        context.enter(current);
        step.kernel->compute(context);
      } else {
        run_dynamic(state, step, random_run);
      }
      for (int variable : step.writes) bind_variable(state, variable);
      if (options.check_finite) check_finite(state, step);
      if (options.step_seconds != nullptr) {
        (*options.step_seconds)[current] +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }
    }
  } catch (Error& error) {
    error.add_context(steps_[current].node->to_string());
    throw;
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

void Plan::run_dynamic(RunState& state, const PlanStep& step, uint64_t random_run) const {
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
  std::vector<Tensor> outputs =
      evaluate(*step.node, inputs, *kernels_, {.random_run = random_run, .resources = resources});
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const PlanValue& value = values_[static_cast<size_t>(step.outputs[i])];
    if (value.source == Source::kSlot) {
      state.slots[static_cast<size_t>(value.index)] = std::move(outputs[i]);
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

void Plan::collect(const RunState& state, std::span<Tensor> fetches) const {
  for (size_t i = 0; i < fetches.size(); ++i) {
    const PlanValue& value = values_[static_cast<size_t>(fetches_[i])];
    const bool in_place = fetches[i].is_valid() && fetches[i].dtype() == value.dtype &&
                          fetches[i].shape() == value.shape && fetches[i].owns_buffer_alone() &&
                          !holds_objects(value.dtype);
    if (in_place) {
      const void* from =
          value.source == Source::kArena ? resolve(state, value) : as_tensor(state, value).raw();
      std::memcpy(fetches[i].mutable_raw(), from, fetches[i].byte_size());
    } else {
      fetches[i] = as_tensor(state, value).clone();
    }
  }
}

}  // namespace thalweg
