// The results of a run: into the caller's memory where it fits, handed over where nothing else
// needs them, else copied.
#include <cstring>

#include "runtime/move_objects.h"
#include "runtime/run_state.h"

namespace thalweg {

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
