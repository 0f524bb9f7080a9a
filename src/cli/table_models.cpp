#include "cli/table_models.h"

#include <algorithm>
#include <charconv>

#include "cli/names.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/network_file.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kFamilies = {"auto", "linear",    "boosted-trees", "forest",
                                            "dnn",  "wide-deep", "baseline"};

constexpr int64_t kBatchSize = 256;
// A small table is passed over more often, so that there are enough steps to learn.
constexpr int64_t kSteps = 4000;
constexpr int64_t kFewestEpochs = 10;
constexpr int64_t kMostEpochsByDefault = 200;
// Twice Adam's own default: a rate that falls may begin higher.
constexpr double kFallingAdamRate = 0.002;

bool is_network(std::string_view family) {
  return family == "dnn" || family == "wide-deep" || family == "file";
}

// Whether the model is trained by steps over batches.
bool has_steps(const FitArguments& a, std::string_view family) {
  return is_network(family) || (family == "linear" && a.solver == "ftrl");
}

struct OptionOf {
  std::string_view option;
  std::vector<std::string_view> families;  // "ftrl": linear with that solver
};
const std::vector<OptionOf> kOptionsOf = {
    {"epochs", {"dnn", "wide-deep", "file", "ftrl"}},
    {"batch-size", {"dnn", "wide-deep", "file", "ftrl"}},
    {"checkpoint-every", {"dnn", "wide-deep", "file", "ftrl"}},
    {"optimizer", {"dnn", "wide-deep", "file"}},
    {"schedule", {"dnn", "wide-deep", "file"}},
    {"learning-rate", {"dnn", "wide-deep", "file", "boosted-trees", "ftrl"}},
    {"patience", {"dnn", "wide-deep", "file", "boosted-trees", "ftrl"}},
    {"hidden-units", {"dnn", "wide-deep"}},
    {"activation", {"dnn", "wide-deep"}},
    {"dropout", {"dnn", "wide-deep"}},
    {"batch-norm", {"dnn", "wide-deep"}},
    {"solver", {"linear"}},
    {"l1", {"linear", "boosted-trees"}},
    {"l2", {"linear", "boosted-trees"}},
    {"trees", {"boosted-trees", "forest"}},
    {"depth", {"boosted-trees", "forest"}}};

std::vector<int64_t> parse_units(const std::string& text) {
  std::vector<int64_t> units;
  for (const std::string& item : parse_names("hidden-units", text)) {
    int64_t value = 0;
    const char* end = item.data() + item.size();
    const auto [rest, error] = std::from_chars(item.data(), end, value);
    if (error != std::errc() || rest != end || value < 1) {
      throw UsageError(str("--hidden-units takes sizes of layers, e.g. 128,64; got '", text, "'"));
    }
    units.push_back(value);
  }
  return units;
}

NamedOptimizer optimizer_of(const FitArguments& a) {
  return {.name = a.optimizer.value_or("adam"),
          .learning_rate = a.learning_rate.value_or(0),
          .schedule = a.schedule.value_or("cosine")};
}

LinearSolver solver_of(const FitArguments& a) {
  if (a.solver == "ftrl") return LinearSolver::kFtrl;
  if (a.solver == "sdca") return LinearSolver::kSdca;
  return LinearSolver::kLbfgs;
}

template <class T>
void fill(std::optional<T>& target, T value) {
  if (!target) target = std::move(value);
}

}  // namespace

std::string model_family(const FitArguments& a) {
  const std::string name = a.network.value_or("auto");
  if (std::ranges::find(kFamilies, name) != kFamilies.end()) return name;
  if (name == "mlp") return "dnn";
  if (name.ends_with(".json") || file_exists(name)) return "file";
  if (name == "cnn") {
    throw UsageError(str("--model cnn is for images; a table takes ", join(kFamilies, ", "),
                         " or a .json file"));
  }
  std::vector<std::string> known = kFamilies;
  known.emplace_back("mlp");
  const std::string hint = nearest(name, known);
  throw UsageError(str("--model takes ", join(kFamilies, ", "), " or a .json file, got '", name,
                       hint.empty() ? "'" : str("'; did you mean '", hint, "'?")));
}

void check_options_of(const FitArguments& a, const Options& options, std::string_view family) {
  for (const OptionOf& of : kOptionsOf) {
    if (!options.is_given(of.option)) continue;
    const auto is_of = [&](std::string_view name) {
      return std::ranges::find(of.families, name) != of.families.end();
    };
    if (is_of(family) || (family == "linear" && a.solver == "ftrl" && is_of("ftrl"))) continue;
    std::vector<std::string> names;
    for (const std::string_view name : of.families) {
      names.emplace_back(name == "ftrl"   ? "linear --solver ftrl"
                         : name == "file" ? "FILE.json"
                                          : name);
    }
    throw UsageError(str("--", of.option, " says nothing to --model ", family,
                         family == "auto" ? " (linear and boosted-trees)" : "", "; it is of ",
                         join(names, ", ")));
  }
}

