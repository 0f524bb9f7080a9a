// A model folder as a TableEstimator again.
#include "estimator/columns/transform_state.h"
#include "estimator/table/table_model_json.h"
#include "estimator/table/table_state.h"

namespace thalweg {
namespace {

std::unique_ptr<TableEstimator::State> load_once(const std::string& folder,
                                                 const std::optional<Custom>& custom,
                                                 const ModelRecord& record) {
  if (record.kind != kTableKind || !record.table || !record.head) {
    throw invalid_argument("'", folder, "' holds a ", record.kind,
                           ", not a model of a table; load it with Estimator::load");
  }
  auto state = std::make_unique<TableEstimator::State>();
  state->spec = *record.head;
  state->family = to_table_model(parse_json(record.table->model));
  if (auto* model = std::get_if<Custom>(&state->family)) {
    if (!custom) {
      throw failed_precondition("the network of '", folder,
                                "' is a function, which its folder does not describe; load it "
                                "with TableEstimator::load and a Custom with that function");
    }
    model->logits = custom->logits;
    model->optimizer = custom->optimizer;
  } else if (custom) {
    throw invalid_argument("'", folder, "' holds a model of the family ", family_of(state->family),
                           ", which needs no function");
  }
  state->transform = Transform::from_json(record.table->transform);
  state->options = {.batch_size = record.run.batch_size,
                    .seed = record.run.seed,
                    .model_folder = folder,
                    .transform = state->transform->state().options};
  state->check();
  state->head = make_head(state->spec, record.label);
  state->record = record;
  if (is_trees(state->family) && record.table->structure.empty()) return state;  // no trees yet
  state->model = std::make_unique<ModelGraph>(
      table_parts(state->family, *state->transform, *state->head, record.table->structure),
      *state->head, record.run.seed, state->variables);
  state->has_weights = restore_weights(folder, record, *state->model, *state->variables);
  return state;
}

std::unique_ptr<TableEstimator::State> load_state(const std::string& folder,
                                                  const std::optional<Custom>& custom) {
  std::unique_ptr<TableEstimator::State> state;
  load_whole(folder, [&](const ModelRecord& record) { state = load_once(folder, custom, record); });
  return state;
}

}  // namespace

TableEstimator TableEstimator::load(const std::string& folder) {
  return TableEstimator(load_state(folder, {}));
}

TableEstimator TableEstimator::load(const std::string& folder, Custom model) {
  if (!model.logits) {
    throw invalid_argument("a custom model needs its function `logits`, but that is empty");
  }
  return TableEstimator(load_state(folder, std::move(model)));
}

}  // namespace thalweg
