// Learning from tables, against those who do it today, alternated in one run: an epoch of wide and
// deep on the census (Keras, PyTorch), linear classification (scikit-learn) and boosted trees
// (XGBoost from Python) on 100,000 made-up events.
//   bench_tabular FOLDER [--python PATH] [--torch-python PATH] [--json] [--rounds N] [--case NAME]
//                 [--threads N]
//
// FOLDER is for the files that both sides read. --python names an interpreter with TensorFlow,
// scikit-learn and xgboost (default: $THALWEG_PYTHON, or python3), --torch-python one with PyTorch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "datasets.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/parallel.h"
#include "thalweg/data/table_source.h"
#include "thalweg/estimator/table_estimator.h"
#include "thalweg/tensor/npy.h"
#include "worker.h"

using namespace thalweg;
using namespace thalweg::bench;

namespace {

struct Options {
  std::string folder = {};
  std::string python = {};
  std::string torch_python = "python3";
  bool json = false;
  int rounds = 5;
  std::string only = {};
  int threads = 0;
};

struct Case {
  const char* name;
  const char* ours;
  const char* peer;
  const char* data;  // file in FOLDER
};
constexpr Case kCases[] = {
    {"wide and deep, Keras", "wide_deep", "keras_wide_deep", "census.npz"},
    {"wide and deep, PyTorch", "wide_deep", "torch_wide_deep", "census.npz"},
    {"linear, scikit-learn", "linear", "sklearn_linear", "events.npy"},
    {"boosted trees, XGBoost", "trees", "xgboost_trees", "events.npy"},
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TableModel wide_and_deep() {
  const NamedOptimizer adagrad{.name = "adagrad", .learning_rate = 0.05};
  return WideDeep{.linear_columns = census_wide(),
                  .dnn_columns = census_deep(),
                  .dropout = 0,
                  .dnn_optimizer = adagrad};
}

// The census as the network sees it, for the peers.
void write_census(const std::string& path) {
  const Rows rows = load_dataset("adult");
  std::vector<FeatureColumn> all = census_wide();
  const std::vector<FeatureColumn> deep = census_deep();
  all.insert(all.end(), deep.begin(), deep.end());
  const Transform transform = Transform::fit(all, *data::table_source(rows.train));
  const data::Example prepared = transform.prepare(rows.train);
  std::vector<int64_t> buckets, embedded;
  for (const auto& category : transform.prepared().ids) buckets.push_back(category.buckets);
  for (const FeatureColumn& column : deep) {
    const Transform::Place place = transform.place(column);
    if (place.kind == Transform::Place::Kind::kIds) embedded.push_back(place.indices[0]);
  }
  Tensor labels(kInt64, {rows.train.rows()});
  const auto out = labels.mutable_data<int64_t>();
  for (int64_t row = 0; row < rows.train.rows(); ++row) {
    out[static_cast<size_t>(row)] = rows.train.column("income").cell(row) == ">50K" ? 1 : 0;
  }
  // Missing categories are -1 here; an embedding elsewhere has no such row.
  Tensor ids = prepared[1].clone();
  for (int64_t& id : ids.mutable_data<int64_t>()) id = std::max<int64_t>(id, 0);
  const auto vector_of = [](const std::vector<int64_t>& values) {
    return Tensor::from(std::span<const int64_t>(values), {static_cast<int64_t>(values.size())});
  };
  write_npz(path, {{"numbers", prepared[0]},
                   {"ids", ids},
                   {"buckets", vector_of(buckets)},
                   {"deep", vector_of(embedded)},
                   {"labels", labels}});
}

// Seconds an epoch, over `epochs` of them, the making of the plan included.
double epoch_seconds(const Table& census, int epochs) {
  TableEstimator model(heads::classification("income"), wide_and_deep());
  const FitReport report = model.fit(census, {.epochs = epochs, .validation_split = 0});
  return report.training.seconds / epochs;
}

double fit_seconds(const Table& events, const TableModel& family) {
  TableEstimator model(heads::classification("c1"), family);
  const double start = now();
  model.fit(events, {.validation_split = 0});
  return now() - start;
}

// The process that runs: reads numbers of runs, writes seconds a run.
int work(const std::string& name, int threads, const std::string& path) {
  set_num_threads(threads);
  const Table table = name == "wide_deep" ? load_dataset("adult").train : data::read_table(path);
  std::vector<FeatureColumn> numbers;
  for (const data::Column& column : table.columns()) {
    if (column.name() != "c1" && name != "wide_deep") {
      numbers.push_back(columns::numeric(column.name()));
    }
  }
  const auto run = [&](int runs) {
    if (name == "wide_deep") return epoch_seconds(table, runs);
    const TableModel family = name == "linear" ? TableModel(Linear{.columns = numbers})
                                               : BoostedTrees{.columns = numbers, .trees = 100};
    double sum = 0;
    for (int i = 0; i < runs; ++i) sum += fit_seconds(table, family);
    return sum / runs;
  };
  run(1);
  int runs = 0;
  while (std::cin >> runs) {
    std::printf("%.9f\n", run(runs));
    std::fflush(stdout);
  }
  return 0;
}

void compare(const char* program, const Case& c, int threads, const Options& options) {
  const std::string path = join_path(options.folder, c.data);
  const std::string count = std::to_string(threads);
  const bool torch = std::strncmp(c.peer, "torch", 5) == 0;
  Worker ours({program, "--worker", c.ours, count, path}, {});
  Worker peer({"/usr/bin/env", torch ? options.torch_python : options.python, THALWEG_TABULAR_PEER,
               c.peer, count, path},
              {});
  const int runs = std::strcmp(c.ours, "wide_deep") == 0 ? 3 : 1;
  std::vector<double> our_times, peer_times;
  for (int round = 0; round < options.rounds; ++round) {
    our_times.push_back(ours.run(runs));
    peer_times.push_back(peer.run(runs));
  }
  const double mine = median(our_times), theirs = median(peer_times);
  if (options.json) {
    std::printf(
        "{\"name\": \"%s\", \"threads\": %d, \"ours_s\": %.4f, \"peer\": \"%s\", "
        "\"peer_s\": %.4f, \"ratio\": %.3f}\n",
        c.name, threads, mine, c.peer, theirs, theirs / mine);
  } else {
    std::printf("%-24s %7d %9.3f %9.3f %8.2f\n", c.name, threads, mine, theirs, theirs / mine);
  }
  std::fflush(stdout);
}

int usage() {
  std::fprintf(stderr,
               "usage: bench_tabular FOLDER [--python PATH] [--torch-python PATH] [--json] "
               "[--rounds N] [--case NAME] [--threads N]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 5 && std::strcmp(argv[1], "--worker") == 0) {
    return work(argv[2], std::atoi(argv[3]), argv[4]);
  }
  Options options;
  const char* const python = std::getenv("THALWEG_PYTHON");
  options.python = python == nullptr ? "python3" : python;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (i + 1 < argc && word == "--python") {
      options.python = argv[++i];
    } else if (i + 1 < argc && word == "--torch-python") {
      options.torch_python = argv[++i];
    } else if (i + 1 < argc && word == "--rounds") {
      options.rounds = std::max(1, std::atoi(argv[++i]));
    } else if (i + 1 < argc && word == "--case") {
      options.only = argv[++i];
    } else if (i + 1 < argc && word == "--threads" && std::atoi(argv[i + 1]) > 0) {
      options.threads = std::atoi(argv[++i]);
    } else if (options.folder.empty() && !word.starts_with("-")) {
      options.folder = word;
    } else {
      return usage();
    }
  }
  if (options.folder.empty()) return usage();
  make_folders(options.folder);
  write_census(join_path(options.folder, "census.npz"));
  if (!file_exists(join_path(options.folder, "events.npy"))) {
    throw not_found("'", options.folder, "' holds no events.npy; write it with: ", options.python,
                    " ", THALWEG_TABULAR_PEER, " make ", options.folder);
  }
  if (!options.json) {
    std::printf("%-24s %7s %9s %9s %8s\n", "case", "threads", "ours s", "peer s", "ratio");
  }
  std::vector<int> counts = {1, 2};
  if (options.threads > 0) counts = {options.threads};
  for (const Case& c : kCases) {
    if (std::string_view(c.name).find(options.only) == std::string_view::npos) continue;
    for (const int threads : counts) compare(argv[0], c, threads, options);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
