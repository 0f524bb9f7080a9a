// What the engine itself costs: an empty run, a tiny op in a plan, and the time from process start
// to the first step.
//   bench_overhead [--json]
#include <thalweg/thalweg.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace thalweg;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// CPU time of the process so far and, on a quiet machine, about the time since it began.
double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median_seconds(const Callable& call, const std::vector<Tensor>& feeds,
                      std::vector<Tensor>& fetches) {
  std::vector<double> times;
  for (int round = 0; round < 31; ++round) {
    const double start = now();
    for (int i = 0; i < 1000; ++i) call.run(feeds, fetches);
    times.push_back((now() - start) / 1000);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// One training step of a small network, from nothing.
double first_step() {
  const double start = now();
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 784}, {.name = "x"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  const Sequential network({Dense({.units = 512, .activation = "relu"}),
                            Dense({.units = 512, .activation = "relu"}), Dense({.units = 10})});
  const Output loss = losses::sparse_softmax_cross_entropy(labels, network(x, Mode::kTraining));
  Node& train = Adam().minimize(loss);
  Session session(graph);
  session.initialize();
  session.run({{x, Tensor::zeros(kFloat32, {128, 784})}, {labels, Tensor::zeros(kInt64, {128})}},
              {loss}, {&train});
  return now() - start;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const double before = process_seconds();
  const double first = before + first_step();

  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {4}, {.name = "x"});
  // Tiny ops that no pass can join: a chain in which every result is fetched would copy; a chain of
  // products is not merged.
  constexpr int kOps = 100;
  Output chain = x;
  for (int i = 0; i < kOps; ++i) chain = chain * x;
  Session session(graph, {.disabled_passes = {"fuse_elementwise"}});
  const std::vector<Tensor> feeds = {Tensor::of<float>({1, 1, 1, 1})};
  std::vector<Tensor> nothing;
  std::vector<Tensor> result(1);
  const double empty = median_seconds(session.make_callable({}, {}), {}, nothing);
  const double one = median_seconds(session.make_callable({x}, {x * x}), feeds, result);
  const double many = median_seconds(session.make_callable({x}, {chain}), feeds, result);
  const double op = (many - one) / (kOps - 1);
  if (json) {
    std::printf("{\"name\": \"empty_run\", \"threads\": %d, \"ours_us\": %.4f}\n", num_threads(),
                empty * 1e6);
    std::printf("{\"name\": \"tiny_op\", \"threads\": %d, \"ours_us\": %.4f}\n", num_threads(),
                op * 1e6);
    std::printf("{\"name\": \"first_step\", \"threads\": %d, \"ours_s\": %.4f}\n", num_threads(),
                first);
  } else {
    std::printf("empty run of a callable      %8.3f us\n", empty * 1e6);
    std::printf("one tiny op in a plan        %8.3f us\n", op * 1e6);
    std::printf("process start to first step  %8.3f s\n", first);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
