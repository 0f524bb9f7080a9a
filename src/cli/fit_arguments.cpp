#include "cli/fit_arguments.h"

#include <algorithm>
#include <cmath>

#include "cli/paths.h"
#include "thalweg/base/strings.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/estimator/optimizer_choice.h"
#include "thalweg/nn/activations.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kTasks = {std::string(kClassification), std::string(kMultiLabel),
                                         std::string(kRegression), std::string(kPoisson),
                                         std::string(kQuantile)};
const std::vector<std::string> kSolvers = {"lbfgs", "ftrl", "sdca"};

// Options that only one kind of data knows.
constexpr std::string_view kOfTables[] = {
    "label",   "weight",     "class-weights",  "positive", "quantiles", "ids",
    "ignore",  "types",      "validation",     "test",     "solver",    "hidden-units",
    "dropout", "activation", "batch-norm",     "trees",    "depth",     "l1",
    "l2",      "strict",     "drop-unlabelled"};
constexpr std::string_view kOfImages[] = {"class-names"};

template <class T>
void at_least(std::string_view name, const std::optional<T>& value, T least) {
  if (!value || *value >= least) return;
  throw UsageError(str("--", name, " takes ", least, " or more, got ", *value));
}

}  // namespace

void FitArguments::declare(Options& options) {
  source.declare_word(options);
  options.value("out", "MODEL", out, "the folder to save the model in");
  options.names("label", "COLUMN", request.label,
                "of a table: what is to be learnt; several with commas");
  options.value("model", "NAME", network,
                "tables: auto (default), linear, boosted-trees, forest, dnn, wide-deep, baseline; "
                "images: cnn (default), mlp, linear; or a .json file");
  options.choice("task", kTasks, request.task, "default: by the labels; one of");
  options.names("ids", "A,B,..", ids, "columns not learnt from, but written beside predictions");
  options.names("ignore", "A,B,..", ignore, "columns left out");
  options.value("validation-split", "X", validation_split,
                "share of rows kept apart (default: 0.1)");
  options.value("epochs", "N", epochs, "passes over the data, in all (default: by their size)");
  options.value("batch-size", "N", batch_size, "rows a step (default: images 128, tables 256)");
  options.value("learning-rate", "X", learning_rate, "default: the model's own");
  options.value("seed", "N", seed, "of all that is random (default: 1)");
  options.flag("overwrite", overwrite, "replaces the model that is there");
  options.flag("resume", resume, "goes on with the training that is there");
  options.flag("dry-run", dry_run, "says what would be trained on what, and ends");
  source.declare_format(options);
  common.declare(options);
  options.further();
  options.value("patience", "N", patience,
                "stops after N epochs (trees) without a better loss; 0: never");
  options.names("types", "COLUMN=KIND,..", types,
                "what columns are: number, category, text, list, date, or ignore");
  options.value("weight", "COLUMN", weight, "how much each row counts");
  options.value("class-weights", "balanced|A=2,..", class_weights,
                "how much the rows of each class count");
  options.value("positive", "CLASS", positive,
                "of two classes, the one that metrics such as auc speak of (default: the last)");
  options.value("quantiles", "X,Y,..", quantiles, "of --task quantile (default: 0.1,0.5,0.9)");
  options.value("validation", "FILE", validation, "a table of validation rows, instead of a share");
  options.value("test", "FILE", test, "a table that is evaluated after the training");
  options.flag("drop-unlabelled", drop_unlabelled, "leaves rows without a label out");
  options.flag("strict", strict, "categories never seen are errors at evaluate and predict");
  options.value("hidden-units", "N,M,..", hidden_units,
                "of dnn and wide-deep: sizes of layers (default: 128,64 and 100,50)");
  options.choice("activation", activation_names(), activation,
                 "of dnn and wide-deep; default: relu; one of");
  options.value("dropout", "X", dropout, "of dnn and wide-deep: share dropped (default: 0.1)");
  options.flag("batch-norm", batch_norm, "of dnn and wide-deep: normalises each layer");
  options.choice("optimizer", optimizer_names(), optimizer, "of networks; default: adam; one of");
  options.choice("schedule", schedule_names(), schedule,
                 "of the rate of networks; default: cosine; one of");
  options.choice("solver", kSolvers, solver, "of linear; default: lbfgs; one of");
  options.value("l1", "X", l1, "of linear and boosted-trees: absolute weights cost (default: 0)");
  options.value("l2", "X", l2, "of linear and boosted-trees: squared weights cost (default: 1)");
  options.value("trees", "N", trees, "of boosted-trees and forest (default: 300 and 200)");
  options.value("depth", "N", depth, "of boosted-trees and forest (default: 6 and 16)");
  options.value("class-names", "A,B,..", request.class_names,
                "of images: names of classes 0, 1, ... (known of Fashion-MNIST)");
  options.value("checkpoint-every", "N", checkpoint_every, "saves every N steps too");
  options.flag("no-progress", no_progress, "no progress");
  source.declare_further(options);
}

void FitArguments::check() const {
  if (!out && !dry_run) throw UsageError("--out MODEL is wanted: the folder to save the model in");
  if (out && out->empty()) throw UsageError("--out: the name of the folder is empty");
  if (out) check_out_folder(*out);
  if (overwrite && resume) throw UsageError("--overwrite and --resume exclude each other");
  if (dry_run && common.json) throw UsageError("--dry-run tells people and has no --json form");
  at_least<int64_t>("epochs", epochs, 1);
  at_least<int64_t>("batch-size", batch_size, 1);
  at_least<int64_t>("seed", seed, 0);
  at_least<int64_t>("patience", patience, 0);
  at_least<int64_t>("checkpoint-every", checkpoint_every, 1);
  at_least<int64_t>("trees", trees, 1);
  at_least<int64_t>("depth", depth, 1);
  at_least("l1", l1, 0.0);
  at_least("l2", l2, 0.0);
  if (epochs && *epochs > kMostEpochs) {
    throw UsageError(str("--epochs takes at most ", kMostEpochs, ", got ", *epochs));
  }
  if (learning_rate) {
    const auto rate = static_cast<float>(*learning_rate);  // as it is trained with
    if (!(rate > 0 && std::isfinite(rate))) {
      throw UsageError(str("--learning-rate takes a finite number above 0, got ", *learning_rate));
    }
  }
  const auto share = [](std::string_view name, const std::optional<double>& value) {
    if (!value || (*value >= 0 && *value < 1)) return;
    throw UsageError(str("--", name, " takes 0 up to, not including, 1; got ", *value));
  };
  share("validation-split", validation_split);
  share("dropout", dropout);
  if (validation && validation_split) {
    throw UsageError("--validation and --validation-split exclude each other");
  }
}

void FitArguments::check_is_for_images(const Options& options) const {
  for (const std::string_view name : kOfTables) {
    if (!options.is_given(name)) continue;
    throw UsageError(str("--", name, " is for tables, but DATA is a folder of images"));
  }
  if (request.task && *request.task != kClassification) {
    throw UsageError(
        str("--task ", *request.task, " is for tables, but DATA is a folder of images"));
  }
  source.check_is_for_images();
}

void FitArguments::check_is_for_tables(const Options& options) const {
  for (const std::string_view name : kOfImages) {
    if (!options.is_given(name)) continue;
    throw UsageError(str("--", name, " is for images; the classes of a table are its labels"));
  }
}

}  // namespace thalweg::cli
