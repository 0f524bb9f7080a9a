#include "estimator/fitted_model.h"

#include <cstring>
#include <exception>
#include <tuple>

#include "thalweg/base/clock.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

// The shape of a network is known in part only before it runs, and one may even tell its rows by
// what it is given.
void check_predictions(const Tensor& predictions, const Shape& expected) {
  if (predictions.shape() == expected) return;
  throw invalid_argument("the network gives predictions of shape ", predictions.shape(), " for ",
                         expected[0], " rows, expected ", expected,
                         ": it must keep the rows of its input apart");
}

// Of the same training, so that weights of one fit the scaling of the other.
bool is_same_training(const ModelRecord& a, const ModelRecord& b) {
  const auto settings = [](const ModelRecord& r) {
    return std::tie(r.kind, r.network, r.input.columns, r.input.mean, r.input.deviation,
                    r.label.class_names, r.label.mean, r.label.deviation, r.run.seed, r.run.started,
                    r.run.data_fingerprint);
  };
  const auto table = [](const ModelRecord& r) {
    return r.table ? r.table->model + r.table->transform : std::string();
  };
  return settings(a) == settings(b) && table(a) == table(b);
}

}  // namespace

ModelGraph& FittedModel::ready(const std::string& folder) const {
  if (model != nullptr && has_weights) return *model;
  if (!folder.empty() && is_model_folder(folder)) {
    throw failed_precondition(
        "the model in '", folder,
        "' has no weights: its training saved no checkpoint, or the files are "
        "gone; train it again");
  }
  throw failed_precondition("the estimator has learnt nothing yet; call fit() or load() first");
}

EvaluationReport FittedModel::score(
    const std::function<std::optional<data::Example>()>& next) const {
  const double begin = system_clock().steady_seconds();
  const Callable& step = model->evaluate();
  const size_t labels_at = model->num_inputs();
  const auto score = head->make_score();
  int64_t rows = 0;
  while (const auto batch = next()) {
    const Tensor& labels = (*batch)[labels_at];
    const bool is_weighted = record.head && !record.head->weight.empty();
    const Tensor weights = is_weighted ? (*batch)[labels_at + 1] : Tensor();
    const std::vector<Tensor> results = step(*batch);
    check_predictions(results[1], head->prediction_shape(labels.dim(0)));
    score->add(labels, results[1], weights, results[0].at(0));
    rows += labels.dim(0);
  }
  if (rows == 0) throw invalid_argument("the data have no rows to evaluate on");
  EvaluationReport report = score->report();
  report.seconds = system_clock().steady_seconds() - begin;
  return report;
}

Tensor FittedModel::predict(const data::Example& inputs) const {
  const Callable& step = model->predict();
  const int64_t rows = inputs[0].dim(0);
  Tensor result(kFloat32, head->prediction_shape(rows));
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t begin = 0; begin < rows; begin += kInferenceRows) {
    const int64_t end = std::min(rows, begin + kInferenceRows);
    data::Example piece;
    for (const Tensor& input : inputs) piece.push_back(input.rows(begin, end));
    const Tensor batch = step(piece)[0];
    check_predictions(batch, head->prediction_shape(end - begin));
    std::memcpy(out, batch.raw(), batch.byte_size());
    out += batch.byte_size();
  }
  return result;
}

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

void load_whole(const std::string& folder, const std::function<void(const ModelRecord&)>& load) {
  constexpr int kMostTries = 5;
  ModelRecord record = read_model_record(folder);
  for (int attempt = 1;; ++attempt) {
    std::exception_ptr fault;
    try {
      load(record);
    } catch (const Error&) {
      fault = std::current_exception();
    }
    ModelRecord now = read_model_record(folder);
    const bool is_same = is_same_training(record, now) && record.weights == now.weights;
    if (!fault && is_same_training(record, now)) return;
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
