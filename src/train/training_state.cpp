#include "train/training_state.h"

#include <bit>
#include <limits>

#include "thalweg/base/error.h"

namespace thalweg::train {
namespace {

// Names of the tensors, below kExtraPrefix.
constexpr std::string_view kPosition = "data_position";
constexpr std::string_view kRandomRuns = "random_runs";
constexpr std::string_view kFingerprint = "fingerprint";
constexpr std::string_view kEpoch = "epoch";  // int64[2]: epoch, steps made in it
constexpr std::string_view kSums = "epoch_sums";
constexpr std::string_view kFigures = "figures";  // names of the rows of the sums
constexpr std::string_view kEarlyStopping = "early_stopping";
constexpr std::string_view kHistory = "history/epochs";  // int64[n, 2]: epoch, step
constexpr std::string_view kTrain = "history/train";     // float64[n, names]
constexpr std::string_view kTrainNames = "history/train_names";
constexpr std::string_view kValidation = "history/validation";  // a row of NaN: not evaluated
constexpr std::string_view kValidationNames = "history/validation_names";
constexpr std::string_view kEvaluated = "history/evaluated";  // bool[n]

using Figures = std::vector<Figure> EpochRecord::*;

Tensor to_strings(const std::vector<std::string>& texts) {
  return Tensor::from(std::span<const std::string>(texts),
                      Shape{static_cast<int64_t>(texts.size())});
}

const Tensor& at(const CheckpointExtras& extras, std::string_view name) {
  const auto it = extras.find(name);
  if (it == extras.end()) {
    throw failed_precondition("the checkpoint holds variables only (`", kExtraPrefix, name,
                              "` is missing): a training cannot go on from it; restore it and "
                              "start a new training");
  }
  return it->second;
}

// Names come from the first record that has figures: they are the same in all.
void write_table(const std::vector<EpochRecord>& history, Figures figures, std::string_view names,
                 std::string_view values, CheckpointExtras& extras) {
  std::vector<std::string> texts;
  for (const EpochRecord& record : history) {
    if (!texts.empty()) break;
    for (const Figure& f : record.*figures) texts.push_back(f.name);
  }
  Tensor table(kFloat64,
               Shape{static_cast<int64_t>(history.size()), static_cast<int64_t>(texts.size())});
  auto cell = table.mutable_data<double>().begin();
  for (const EpochRecord& record : history) {
    for (const std::string& name : texts) *cell++ = figure(record.*figures, name);
  }
  extras.emplace(names, to_strings(texts));
  extras.emplace(values, std::move(table));
}

std::vector<Figure> read_row(const Tensor& names, const Tensor& values, size_t row) {
  const auto texts = names.data<std::string>();
  std::vector<Figure> figures;
  for (size_t i = 0; i < texts.size(); ++i) {
    figures.push_back({texts[i], values.data<double>()[row * texts.size() + i]});
  }
  return figures;
}

std::vector<EpochRecord> read_history(const CheckpointExtras& extras) {
  const auto epochs = at(extras, kHistory).data<int64_t>();
  std::vector<EpochRecord> history(epochs.size() / 2);
  for (size_t i = 0; i < history.size(); ++i) {
    history[i].epoch = epochs[2 * i];
    history[i].step = epochs[2 * i + 1];
    history[i].train = read_row(at(extras, kTrainNames), at(extras, kTrain), i);
    if (at(extras, kEvaluated).data<bool>()[i]) {
      history[i].validation = read_row(at(extras, kValidationNames), at(extras, kValidation), i);
    }
  }
  return history;
}

}  // namespace

CheckpointExtras TrainingState::to_extras(uint64_t random_runs,
                                          const std::string& fingerprint) const {
  CheckpointExtras extras;
  extras.emplace(kPosition, position.to_tensor());
  extras.emplace(kRandomRuns, Tensor(std::bit_cast<int64_t>(random_runs)));
  extras.emplace(kFingerprint, Tensor(fingerprint));
  extras.emplace(kEpoch, Tensor::of<int64_t>({epoch, step_in_epoch}));
  extras.emplace(kSums, sums.to_tensor());
  extras.emplace(kFigures, to_strings(sums.names()));
  extras.emplace(kEarlyStopping, early_stopping.to_tensor());
  const auto n = static_cast<int64_t>(history.size());
  Tensor epochs(kInt64, Shape{n, 2});
  Tensor evaluated(kBool, Shape{n});
  for (size_t i = 0; i < history.size(); ++i) {
    epochs.mutable_data<int64_t>()[2 * i] = history[i].epoch;
    epochs.mutable_data<int64_t>()[2 * i + 1] = history[i].step;
    evaluated.mutable_data<bool>()[i] = !history[i].validation.empty();
  }
  extras.emplace(kHistory, std::move(epochs));
  extras.emplace(kEvaluated, std::move(evaluated));
  write_table(history, &EpochRecord::train, kTrainNames, kTrain, extras);
  write_table(history, &EpochRecord::validation, kValidationNames, kValidation, extras);
  return extras;
}

void TrainingState::restore(const CheckpointExtras& extras, VariableStore& variables) {
  const auto names = at(extras, kFigures).data<std::string>();
  if (!std::equal(names.begin(), names.end(), sums.names().begin(), sums.names().end())) {
    throw failed_precondition(
        "the checkpoint counts the metrics ", std::vector<std::string>(names.begin(), names.end()),
        ", this training ", sums.names(), "; go on with the metrics of then, or start anew");
  }
  TrainingState next = *this;
  next.position = data::Position::from_tensor(at(extras, kPosition));
  const auto counts = at(extras, kEpoch).data<int64_t>();
  next.epoch = counts[0];
  next.step_in_epoch = counts[1];
  next.sums.restore(at(extras, kSums));
  next.early_stopping.restore(at(extras, kEarlyStopping));
  next.history = read_history(extras);
  variables.set_random_runs(std::bit_cast<uint64_t>(at(extras, kRandomRuns).item<int64_t>()));
  *this = std::move(next);
}

void check_fingerprint(const CheckpointExtras& extras, const std::string& fingerprint,
                       const OptionNames& names) {
  const std::string saved = at(extras, kFingerprint).item<std::string>();
  if (fingerprint.empty() || saved.empty() || saved == fingerprint) return;
  throw failed_precondition(
      "the checkpoint was made with other data or another configuration (fingerprint '", saved,
      "', now '", fingerprint,
      "'); go on with those of then, or start anew in another folder, or with ", names.overwrite);
}

}  // namespace thalweg::train
