// A training step of ours against libtorch's, alternated in one run.
//   bench_training [--json] [--rounds N] [--case mlp|lenet] [--threads N] [--profile]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

#include "networks.h"
#include "peak.h"
#include "worker.h"

using namespace thalweg;
using namespace thalweg::bench;

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The process that trains: reads step counts, writes seconds a step.
int work(const std::string& name, int threads) {
  set_num_threads(threads);
  TrainingCase training(name);
  for (int i = 0; i < 3; ++i) training.step();
  int steps = 0;
  while (std::cin >> steps) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) training.step();
    std::printf(
        "%.9f\n",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps);
    std::fflush(stdout);
  }
  return 0;
}

struct Options {
  bool json = false;
  bool profile = false;
  int rounds = 15;
  std::string only = {};
  int threads = 0;
};

void compare(const char* program, const std::string& name, int threads, const Options& options) {
  const double flops = TrainingCase(name).flops();
  Worker ours({program, "--worker", name, std::to_string(threads)}, {});
  std::optional<Worker> peer;
#ifdef THALWEG_TORCH_PEER
  peer.emplace(std::vector<std::string>{THALWEG_TORCH_PEER, name, std::to_string(threads)},
               std::vector<std::string>{"ATEN_CPU_CAPABILITY=avx512", "OPENBLAS_CORETYPE",
                                        "OPENBLAS_L2_SIZE", str("OMP_NUM_THREADS=", threads),
                                        str("OPENBLAS_NUM_THREADS=", threads)});
#endif
  const int steps = name == "mlp" ? 30 : 4;
  std::vector<double> our_times, peer_times, peaks;
  for (int round = 0; round < options.rounds; ++round) {
    our_times.push_back(ours.run(steps));
    if (peer) peer_times.push_back(peer->run(steps));
    peaks.push_back(fma_peak(threads));
  }
  const double mine = median(our_times);
  const double theirs = peer ? median(peer_times) : 0;
  const double share = flops / mine / *std::max_element(peaks.begin(), peaks.end());
  if (options.json) {
    std::printf(
        "{\"name\": \"%s\", \"threads\": %d, \"ours_ms\": %.4f, \"peer\": \"libtorch\", "
        "\"peer_ms\": %.4f, "
        "\"ratio\": %.3f, \"peak_share\": %.3f}\n",
        name.c_str(), threads, mine * 1e3, theirs * 1e3, peer ? theirs / mine : 0, share);
  } else {
    std::printf("%-8s %7d %10.3f %10.3f %8.2f %10.0f %%\n", name.c_str(), threads, mine * 1e3,
                theirs * 1e3, peer ? theirs / mine : 0, share * 100);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 4 && std::strcmp(argv[1], "--worker") == 0) return work(argv[2], std::atoi(argv[3]));
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (word == "--profile") {
      options.profile = true;
    } else if (i + 1 < argc && word == "--rounds") {
      options.rounds = std::max(1, std::atoi(argv[++i]));
    } else if (i + 1 < argc && word == "--case") {
      options.only = argv[++i];
    } else if (i + 1 < argc && word == "--threads" && std::atoi(argv[i + 1]) > 0) {
      options.threads = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr,
                   "usage: bench_training [--json] [--rounds N] [--case mlp|lenet] [--threads N] "
                   "[--profile]\n");
      return 2;
    }
  }
  const std::vector<std::string> names = {"mlp", "lenet"};
  if (!options.only.empty() && std::ranges::find(names, options.only) == names.end()) {
    throw not_found("there is no case '", options.only, "', only ", join(names, " and "));
  }
  if (options.profile) {
    set_num_threads(options.threads);
    std::printf("%s",
                TrainingCase(options.only.empty() ? "lenet" : options.only).profile(50).c_str());
    return 0;
  }
  if (!options.json)
    std::printf("%-8s %7s %10s %10s %8s %12s\n", "step", "threads", "ours ms", "torch ms", "ratio",
                "of peak");
  std::vector<int> counts = {1, 2};
  if (options.threads > 0) counts = {options.threads};
  for (const std::string& name : names) {
    if (!options.only.empty() && options.only != name) continue;
    for (const int threads : counts) compare(argv[0], name, threads, options);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
