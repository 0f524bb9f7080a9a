// Scores on known data sets beside the published or measured ones, over several seeds.
//   bench_accuracy [--json] [--seeds N] [--case NAME]
//
// THALWEG_DATA names the folder with the data sets. Sets with a test part are trained on the other
// and scored on it; the others by five folds, each row scored once by a model that never saw it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

#include "datasets.h"
#include "thalweg/base/error.h"
#include "thalweg/estimator/guess_schema.h"
#include "thalweg/estimator/table_estimator.h"

using namespace thalweg;
using namespace thalweg::bench;

namespace {

constexpr int kFolds = 5;

using MakeModel = std::function<TableModel(const Table& train, const std::string& label)>;

struct Case {
  std::string name;
  std::string dataset;
  std::string metric;  // "accuracy" or "rmse"
  double reference;    // to be reached: at least for accuracy, at most for rmse
  std::string source;
  MakeModel model;
  FitOptions fit = {};
  int most_seeds = 5;
};

GuessedSchema guessed(const Table& train, const std::string& label) {
  return guess_columns(*data::table_source(train), {.not_features = {label}});
}

MakeModel linear(double l2 = 1) {
  return [l2](const Table& train, const std::string& label) -> TableModel {
    return Linear{.columns = guessed(train, label).linear, .l2 = l2};
  };
}

MakeModel boosted() {
  return [](const Table& train, const std::string& label) -> TableModel {
    return BoostedTrees{.columns = guessed(train, label).trees};
  };
}

MakeModel forest() {
  return [](const Table& train, const std::string& label) -> TableModel {
    return Forest{.columns = guessed(train, label).trees};
  };
}

// Pixels as they are: standardising would make much of those that are nearly always blank.
MakeModel linear_pixels() {
  return [](const Table& train, const std::string& label) -> TableModel {
    Linear model;
    for (const std::string& name : train.names()) {
      if (name == label) continue;
      model.columns.push_back(columns::numeric(name, {.scaling = columns::Scaling::kNone}));
    }
    return model;
  };
}

MakeModel sentiment() {
  return [](const Table&, const std::string&) -> TableModel {
    return Linear{.columns = {columns::text("sentence", {.min_count = 1})}, .l2 = 1};
  };
}

TableModel wide(const Table&, const std::string&) {
  return Linear{.columns = census_wide(), .solver = LinearSolver::kFtrl, .learning_rate = 0.05};
}
TableModel deep(const Table&, const std::string&) { return Dnn{.columns = census_deep()}; }
TableModel wide_and_deep(const Table&, const std::string&) {
  return WideDeep{.linear_columns = census_wide(), .dnn_columns = census_deep()};
}

std::vector<Case> all_cases() {
  const FitOptions whole{.validation_split = 0};
  const FitOptions epochs{.epochs = 20, .validation_split = 0.1, .patience = 3};
  const FitOptions trees{.validation_split = 0.1, .patience = 20};
  const std::string sklearn = "scikit-learn 1.2.1";
  const std::string tutorial = "tutorial, as a band";
  return {
      {"census wide", "adult", "accuracy", 0.835, tutorial, wide, epochs},
      {"census deep", "adult", "accuracy", 0.845, tutorial, deep, epochs},
      {"census wide and deep", "adult", "accuracy", 0.850, tutorial, wide_and_deep, epochs},
      {"census linear", "adult", "accuracy", 0.8525, sklearn, linear(), whole},
      {"census boosted trees", "adult", "accuracy", 0.87, sklearn, boosted(), trees},
      {"iris linear", "iris", "accuracy", 0.960, sklearn, linear(), whole},
      {"wine linear", "wine", "accuracy", 0.983, sklearn, linear(), whole},
      {"breast cancer linear", "breast-cancer", "accuracy", 0.979, sklearn, linear(), whole},
      {"digits linear", "digits", "accuracy", 0.969, sklearn, linear(), whole},
      {"penguins linear", "penguins", "accuracy", 0.988, sklearn, linear(), whole},
      {"titanic linear", "titanic", "accuracy", 0.789, sklearn, linear(), whole},
      {"titanic boosted trees", "titanic", "accuracy", 0.818, sklearn, boosted(), trees},
      {"covertype linear", "covertype", "accuracy", 0.705, sklearn, linear(), whole, 1},
      {"covertype boosted trees", "covertype", "accuracy", 0.854, sklearn, boosted(), trees, 2},
      {"california linear", "california", "rmse", 68860, sklearn, linear(), whole},
      {"california boosted trees", "california", "rmse", 47580, sklearn, boosted(), trees, 2},
      {"diabetes linear", "diabetes", "rmse", 54.6, sklearn, linear(), whole},
      {"imdb sentences", "imdb", "accuracy", 0.776, sklearn, sentiment(), whole},
      {"amazon sentences", "amazon", "accuracy", 0.830, sklearn, sentiment(), whole},
      {"mnist linear", "mnist", "accuracy", 0.925, "TensorFlow tutorial", linear_pixels(), whole,
       1},
      {"mnist forest", "mnist", "accuracy", 0.9204, "TensorForest notebook", forest(), whole, 1},
  };
}

HeadSpec head_of(const Case& c, const std::string& label) {
  return c.metric == "rmse" ? heads::regression({label}) : heads::classification(label);
}

double score_once(const Case& c, const Table& train, const Table& test, const std::string& label,
                  uint64_t seed) {
  TableEstimator model(head_of(c, label), c.model(train, label), {.seed = seed});
  model.fit(train, c.fit);
  return model.evaluate(test)[c.metric];
}

// Over the rows of all folds together.
double score(const Case& c, const Rows& rows, uint64_t seed) {
  if (rows.test.rows() > 0) return score_once(c, rows.train, rows.test, rows.label, seed);
  const bool squared = c.metric == "rmse";
  double sum = 0;
  for (const Fold& fold : squared ? make_folds(rows.train.rows(), kFolds, seed)
                                  : make_stratified_folds(rows.train.column(rows.label), kFolds)) {
    const auto [train, test] = train_and_test(rows.train, fold);
    const double one = score_once(c, train, test, rows.label, seed);
    sum += (squared ? one * one : one) * static_cast<double>(test.rows());
  }
  const double mean = sum / static_cast<double>(rows.train.rows());
  return squared ? std::sqrt(mean) : mean;
}

void run(const Case& c, const Rows& rows, int seeds, bool json) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> scores;
  for (int seed = 1; seed <= std::min(seeds, c.most_seeds); ++seed) {
    scores.push_back(score(c, rows, static_cast<uint64_t>(seed)));
  }
  const auto n = static_cast<double>(scores.size());
  double mean = 0, squares = 0;
  for (const double s : scores) mean += s / n;
  for (const double s : scores) squares += (s - mean) * (s - mean) / n;
  const double deviation = std::sqrt(squares);
  const bool reached = c.metric == "rmse" ? mean <= c.reference : mean >= c.reference;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (json) {
    std::printf(
        "{\"name\": \"%s\", \"metric\": \"%s\", \"mean\": %.6g, \"deviation\": %.3g, "
        "\"seeds\": %zu, \"reference\": %.6g, \"source\": \"%s\", \"reached\": %s, "
        "\"seconds\": %.1f}\n",
        c.name.c_str(), c.metric.c_str(), mean, deviation, scores.size(), c.reference,
        c.source.c_str(), reached ? "true" : "false", seconds);
  } else {
    std::printf("%-26s %-9s %10.6g %9.3g %6zu %10.6g  %-8s %6.1f  %s\n", c.name.c_str(),
                c.metric.c_str(), mean, deviation, scores.size(), c.reference,
                reached ? "yes" : "NO", seconds, c.source.c_str());
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  bool json = false;
  int seeds = 5;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      json = true;
    } else if (i + 1 < argc && word == "--seeds" && std::atoi(argv[i + 1]) > 0) {
      seeds = std::atoi(argv[++i]);
    } else if (i + 1 < argc && word == "--case") {
      only = argv[++i];
    } else {
      std::fprintf(stderr, "usage: bench_accuracy [--json] [--seeds N] [--case NAME]\n");
      return 2;
    }
  }
  if (!json) {
    std::printf("%-26s %-9s %10s %9s %6s %10s  %-8s %6s  %s\n", "case", "metric", "mean",
                "deviation", "seeds", "reference", "reached", "s", "reference by");
  }
  std::string loaded;
  Rows rows;
  for (const Case& c : all_cases()) {
    if (c.name.find(only) == std::string::npos) continue;
    if (loaded != c.dataset) {
      rows = {};
      rows = load_dataset(c.dataset);
      loaded = c.dataset;
    }
    run(c, rows, seeds, json);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
