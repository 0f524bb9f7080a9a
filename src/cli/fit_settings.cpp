#include "cli/fit_settings.h"

#include <algorithm>
#include <cmath>

#include "cli/fit_steps.h"
#include "cli/paths.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/classifier.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/estimator/regressor.h"

namespace thalweg::cli {
namespace {

constexpr int64_t kImageBatch = 128;
constexpr int64_t kTableBatch = 32;
constexpr int64_t kImageEpochs = 5;
// A small table is passed over more often, so that there are enough steps to learn.
constexpr int64_t kTableSteps = 3000;
constexpr int64_t kFewestTableEpochs = 10;
constexpr int64_t kMostTableEpochs = 200;

// Twice Adam's own default: a rate that falls may begin higher.
constexpr double kFallingAdamRate = 0.002;

int64_t default_epochs(const TrainingData& data, int64_t batch_size) {
  if (data.is_images) return kImageEpochs;
  const int64_t steps = std::max<int64_t>(1, data.rows / batch_size);
  return std::clamp(kTableSteps / steps, kFewestTableEpochs, kMostTableEpochs);
}

Layer read_network(const std::string& name, const TrainingData& data, int64_t outputs) {
  const bool is_file = name.ends_with(".json") || file_exists(name);
  if (is_file) {
    check_regular_file(name);
    try {
      return parse_network(read_file(name), outputs);
    } catch (Error& error) {
      if (error.code() == Code::kInvalidArgument) error.add_context(name);
      throw;
    }
  }
  const auto names = network_names();
  if (std::ranges::find(names, name) == names.end()) {
    const std::string hint = nearest(name, names);
    throw UsageError(str("--model takes ", join(names, ", "), " or a .json file, got '", name,
                         hint.empty() ? "'" : str("'; did you mean '", hint, "'?")));
  }
  if (name == "cnn" && !data.is_images) {
    throw UsageError("--model cnn is for images; a table takes mlp, linear or a file");
  }
  return make_network(name, outputs);
}

NamedOptimizer optimizer_of(const FitArguments& a) {
  NamedOptimizer result{.schedule = "cosine"};
  if (a.optimizer) result.name = *a.optimizer;
  if (a.schedule) result.schedule = *a.schedule;
  if (a.learning_rate) {
    result.learning_rate = *a.learning_rate;
  } else if (result.name == "adam" && result.schedule != "constant") {
    result.learning_rate = kFallingAdamRate;
  }
  return result;
}

template <class T>
void check_unchanged(std::string_view option, const std::optional<T>& given, const T& was) {
  if (!given || *given == was) return;
  throw UsageError(str("--", option, " ", *given, ": the training to go on with has ", was,
                       "; leave the option out, or train anew with --overwrite"));
}

void check_unchanged(const FitArguments& a, const ModelRecord& record) {
  const RunRecord& run = record.run;
  check_unchanged("batch-size", a.batch_size, run.batch_size);
  check_unchanged("seed", a.seed, static_cast<int64_t>(run.seed));
  check_unchanged("validation-split", a.validation_split, run.validation_split);
  if (record.settings) {
    check_unchanged("optimizer", a.optimizer, record.settings->name);
    check_unchanged("learning-rate", a.learning_rate, initial_rate(*record.settings));
    check_unchanged("schedule", a.schedule, record.settings->schedule);
  } else if (a.optimizer || a.learning_rate || a.schedule) {
    throw UsageError(
        str("--optimizer, --learning-rate and --schedule: the training to go on with "
            "has an optimizer of its own, ",
            record.optimizer, "; leave the options out"));
  }
  check_unchanged("label", a.request.label, record.label.column);
  if (a.request.task && (*a.request.task == "classification") != (record.kind == "classifier")) {
    throw UsageError(str("--task ", *a.request.task, ": the model to go on with is a ", record.kind,
                         "; train anew with --overwrite"));
  }
  if (a.request.class_names) {
    const std::string names = join(record.label.class_names, ",");
    check_unchanged("class-names", a.request.class_names, names);
  }
}

std::unique_ptr<Estimator> make_model(const FitArguments& a, const TrainingData& data,
                                      const Layer& network, int64_t batch_size) {
  const auto seed = static_cast<uint64_t>(a.seed.value_or(1));
  const std::string folder = a.dry_run ? std::string() : a.out.value_or("");
  if (data.is_classification) {
    return std::make_unique<Classifier>(network, ClassifierOptions{.class_names = data.class_names,
                                                                   .optimizer = optimizer_of(a),
                                                                   .batch_size = batch_size,
                                                                   .seed = seed,
                                                                   .standardize = !data.is_images,
                                                                   .model_folder = folder,
                                                                   .feature_names = data.columns,
                                                                   .label_name = data.label});
  }
  return std::make_unique<Regressor>(network, RegressorOptions{.optimizer = optimizer_of(a),
                                                               .batch_size = batch_size,
                                                               .seed = seed,
                                                               .standardize = !data.is_images,
                                                               .model_folder = folder,
                                                               .feature_names = data.columns,
                                                               .label_name = data.label});
}

FitPlan plan_new(const FitArguments& a, const TrainingData& data) {
  FitPlan plan;
  const int64_t batch_size = a.batch_size.value_or(data.is_images ? kImageBatch : kTableBatch);
  const int64_t outputs = data.is_classification ? data.classes : 1;
  plan.network = a.network.value_or(data.is_images ? "cnn" : "mlp");
  const Layer network = read_network(plan.network, data, outputs);
  plan.network_json = network_to_json(network);
  plan.model = make_model(a, data, network, batch_size);
  plan.options.epochs = a.epochs.value_or(default_epochs(data, batch_size));
  plan.options.validation_split = a.validation_split.value_or(0.1);
  plan.options.patience = a.patience.value_or(0);
  return plan;
}

FitPlan plan_resumed(const FitArguments& a, const TrainingData& data, const ModelRecord& record) {
  check_unchanged(a, record);
  if (a.network) {
    const int64_t outputs = data.is_classification ? data.classes : 1;
    if (network_to_json(read_network(*a.network, data, outputs)) != record.network) {
      throw UsageError(str("--model ", *a.network, ": the training to go on with has another ",
                           "network; leave the option out, or train anew with --overwrite"));
    }
  }
  FitPlan plan;
  plan.model = Estimator::load(*a.out);
  plan.network = a.network.value_or("network as before");
  plan.network_json = record.network;
  plan.options.epochs = a.epochs.value_or(record.run.epochs);
  plan.options.validation_split = record.run.validation_split;
  plan.options.patience = a.patience.value_or(record.run.patience);
  plan.options.resume = true;
  return plan;
}

}  // namespace

FitPlan plan_fit(const FitArguments& arguments, const TrainingData& data,
                 const ModelRecord* record) {
  FitPlan plan =
      record == nullptr ? plan_new(arguments, data) : plan_resumed(arguments, data, *record);
  plan.options.overwrite = arguments.overwrite;
  plan.options.checkpoint_steps = arguments.checkpoint_every.value_or(0);
  plan.options.data_name = arguments.source.path;
  plan.options.names = option_names();
  return plan;
}

}  // namespace thalweg::cli
