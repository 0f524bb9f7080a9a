// Killed with SIGKILL at random moments and started again each time, a training gives the weights
// of one that was left alone, bit for bit (failures B17: no checkpoint is ever seen half written).
//
// The training runs in processes of its own: this program calls itself with --train or --overwrite.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/philox.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/nn/layers.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/optimizer.h"
#include "thalweg/train/training_loop.h"

namespace thalweg::testing {
namespace {

constexpr int64_t kRows = 256;
constexpr int64_t kFeatures = 20;
constexpr int kEpochs = 5;
constexpr int kKills = 20;

Dataset examples() {
  Tensor features(kFloat32, {kRows, kFeatures});
  Tensor labels(kInt64, {kRows});
  Philox random(11);
  for (float& cell : features.mutable_data<float>()) cell = static_cast<float>(random.normal());
  for (int64_t i = 0; i < kRows; ++i) {
    labels.mutable_data<int64_t>()[static_cast<size_t>(i)] = features.at(i * kFeatures) > 0 ? 1 : 0;
  }
  return Dataset::from_tensors({features, labels});
}

// How a process trains, as its arguments say it.
struct Start {
  int threads = 1;
  bool overwrites = false;  // else goes on with what is there
  uint64_t seed = 3;
};

// Trains in `folder`; writes the final weights to `folder`/final. Dropout, shuffling, a schedule
// and a checkpoint every step.
int train(const std::string& folder, const Start& run) {
  set_num_threads(run.threads);
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, kFeatures}, {.name = "x"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  const Sequential network(
      {Dense({.units = 64, .activation = "relu"}), Dropout({.rate = 0.3}), Dense({.units = 2})});
  const Output loss = losses::sparse_softmax_cross_entropy(labels, network(x, Mode::kTraining));
  Node& step =
      Adam({.learning_rate = cosine_decay({.initial = 0.01, .decay_steps = 100})}).minimize(loss);
  Session session(graph);
  TrainingOptions options;
  options.epochs = kEpochs;
  options.saving = {.folder = folder,
                    .every_steps = 1,
                    .keep_last = 3,
                    .resume = !run.overwrites,
                    .overwrite = run.overwrites};
  TrainingLoop loop(session, {.inputs = {x, labels}, .loss = loss, .train_step = &step}, options);
  loop.run(examples().shuffle(kRows, run.seed).batch(16));
  BundleWriter writer(join_path(folder, "final"));
  for (const std::string& name : session.variables().names())
    writer.add(name, session.variables().get(name));
  writer.finish();
  return 0;
}

// Starts a training; kills it after `seconds` unless that is negative. Returns whether it ended by
// itself, well.
bool run_process(const std::string& folder, const Start& run, double seconds) {
  const pid_t process = fork();
  if (process == 0) {
    const std::string threads = str(run.threads), seed = str(run.seed);
    execl("/proc/self/exe", "kill_test", run.overwrites ? "--overwrite" : "--train", folder.c_str(),
          threads.c_str(), seed.c_str(), nullptr);
    _exit(127);
  }
  if (seconds >= 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    kill(process, SIGKILL);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool holds_same(const std::string& prefix, const std::string& other) {
  const BundleReader a(prefix), b(other);
  const std::vector<std::string>& names = a.names();
  return names == b.names() && std::all_of(names.begin(), names.end(), [&](const auto& name) {
           return a.read(name).same_bits(b.read(name));
         });
}

void expect_same_weights(const TemporaryFolder& quiet, const TemporaryFolder& rough) {
  const BundleReader expected(quiet / "final");
  const BundleReader actual(rough / "final");
  ASSERT_EQ(expected.names(), actual.names());
  for (const std::string& name : expected.names()) {
    EXPECT_TRUE(expected.read(name).same_bits(actual.read(name))) << name << " differs";
  }
}

void expect_same_weights_after_kills(int threads) {
  const Start run{.threads = threads};
  TemporaryFolder quiet;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(run_process(quiet.path(), run, -1));
  const double whole =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  auto rough = std::make_unique<TemporaryFolder>();
  Philox random(static_cast<uint64_t>(threads));
  int kills = 0;
  while (kills < kKills) {
    if (!run_process(rough->path(), run, random.uniform() * whole / 2)) {
      ++kills;
      continue;
    }
    // Through before it could be killed: look at the outcome, and begin again.
    expect_same_weights(quiet, *rough);
    rough = std::make_unique<TemporaryFolder>();
  }
  ASSERT_TRUE(run_process(rough->path(), run, -1)) << "the last start does not go on";
  expect_same_weights(quiet, *rough);
}

TEST(KilledTraining, GivesTheSameBitsOnOneThread) { expect_same_weights_after_kills(1); }
TEST(KilledTraining, GivesTheSameBitsOnTwoThreads) { expect_same_weights_after_kills(2); }

// Killed while it replaces a training that is over, one is gone on with from its own checkpoints as
// soon as it has one; until then the old one is there, as it was.
TEST(KilledTraining, ThatReplacesAnotherNeverMixesWithIt) {
  const Start old_run{.seed = 3}, new_run{.seed = 4};
  const TemporaryFolder old_folder, new_folder;
  ASSERT_TRUE(run_process(old_folder.path(), old_run, -1));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(run_process(new_folder.path(), new_run, -1));
  const double whole =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string old_latest = *latest_checkpoint(old_folder.path());
  Philox random(5);
  for (int kills = 0; kills < kKills / 2;) {
    const TemporaryFolder folder;
    for (const std::string& file : list_folder(old_folder.path())) {
      if (!file.starts_with("final")) write_file(folder / file, read_file(old_folder / file));
    }
    const Start replacing{.overwrites = true, .seed = new_run.seed};
    if (run_process(folder.path(), replacing, random.uniform() * whole * 0.75)) continue;
    ++kills;
    // Not by the name: the last step of both is the same.
    const bool begun = !holds_same(*latest_checkpoint(folder.path()), old_latest);
    ASSERT_TRUE(run_process(folder.path(), new_run, -1));
    expect_same_weights(begun ? new_folder : old_folder, folder);
  }
}

}  // namespace
}  // namespace thalweg::testing

int main(int argc, char** argv) {
  if (argc == 5 && std::strncmp(argv[1], "--", 2) == 0) {
    try {
      return thalweg::testing::train(argv[2],
                                     {.threads = std::atoi(argv[3]),
                                      .overwrites = std::strcmp(argv[1], "--overwrite") == 0,
                                      .seed = std::strtoull(argv[4], nullptr, 10)});
    } catch (const thalweg::Error& error) {
      std::fprintf(stderr, "error: %s\n", error.what());
      return 1;
    }
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
