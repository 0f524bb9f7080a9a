// A model folder as an estimator again.
#include <exception>
#include <tuple>

#include "estimator/estimator_state.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/network_file.h"

namespace thalweg {
namespace {

int64_t num_outputs(const ModelRecord& record) {
  return record.label.class_names.empty() ? 1
                                          : static_cast<int64_t>(record.label.class_names.size());
}

// The weights that the record names; of a training under way the newest.
bool restore_weights(const std::string& folder, const ModelRecord& record, const ModelGraph& model,
                     VariableStore& variables) {
  const CheckpointManager checkpoints(folder, {.read_only = true});
  if (checkpoints.latest().empty()) return false;
  const std::string named = join_path(folder, record.weights);
  if (!record.weights.empty()) {
    checkpoints.restore(named, model.graph(), variables);
  } else {
    checkpoints.restore_latest(model.graph(), variables);
  }
  return true;
}

// Of the same training, so that weights of one fit the scaling of the other.
bool is_same_training(const ModelRecord& a, const ModelRecord& b) {
  const auto settings = [](const ModelRecord& r) {
    return std::tie(r.kind, r.network, r.input.columns, r.input.mean, r.input.deviation,
                    r.label.class_names, r.label.mean, r.label.deviation, r.run.seed, r.run.started,
                    r.run.data_fingerprint);
  };
  return settings(a) == settings(b);
}

std::unique_ptr<Estimator::State> load_once(const std::string& folder, std::string_view kind,
                                            const LayerMakers& makers, Network network,
                                            ModelRecord record) {
  auto state = std::make_unique<Estimator::State>();
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
  state->model = std::make_unique<ModelGraph>(state->network, record.input, *state->head,
                                              state->seed, state->variables);
  state->has_weights = restore_weights(folder, record, *state->model, *state->variables);
  state->record = std::move(record);
  return state;
}

}  // namespace

// A training may replace the model between the reading of its record and that of its weights: then
// all is read again.
std::unique_ptr<Estimator::State> load_state(const std::string& folder, std::string_view kind,
                                             const LayerMakers& makers, Network network) {
  constexpr int kMostTries = 5;
  ModelRecord record = read_model_record(folder);
  for (int attempt = 1;; ++attempt) {
    std::unique_ptr<Estimator::State> state;
    std::exception_ptr fault;
    try {
      state = load_once(folder, kind, makers, network, record);
    } catch (const Error&) {
      fault = std::current_exception();
    }
    ModelRecord now = read_model_record(folder);
    const bool is_same = is_same_training(record, now) && record.weights == now.weights;
    if (state && is_same_training(record, now)) return state;
    if (fault && (is_same || attempt == kMostTries)) std::rethrow_exception(fault);
    if (attempt == kMostTries) {
      throw unavailable("'", folder,
                        "': the model is replaced all the time while it is read; read "
                        "it again when the training is over");
    }
    record = std::move(now);
  }
}

}  // namespace thalweg
