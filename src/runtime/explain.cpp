// What a plan does, for people.
#include <algorithm>

#include "runtime/plan.h"

namespace thalweg {
namespace {

std::string pad(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string kilobytes(size_t bytes) { return str((bytes + 1023) / 1024, " KiB"); }

std::string microseconds(double seconds) {
  return str(static_cast<int64_t>(seconds * 1e7) / 10.0, " us");
}

}  // namespace

std::string Plan::explain(const std::vector<double>* step_seconds) const {
  std::string text;
  size_t conversions = 0;
  double total = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const PlanStep& step = steps_[s];
    conversions += step.is_conversion ? 1 : 0;
    append(text, pad(str(s), 4));
    if (step_seconds != nullptr) {
      append(text, pad(microseconds((*step_seconds)[s]), 12));
      total += (*step_seconds)[s];
    }
    append(text, pad(step.is_conversion ? "(layout)" : std::string(step.node->type()), 26));
    std::string kernel = step.provider;
    if (step.kernel != nullptr && !step.kernel->traits().note.empty()) {
      append(kernel, str(" ", step.kernel->traits().note));
    }
    append(text, pad(kernel, 26));
    append(text, step.node->name());
    for (int v : step.outputs) {
      const PlanValue& value = values_[static_cast<size_t>(v)];
      append(text, str(" -> ", value.dtype, value.shape));
      if (value.layout != nullptr) append(text, str(" as ", value.layout->to_string()));
      if (value.source == Source::kArena)
        append(text, str(" @", memory_.offsets[static_cast<size_t>(value.index)]));
    }
    text += '\n';
  }
  for (const PlanVariable& variable : variables_) {
    if (variable.layout == nullptr) continue;
    append(text, str("variable ", variable.state->name, " is kept as ",
                     variable.layout->to_string(), "\n"));
  }
  if (step_seconds != nullptr) append(text, str("all steps: ", microseconds(total), "\n"));
  append(text, str(steps_.size(), " steps, ", conversions, " layout changes; arena ",
                   kilobytes(memory_.arena_bytes), " for intermediates of ",
                   kilobytes(intermediate_bytes_), "\n"));
  return text;
}

}  // namespace thalweg
