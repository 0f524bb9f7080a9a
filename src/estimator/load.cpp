// A model folder as an estimator again.
#include "estimator/estimator_state.h"
#include "thalweg/estimator/network_file.h"

namespace thalweg {
namespace {

int64_t num_outputs(const ModelRecord& record) {
  return record.label.class_names.empty() ? 1
                                          : static_cast<int64_t>(record.label.class_names.size());
}

std::unique_ptr<Estimator::State> load_once(const std::string& folder, std::string_view kind,
                                            const LayerMakers& makers, Network network,
                                            ModelRecord record) {
  auto state = std::make_unique<Estimator::State>();
  if (record.kind == kTableKind) {
    throw failed_precondition("'", folder,
                              "' holds a model of a table; load it with TableEstimator::load");
  }
  if (!kind.empty() && kind != record.kind) {
    throw invalid_argument("'", folder, "' holds a ", record.kind, ", expected a ", kind);
  }
  state->kind = record.kind;
  state->network = std::move(network);
  if (!state->network) {
    if (record.network.empty()) {
      throw failed_precondition("the network of '", folder,
                                "' is a function, which its folder does not describe; load it "
                                "with Classifier::load or Regressor::load and that function");
    }
    state->layer = parse_network(record.network, num_outputs(record), makers);
    state->network = *state->layer;
  }
  if (record.settings) state->optimizer = *record.settings;
  state->batch_size = record.run.batch_size;
  state->seed = record.run.seed;
  state->standardize = !record.input.mean.empty();
  state->folder = folder;
  state->columns = record.input.columns;
  state->label = record.label;
  state->head = make_head(record.kind, record.label);
  state->model = std::make_unique<ModelGraph>(tensor_parts(record.input, state->network),
                                              *state->head, state->seed, state->variables);
  state->has_weights = restore_weights(folder, record, *state->model, *state->variables);
  state->record = std::move(record);
  return state;
}

}  // namespace

std::unique_ptr<Estimator::State> load_state(const std::string& folder, std::string_view kind,
                                             const LayerMakers& makers, Network network) {
  std::unique_ptr<Estimator::State> state;
  load_whole(folder, [&](const ModelRecord& record) {
    state = load_once(folder, kind, makers, network, record);
  });
  return state;
}

}  // namespace thalweg
