// The last part of building a plan: where each tensor lies, and what each step is handed.
#include <algorithm>

#include "runtime/plan_builder.h"

namespace thalweg {

// Objects (lists) are taken over by the last step that reads them, where its kernel likes to.
void PlanBuilder::find_last_uses() {
  const auto place = [&](int v) {
    const PlanValue& value = plan_.values_[static_cast<size_t>(v)];
    return std::pair(value.source, value.index);
  };
  const auto may_be_taken = [&](int v) {
    const PlanValue& value = plan_.values_[static_cast<size_t>(v)];
    return value.dtype == kVariant &&
           (value.source == Source::kSlot || value.source == Source::kFeed);
  };
  std::map<std::pair<Source, int>, int> fetched;
  for (int fetch : plan_.fetches_) ++fetched[place(fetch)];
  for (int fetch : plan_.fetches_) {
    const PlanValue& value = plan_.values_[static_cast<size_t>(fetch)];
    plan_.fetch_takes_.push_back(value.source == Source::kSlot && fetched[place(fetch)] == 1 &&
                                 value.shape ==
                                     plan_.slots_[static_cast<size_t>(value.index)].shape);
  }
  std::set<std::pair<Source, int>> needed;
  for (const auto& [where, count] : fetched) needed.insert(where);
  for (size_t s = plan_.steps_.size(); s-- > 0;) {
    PlanStep& step = plan_.steps_[s];
    if (std::none_of(step.inputs.begin(), step.inputs.end(), may_be_taken)) continue;
    for (int v : step.inputs) {
      const auto uses = std::count_if(step.inputs.begin(), step.inputs.end(),
                                      [&](int other) { return place(other) == place(v); });
      step.last_uses.push_back(may_be_taken(v) && uses == 1 && !needed.contains(place(v)));
    }
    for (int v : step.inputs) {
      if (may_be_taken(v)) needed.insert(place(v));
    }
  }
}

void PlanBuilder::plan_memory_of_steps() {
  const int end = static_cast<int>(plan_.steps_.size());
  for (Lifetime& storage : plan_.storages_) {
    storage.first = end;
    storage.last = -1;
    plan_.intermediate_bytes_ += storage.bytes;
  }
  const auto touch = [&](int storage, int step) {
    Lifetime& life = plan_.storages_[static_cast<size_t>(storage)];
    life.first = std::min(life.first, step);
    life.last = std::max(life.last, step);
  };
  for (int s = 0; s < end; ++s) {
    const PlanStep& step = plan_.steps_[static_cast<size_t>(s)];
    for (const auto* list : {&step.inputs, &step.outputs}) {
      for (int v : *list) {
        const PlanValue& value = plan_.values_[static_cast<size_t>(v)];
        if (value.source == Source::kArena) touch(value.index, s);
      }
    }
    if (step.scratch >= 0) touch(step.scratch, s);
  }
  for (int fetch : plan_.fetches_) {
    const PlanValue& value = plan_.values_[static_cast<size_t>(fetch)];
    if (value.source == Source::kArena) touch(value.index, end);
  }

  std::vector<int> owner(plan_.storages_.size());
  for (size_t i = 0; i < owner.size(); ++i) owner[i] = static_cast<int>(i);
  share_in_place(owner);
  for (PlanValue& value : plan_.values_) {
    if (value.source == Source::kArena) value.index = owner[static_cast<size_t>(value.index)];
  }
  plan_.memory_ = plan_memory(plan_.storages_);
}

// Where a kernel may write over an input that nobody needs afterwards, output and input become one
// storage.
void PlanBuilder::share_in_place(std::vector<int>& owner) {
  const auto storage_of = [&](int v) {
    const PlanValue& value = plan_.values_[static_cast<size_t>(v)];
    return value.source == Source::kArena ? owner[static_cast<size_t>(value.index)] : -1;
  };
  for (size_t s = 0; s < plan_.steps_.size(); ++s) {
    const PlanStep& step = plan_.steps_[s];
    if (step.kernel == nullptr) continue;
    for (const auto& [in, out] : step.kernel->traits().in_place) {
      const int from = storage_of(step.inputs[static_cast<size_t>(in)]);
      const int to = storage_of(step.outputs[static_cast<size_t>(out)]);
      if (from < 0 || to < 0 || from == to) continue;
      Lifetime& kept = plan_.storages_[static_cast<size_t>(from)];
      Lifetime& merged = plan_.storages_[static_cast<size_t>(to)];
      if (kept.last != static_cast<int>(s) || kept.bytes != merged.bytes ||
          merged.first != static_cast<int>(s))
        continue;
      // Another output may have taken the input's bytes already: one that nobody reads later.
      if (std::any_of(step.outputs.begin(), step.outputs.end(),
                      [&](int v) { return storage_of(v) == from; }))
        continue;
      // Another input over the same bytes would see them change.
      const auto uses = std::count_if(step.inputs.begin(), step.inputs.end(),
                                      [&](int v) { return storage_of(v) == from; });
      if (uses != 1) continue;
      kept.last = merged.last;
      merged = {};
      for (int& o : owner) {
        if (o == to) o = from;
      }
    }
  }
}

void PlanBuilder::lay_out_arguments() {
  plan_.feed_patches_.assign(plan_.feeds_.size(), {});
  plan_.variable_patches_.assign(plan_.variables_.size(), {});
  int next = 0;
  for (const PlanStep& step : plan_.steps_) {
    plan_.argument_begin_.push_back(next);
    for (const auto* list : {&step.inputs, &step.outputs}) {
      for (int v : *list) {
        const PlanValue& value = plan_.values_[static_cast<size_t>(v)];
        if (value.source == Source::kFeed)
          plan_.feed_patches_[static_cast<size_t>(value.index)].push_back({next, v});
        if (value.source == Source::kVariable) {
          plan_.variable_patches_[static_cast<size_t>(value.index)].push_back({next, v});
        }
        ++next;
      }
    }
  }
  plan_.argument_begin_.push_back(next);
}

}  // namespace thalweg
