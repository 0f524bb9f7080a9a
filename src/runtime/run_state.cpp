// The states of runs: made once, kept for the next run, bound to its feeds and variables.
#include "runtime/run_state.h"

#include <algorithm>

#include "runtime/arena_error.h"

namespace thalweg {

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

void Plan::bind_variables(RunState& state) const {
  for (size_t v = 0; v < variables_.size(); ++v) bind_variable(state, static_cast<int>(v));
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

}  // namespace thalweg
