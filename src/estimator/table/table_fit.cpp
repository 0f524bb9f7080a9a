// TableEstimator::fit: from a table to a training.
#include <utility>

#include "estimator/table/table_state.h"

namespace thalweg {
namespace {

std::vector<std::string> names_of(const TableSource& rows) {
  std::vector<std::string> names;
  for (const data::ColumnInfo& column : rows.columns()) names.push_back(column.name);
  return names;
}

}  // namespace

FitReport TableEstimator::fit(const TableSource& rows, const FitOptions& options,
                              const TableSource* validation) {
  State& s = *state_;
  if (options.validation) {
    throw invalid_argument(
        "FitOptions::validation is a data set of tensors; give a table of validation rows to fit() "
        "instead");
  }
  FitFolder folder(s.options.model_folder, options);
  const TableParts parts = part_rows(s.spec, rows, validation,
                                     {.validation_split = options.validation_split,
                                      .seed = s.options.seed,
                                      .own_units = learns_own_units(s.family),
                                      .limits = s.limits});
  TransformOptions transform_options = s.options.transform;
  transform_options.for_trees = is_trees(s.family);
  // By the training rows alone: what is to judge the model has no part in it.
  const Transform transform =
      Transform::fit(columns_of(s.family), *parts.training.table, transform_options);

  FitTask task;
  task.record = s.new_record(*parts.head, transform);
  task.head = parts.head;
  task.solver = table_solver(s.family, transform, s.spec, *parts.head);
  task.builds_after_solver = is_trees(s.family);
  task.data = prepare_parts(parts, transform, s.spec, task.solver != nullptr, s.options.batch_size,
                            s.options.seed, s.limits);
  task.data.fingerprint = fingerprint_text(rows.fingerprint(), names_of(rows), parts.head->label());
  if (validation != nullptr) {
    task.data.validation_fingerprint =
        fingerprint_text(validation->fingerprint(), names_of(*validation), parts.head->label());
  }
  task.batch_size = s.options.batch_size;
  task.seed = s.options.seed;
  task.parts = [&](const std::string& structure) {
    return table_parts(s.family, transform, *parts.head, structure);
  };
  task.optimizers = [&](int64_t steps) {
    return table_optimizers(s.family, s.options.batch_size, steps);
  };
  const auto previous = std::exchange(s.transform, transform);
  const auto* old_graph = s.model.get();
  try {
    return run_fit(s, folder, std::move(task), options);
  } catch (...) {
    // Nothing had begun: the model is still the one before.
    if (s.model.get() == old_graph) s.transform = previous;
    throw;
  }
}

}  // namespace thalweg
