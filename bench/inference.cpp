// Networks that TensorFlow exported, run by us and by TensorFlow, alternated in one run.
//   bench_inference FOLDER [--python PATH] [--json] [--rounds N] [--case NAME] [--threads N]
//
// FOLDER comes from tools/export_networks.py; --python names an interpreter that has TensorFlow
// (default: $THALWEG_PYTHON, or python3).
#include <thalweg/thalweg.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

#include "thalweg/base/file.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/tensor/npy.h"
#include "worker.h"

using namespace thalweg;
using namespace thalweg::bench;

namespace {

struct Options {
  std::string folder = {};
  std::string python = {};
  bool json = false;
  int rounds = 11;
  std::string only = {};
  int threads = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One network, its input bound.
class Network {
 public:
  explicit Network(const std::string& folder)
      : model_(LoadedModel::load(join_path(folder, "model"))),
        input_(read_npy(join_path(folder, "input.npy"))),
        expected_(read_npy(join_path(folder, "output.npy"))) {
    key_ = model_->signature().inputs.at(0).key;
  }

  Tensor run() const { return model_->run({{key_, input_}}).begin()->second; }

  // The largest difference from TensorFlow's output, in proportion to the largest element.
  double difference() const {
    const Tensor y = run();
    double most = 0, scale = 0;
    for (int64_t i = 0; i < expected_.num_elements(); ++i) {
      most = std::max(most, std::abs(y.at(i) - expected_.at(i)));
      scale = std::max(scale, std::abs(expected_.at(i)));
    }
    return most / scale;
  }

 private:
  std::unique_ptr<LoadedModel> model_;
  Tensor input_, expected_;
  std::string key_;
};

// The process that runs: reads numbers of runs, writes seconds a run.
int work(const std::string& folder, int threads) {
  set_num_threads(threads);
  const Network network(folder);
  for (int i = 0; i < 5; ++i) network.run();
  int runs = 0;
  while (std::cin >> runs) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) network.run();
    std::printf(
        "%.9f\n",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / runs);
    std::fflush(stdout);
  }
  return 0;
}

void compare(const char* program, const std::string& name, int threads, const Options& options) {
  const std::string folder = join_path(options.folder, name);
  const double difference = Network(folder).difference();
  Worker ours({program, "--worker", folder, std::to_string(threads)}, {});
  Worker peer({"/usr/bin/env", options.python, THALWEG_TENSORFLOW_PEER, join_path(folder, "model"),
               join_path(folder, "input.npy"), std::to_string(threads)},
              {});
  constexpr int kRuns = 5;
  std::vector<double> our_times, peer_times;
  for (int round = 0; round < options.rounds; ++round) {
    our_times.push_back(ours.run(kRuns));
    peer_times.push_back(peer.run(kRuns));
  }
  const double mine = median(our_times);
  const double theirs = median(peer_times);
  if (options.json) {
    std::printf(
        "{\"name\": \"%s\", \"threads\": %d, \"ours_ms\": %.4f, \"peer\": \"tensorflow\", "
        "\"peer_ms\": %.4f, \"ratio\": %.3f, \"difference\": %.3g}\n",
        name.c_str(), threads, mine * 1e3, theirs * 1e3, theirs / mine, difference);
  } else {
    std::printf("%-14s %7d %10.3f %12.3f %8.2f %12.1e\n", name.c_str(), threads, mine * 1e3,
                theirs * 1e3, theirs / mine, difference);
  }
  std::fflush(stdout);
}

int usage() {
  std::fprintf(stderr,
               "usage: bench_inference FOLDER [--python PATH] [--json] [--rounds N] [--case NAME] "
               "[--threads N]\n"
               "FOLDER is what tools/export_networks.py wrote\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 4 && std::strcmp(argv[1], "--worker") == 0) return work(argv[2], std::atoi(argv[3]));
  Options options;
  const char* const python = std::getenv("THALWEG_PYTHON");
  options.python = python == nullptr ? "python3" : python;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (i + 1 < argc && word == "--python") {
      options.python = argv[++i];
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
  std::vector<std::string> names = list_folder(options.folder);
  if (!options.only.empty()) {
    if (std::ranges::find(names, options.only) == names.end()) {
      throw not_found("'", options.folder, "' holds no network '", options.only, "', only ",
                      join(names, ", "));
    }
    names = {options.only};
  }
  if (!options.json) {
    std::printf("%-14s %7s %10s %12s %8s %12s\n", "network", "threads", "ours ms", "tensorflow ms",
                "ratio", "difference");
  }
  std::vector<int> counts = {1, 2};
  if (options.threads > 0) counts = {options.threads};
  for (const std::string& name : names) {
    for (const int threads : counts) compare(argv[0], name, threads, options);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
