#include "train/batches.h"

#include "thalweg/base/error.h"

namespace thalweg::train {

void check_batches(std::string_view what, const Dataset& batches,
                   const std::vector<Output>& inputs) {
  const data::Spec spec = batches.spec();
  if (spec.size() != inputs.size()) {
    throw invalid_argument("the ", what, " has ", spec.size(), " components (",
                           data::to_string(spec), "), but the graph is fed ", inputs.size(),
                           "; use map() to choose and order them");
  }
  for (size_t i = 0; i < spec.size(); ++i) {
    const data::Component& component = spec[i];
    if (component.dtype == inputs[i].dtype() &&
        component.shape.is_compatible_with(inputs[i].shape())) {
      continue;
    }
    const bool lacks_batch = component.shape.has_rank() && inputs[i].shape().has_rank() &&
                             component.shape.rank() + 1 == inputs[i].shape().rank();
    throw invalid_argument("component '", component.name, "' of the ", what, " is ",
                           component.dtype, component.shape, ", but input `", inputs[i].name(),
                           "` takes ", inputs[i].dtype(), inputs[i].shape(),
                           lacks_batch ? "; is batch() missing?" : "");
  }
}

int64_t num_examples(std::span<const Tensor> batch) {
  return batch.empty() || batch[0].rank() == 0 ? 1 : batch[0].dim(0);
}

}  // namespace thalweg::train
