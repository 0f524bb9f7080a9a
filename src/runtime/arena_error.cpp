#include "runtime/arena_error.h"

#include <cstdint>

namespace thalweg {

Error arena_error(const Error& error, const std::vector<PlanStep>& steps,
                  const std::vector<PlanValue>& values) {
  const PlanStep* largest_step = nullptr;
  const PlanValue* largest = nullptr;
  double most = -1;
  for (const PlanStep& step : steps) {
    for (int v : step.outputs) {
      const PlanValue& value = values[static_cast<size_t>(v)];
      if (value.source != Source::kArena || !value.shape.is_fully_defined()) continue;
      double bytes = static_cast<double>(element_size(value.dtype));
      for (int64_t dim : value.shape.dims()) bytes *= static_cast<double>(dim);
      if (bytes <= most) continue;
      most = bytes;
      largest = &value;
      largest_step = &step;
    }
  }
  if (largest == nullptr) return error;
  return Error(error.code(),
               str(error.message(), "; that is for all intermediate values of the run, of which ",
                   largest->dtype, largest->shape, " of ", *largest_step->node,
                   " is the largest; smaller inputs or batches need less"));
}

}  // namespace thalweg