void fill_defaults(FitArguments& a, std::string_view family, int64_t rows) {
  fill<int64_t>(a.seed, 1);
  if (!a.validation) fill(a.validation_split, 0.1);
  if (has_steps(a, family)) {
    fill(a.batch_size, kBatchSize);
    const int64_t steps = std::max<int64_t>(1, rows / *a.batch_size);
    fill(a.epochs, std::clamp(kSteps / steps, kFewestEpochs, kMostEpochsByDefault));
    fill<int64_t>(a.patience, 0);
  }
  if (is_network(family)) {
    fill<std::string>(a.optimizer, "adam");
    fill<std::string>(a.schedule, "cosine");
    if (!a.learning_rate) {
      a.learning_rate = a.optimizer == "adam" && a.schedule != "constant"
                            ? kFallingAdamRate
                            : initial_rate({.name = *a.optimizer, .schedule = *a.schedule});
    }
  }
  if (family == "dnn" || family == "wide-deep") {
    fill<std::string>(a.hidden_units, family == "dnn" ? "128,64" : "100,50");
    fill<std::string>(a.activation, "relu");
    fill(a.dropout, 0.1);
  }
  if (family == "linear") {
    fill<std::string>(a.solver, "lbfgs");
    fill(a.l1, 0.0);
    fill(a.l2, 1.0);
  }
  if (family == "boosted-trees") {
    fill<int64_t>(a.trees, 300);
    fill<int64_t>(a.depth, 6);
    fill(a.learning_rate, 0.1);
    fill(a.l1, 0.0);
    fill(a.l2, 1.0);
    fill<int64_t>(a.patience, 30);
  }
  if (family == "forest") {
    fill<int64_t>(a.trees, 200);
    fill<int64_t>(a.depth, 16);
  }
}

TableModel make_table_model(const FitArguments& a, std::string_view family,
                            const ColumnsFor& columns) {
  if (family == "baseline") return Baseline{};
  if (family == "linear") {
    return Linear{.columns = columns(ColumnUse::kLinear),
                  .solver = solver_of(a),
                  .l1 = a.l1.value_or(0),
                  .l2 = a.l2.value_or(1),
                  .learning_rate = a.learning_rate.value_or(0)};
  }
  if (family == "dnn") {
    return Dnn{.columns = columns(ColumnUse::kDense),
               .hidden_units = parse_units(*a.hidden_units),
               .activation = *a.activation,
               .dropout = *a.dropout,
               .batch_norm = a.batch_norm,
               .optimizer = optimizer_of(a)};
  }
  if (family == "wide-deep") {
    return WideDeep{.linear_columns = columns(ColumnUse::kLinear),
                    .dnn_columns = columns(ColumnUse::kDense),
                    .hidden_units = parse_units(*a.hidden_units),
                    .activation = *a.activation,
                    .dropout = *a.dropout,
                    .batch_norm = a.batch_norm,
                    .dnn_optimizer = optimizer_of(a)};
  }
  if (family == "boosted-trees") {
    return BoostedTrees{.columns = columns(ColumnUse::kTrees),
                        .trees = *a.trees,
                        .max_depth = *a.depth,
                        .learning_rate = *a.learning_rate,
                        .l1 = *a.l1,
                        .l2 = *a.l2};
  }
  if (family == "forest") {
    return Forest{.columns = columns(ColumnUse::kTrees), .trees = *a.trees, .max_depth = *a.depth};
  }
  return make_file_model(*a.network, columns(ColumnUse::kDense), optimizer_of(a));
}

Custom make_file_model(const std::string& path, std::vector<FeatureColumn> columns,
                       OptimizerChoice optimizer) {
  check_regular_file(path);
  const std::string text = read_file(path);
  const auto parsed = [path, text](int64_t outputs) {
    try {
      return parse_network(text, outputs);
    } catch (Error& error) {
      if (error.code() == Code::kInvalidArgument) error.add_context(path);
      throw;
    }
  };
  // One layer for all modes and graphs, so that weights are shared as those of any network.
  auto network = std::make_shared<std::optional<Layer>>();
  parsed(1);
  Custom model{.columns = std::move(columns), .optimizer = std::move(optimizer)};
  model.logits = [network, parsed](const ModelContext& context) {
    if (!*network) *network = parsed(context.outputs);
    const std::vector<FeatureColumn>& columns = context.transform.columns();
    return (**network)(input_layer(context.transform, columns, context.prepared), context.mode);
  };
  return model;
}

std::string describe_model(const FitArguments& a, std::string_view family) {
  if (family == "baseline") return "the baseline";
  if (family == "linear") {
    return str("a linear model (", *a.solver, ", l1 ", *a.l1, ", l2 ", *a.l2, ")");
  }
  const auto layers = [&] {
    return str("hidden layers of ", *a.hidden_units, " units, ", *a.activation, ", dropout ",
               *a.dropout, a.batch_norm ? ", batch normalisation" : "");
  };
  if (family == "dnn") return str("a network (", layers(), ")");
  if (family == "wide-deep") return str("a wide and deep network (", layers(), ")");
  if (family == "boosted-trees") {
    return str("boosted trees (at most ", *a.trees, " of depth ", *a.depth, ", rate ",
               *a.learning_rate, ")");
  }
  if (family == "forest") return str("a forest (", *a.trees, " trees of depth ", *a.depth, ")");
  return str("the network of ", *a.network);
}

}  // namespace thalweg::cli
