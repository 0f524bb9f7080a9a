// Estimator::fit: from data and options to a training.
#include "estimator/estimator_state.h"
#include "estimator/fit_run.h"

namespace thalweg {

FitReport Estimator::fit(const Tensor& features, const Tensor& labels, const FitOptions& options) {
  return fit(Dataset::from_tensors({features, label_vector(labels)}), options);
}

FitReport Estimator::fit(const Dataset& data, const FitOptions& options) {
  State& s = *state_;
  FitFolder folder(s.folder, options);
  std::shared_ptr<Head> head = make_head(s.kind, s.label);
  TensorData prepared = prepare_tensors(data,
                                        {.batch_size = s.batch_size,
                                         .seed = s.seed,
                                         .validation_split = options.validation_split,
                                         .validation = options.validation,
                                         .standardize = s.standardize,
                                         .columns = s.columns},
                                        *head);
  FitTask task;
  task.record = s.new_record(*head, prepared.input);
  task.head = std::move(head);
  task.data = std::move(prepared.data);
  task.batch_size = s.batch_size;
  task.seed = s.seed;
  task.parts = [&](const std::string&) { return tensor_parts(prepared.input, s.network); };
  task.optimizers = [&](int64_t steps) {
    return std::vector<OptimizerShare>{{"", make_optimizer(s.optimizer, steps)}};
  };
  return run_fit(s, folder, std::move(task), options);
}

}  // namespace thalweg
