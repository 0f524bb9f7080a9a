#include "thalweg/train/checkpoint_manager.h"

#include <cmath>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"
#include "thalweg/base/log.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

/// A graph with the variables `w` float32[2] and `n` int64, and a place for their values.
struct Model {
  explicit Model(int64_t width = 2) : graph(standard_ops()) {
    Variable(graph, Tensor::zeros(kFloat32, Shape{width}), {.name = "w"});
    Variable(graph, Tensor(int64_t{0}), {.name = "n"});
  }
  void set(float value) {
    variables.set("w", Tensor::of<float>({value, -value}));
    variables.set("n", Tensor(static_cast<int64_t>(value)));
  }
  float value() const { return variables.get("w").data<float>()[0]; }

  Graph graph;
  VariableStore variables;
};

std::vector<int64_t> steps(const CheckpointManager& manager) {
  std::vector<int64_t> result;
  for (const CheckpointRecord& record : manager.checkpoints()) result.push_back(record.step);
  return result;
}

/// Saves one with value `step`.
std::string save(CheckpointManager& manager, Model& model, int64_t step,
                 std::optional<double> metric = {}) {
  model.set(static_cast<float>(step));
  return manager.save(model.variables, step, {}, metric);
}

void cut_in_half(const std::string& path) {
  const std::string bytes = read_file(path);
  write_file(path, std::string_view(bytes).substr(0, bytes.size() / 2));
}

std::string data_file(const std::string& prefix) { return prefix + ".data-00000-of-00001"; }

TEST(CheckpointManager, RestoresVariablesAndExtras) {
  const TemporaryFolder folder;
  Model model;
  model.set(3);
  const std::string prefix =
      CheckpointManager(folder / "a/b")
          .save(model.variables, 12,
                {{"data_position", Tensor::of<int64_t>({1, 2, 3})}, {"note", "x"}});
  EXPECT_EQ(prefix, folder / "a/b/ckpt-12");

  const BundleReader reader(prefix);
  const std::vector<std::string> names = {"_thalweg/data_position", "_thalweg/note", "n", "w"};
  EXPECT_EQ(reader.names(), names);

  Model other;
  const CheckpointExtras extras =
      CheckpointManager(folder / "a/b").restore(prefix, other.graph, other.variables);
  EXPECT_TRUE(other.variables.get("w").same_bits(Tensor::of<float>({3, -3})));
  EXPECT_EQ(other.variables.get("n").item<int64_t>(), 3);
  EXPECT_EQ(extras.size(), 2u);
  EXPECT_EQ(extras.at("note").item<std::string>(), "x");
}

TEST(CheckpointManager, KeepsTheLastFewAndTheBest) {
  const TemporaryFolder folder;
  const FakeClock clock(1000);
  Model model;
  CheckpointManager manager(folder.path(), {.keep_last = 2, .clock = &clock});
  save(manager, model, 1, 0.5);
  save(manager, model, 2, 0.2);
  save(manager, model, 3, 0.3);
  save(manager, model, 4, 0.4);
  save(manager, model, 5);
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{2, 4, 5}));
  EXPECT_EQ(manager.best()->step, 2);
  EXPECT_EQ(manager.best()->metric, 0.2);
  EXPECT_FALSE(checkpoint_exists(folder / "ckpt-1"));

  const auto state = read_checkpoint_state(folder.path());
  EXPECT_EQ(state->latest, "ckpt-5");
  EXPECT_EQ(state->all, (std::vector<std::string>{"ckpt-2", "ckpt-4", "ckpt-5"}));
  EXPECT_EQ(state->timestamps, (std::vector<double>{1000, 1000, 1000}));

  save(manager, model, 6, 0.1);
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{5, 6})) << "the best of before is needed no more";
}

TEST(CheckpointManager, FindsWhatAnEarlierOneSaved) {
  const TemporaryFolder folder;
  Model model;
  {
    CheckpointManager manager(folder.path(), {.higher_is_better = true});
    save(manager, model, 9, 0.75);
    save(manager, model, 10, 0.5);
  }
  CheckpointManager manager(folder.path(), {.higher_is_better = true});
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{9, 10}));
  EXPECT_EQ(manager.best()->prefix, folder / "ckpt-9");
  EXPECT_FALSE(manager.is_best(0.75));
  EXPECT_FALSE(manager.is_best(std::nan("")));
  manager.set_metric(0.8);
  EXPECT_EQ(manager.best()->step, 10);
  EXPECT_EQ(CheckpointManager(folder.path()).best()->metric, 0.8);
}

TEST(CheckpointManager, RemovesLeftoversOfKilledWriters) {
  const TemporaryFolder folder;
  Model model;
  {
    CheckpointManager manager(folder.path());
    save(manager, model, 1);
  }
  write_file(folder / ".tmp-ckpt-2.index", "half");
  write_file(data_file(folder / "ckpt-2"), "no index came");
  write_file(data_file(folder / "model"), "of somebody else");
  const CheckpointManager manager(folder.path());
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{1}));
  EXPECT_FALSE(file_exists(folder / ".tmp-ckpt-2.index"));
  EXPECT_FALSE(file_exists(data_file(folder / "ckpt-2")));
  EXPECT_TRUE(file_exists(data_file(folder / "model")));
  EXPECT_TRUE(file_exists(data_file(folder / "ckpt-1")));
}

TEST(CheckpointManager, TakesInACheckpointThatTheKilledWriterDidNotRecord) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager first(folder.path());
  save(first, model, 1);
  const std::string before = read_file(folder / "checkpoint");
  save(first, model, 2);
  write_file(folder / "checkpoint", before);
  EXPECT_EQ(CheckpointManager(folder.path()).latest(), folder / "ckpt-2");
  write_file(folder / "checkpoint", "model_checkpoint_path");  // and one that cannot be read
  set_log_sink([](LogLevel, std::string_view, std::string_view) {});
  EXPECT_EQ(CheckpointManager(folder.path()).latest(), folder / "ckpt-2");
  set_log_sink({});
}

TEST(CheckpointManager, AnOldOneThatTheKilledWriterDidNotRemoveIsNotTheNewest) {
  // The best, of long ago, is listed first; the one not removed is of a step between.
  const TemporaryFolder folder;
  Model model;
  const CheckpointOptions options{.keep_last = 2};
  {
    CheckpointManager manager(folder.path(), options);
    save(manager, model, 50, 0.1);
    for (const int64_t step : {141, 142}) save(manager, model, step, 0.5);
  }
  const std::string index = read_file(folder / "ckpt-141.index");
  const std::string data = read_file(data_file(folder / "ckpt-141"));
  {
    CheckpointManager manager(folder.path(), options);
    save(manager, model, 143, 0.5);
  }
  EXPECT_FALSE(checkpoint_exists(folder / "ckpt-141"));
  write_file(data_file(folder / "ckpt-141"), data);
  write_file(folder / "ckpt-141.index", index);
  CheckpointManager manager(folder.path(), options);
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{50, 141, 142, 143}));
  save(manager, model, 144, 0.5);
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{50, 143, 144})) << "it is removed now";
}

TEST(CheckpointManager, NeverWritesOverACheckpoint) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  save(manager, model, 4, 0.5);
  model.set(7);
  EXPECT_EQ(manager.save(model.variables, 4), folder / "ckpt-4-2");
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{4}));
  EXPECT_FALSE(checkpoint_exists(folder / "ckpt-4"));
  EXPECT_EQ(manager.best()->prefix, folder / "ckpt-4-2");
  const CheckpointManager again(folder.path());
  EXPECT_EQ(again.latest(), folder / "ckpt-4-2");
  EXPECT_EQ(again.best()->metric, 0.5);
}

TEST(CheckpointManager, AFullDiskLeavesTheOldOneIntact) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path(), {.keep_last = 1});
  save(manager, model, 1, 0.5);
  const std::string state = read_file(folder / "checkpoint");
  model.set(2);
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{10}, uint64_t{60}, uint64_t{200}}) {
    const ScopedDiskFull full(bytes);
    expect_error(
        Code::kResourceExhausted, [&] { manager.save(model.variables, 2, {}, 0.1); }, "ckpt-2",
        "cannot be saved", "ckpt-1' is as before");
  }
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{1}));
  EXPECT_EQ(read_file(folder / "checkpoint"), state);
  Model other;
  CheckpointManager(folder.path()).restore(folder / "ckpt-1", other.graph, other.variables);
  EXPECT_EQ(other.value(), 1);
  save(manager, model, 3);  // and it goes on
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{1, 3}));
}

TEST(CheckpointManager, NamesTheDamagedFileAndAWholeOlderOne) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  for (const int64_t step : {1, 2, 3}) save(manager, model, step);
  cut_in_half(data_file(folder / "ckpt-3"));
  cut_in_half(folder / "ckpt-2.index");
  Model other;
  other.set(9);
  expect_error(
      Code::kDataLoss, [&] { manager.restore(folder / "ckpt-3", other.graph, other.variables); },
      "ckpt-3.data-00000-of-00001", "ckpt-1' is whole");
  EXPECT_EQ(other.value(), 9);

  std::string warning;
  set_log_sink([&](LogLevel, std::string_view, std::string_view text) { warning = text; });
  const RestoredCheckpoint restored = manager.restore_latest(other.graph, other.variables);
  set_log_sink({});
  EXPECT_EQ(restored.prefix, folder / "ckpt-1");
  EXPECT_EQ(other.value(), 1);
  EXPECT_NE(warning.find("ckpt-3.data"), std::string::npos) << warning;
  EXPECT_NE(warning.find("going on from the older"), std::string::npos) << warning;

  remove_file(data_file(folder / "ckpt-1"));
  expect_error(
      Code::kDataLoss, [&] { manager.restore_latest(other.graph, other.variables); },
      "none of the 3 checkpoints");
}

TEST(CheckpointManager, ASaveAfterADamagedOneOfALaterStepIsTheNewest) {
  const TemporaryFolder folder;
  Model model;
  {
    CheckpointManager manager(folder.path());
    save(manager, model, 10);
    save(manager, model, 20);
  }
  cut_in_half(data_file(folder / "ckpt-20"));
  CheckpointManager manager(folder.path(), {.keep_last = 1});
  save(manager, model, 15);
  EXPECT_EQ(steps(manager), (std::vector<int64_t>{15}));
  EXPECT_EQ(CheckpointManager(folder.path()).latest(), folder / "ckpt-15");
}

TEST(CheckpointManager, RefusesAnotherModelAndChangesNothing) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  const std::string prefix = save(manager, model, 1);
  Model wider(3);
  wider.variables.set("n", Tensor(int64_t{5}));
  expect_error(
      Code::kInvalidArgument, [&] { manager.restore(prefix, wider.graph, wider.variables); }, "`w`",
      "float32[3]", "float32[2]");
  EXPECT_EQ(wider.variables.get("n").item<int64_t>(), 5);
  Model more;
  Variable(more.graph, Tensor(1.0f), {.name = "w/Adam"});
  expect_error(
      Code::kInvalidArgument, [&] { manager.restore(prefix, more.graph, more.variables); },
      "no value for variable `w/Adam`", "another model or optimizer");
  expect_error(
      Code::kNotFound, [&] { manager.restore(folder / "ckpt-8", model.graph, model.variables); },
      "ckpt-8");
}

TEST(CheckpointManager, AsksBeforeAVariableChanges) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  save(manager, model, 1);
  model.set(2);
  expect_error(
      Code::kFailedPrecondition,
      [&] {
        manager.restore_latest(model.graph, model.variables, [](const CheckpointExtras&) {
          throw failed_precondition("not mine");
        });
      },
      "not mine");
  EXPECT_EQ(model.value(), 2);
}

TEST(CheckpointManager, ForgetsABestThatIsGoneOrUnreadable) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  save(manager, model, 1, 0.5);
  save(manager, model, 2);
  remove_checkpoint(folder / "ckpt-1");
  EXPECT_FALSE(CheckpointManager(folder.path()).best());
  write_file(folder / "best", "checkpoint: ../evil\nmetric: x\n");
  std::string warning;
  set_log_sink([&](LogLevel, std::string_view, std::string_view text) { warning = text; });
  EXPECT_FALSE(CheckpointManager(folder.path()).best());
  set_log_sink({});
  EXPECT_NE(warning.find("cannot be understood"), std::string::npos);
}

TEST(CheckpointManager, ReplacesWhatIsThereOnlyWithTheNext) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  save(manager, model, 1, 0.5);
  save(manager, model, 7);
  manager.replace_with_next();
  EXPECT_TRUE(manager.checkpoints().empty());
  EXPECT_FALSE(manager.best());
  EXPECT_EQ(CheckpointManager(folder.path()).latest(), folder / "ckpt-7");
  EXPECT_TRUE(CheckpointManager(folder.path()).best());
  save(manager, model, 1);
  const CheckpointManager after(folder.path());
  ASSERT_EQ(after.checkpoints().size(), 1u);
  EXPECT_EQ(after.latest(), folder / "ckpt-1-2");
  EXPECT_FALSE(after.best());
  EXPECT_FALSE(checkpoint_exists(folder / "ckpt-7"));
  EXPECT_FALSE(checkpoint_exists(folder / "ckpt-1"));
}

// The new training has fewer steps than the old one, whose files a kill may leave behind.
TEST(CheckpointManager, ReplacedOnesDoNotComeBackAfterAKill) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  save(manager, model, 90, 0.5);
  save(manager, model, 100);
  std::map<std::string, std::string> old;
  for (const std::string& file : list_folder(folder.path())) old[file] = read_file(folder / file);
  manager.replace_with_next();
  save(manager, model, 3);
  // As a kill leaves it before the old files were removed.
  for (const auto& [file, bytes] : old) write_file(folder / file, bytes);
  write_checkpoint_state(folder.path(), {.latest = "ckpt-3",
                                         .all = {"ckpt-90", "ckpt-100"},
                                         .timestamps = {1, 2},
                                         .last_preserved_timestamp = 3});
  const CheckpointManager reader(folder.path(), {.read_only = true});
  EXPECT_EQ(steps(reader), std::vector<int64_t>{3});
  EXPECT_FALSE(reader.best());
  EXPECT_TRUE(checkpoint_exists(folder / "ckpt-100"));
  const CheckpointManager next(folder.path());
  EXPECT_EQ(steps(next), std::vector<int64_t>{3});
  EXPECT_FALSE(next.best());
  EXPECT_FALSE(file_exists(folder / "best"));
  EXPECT_FALSE(checkpoint_exists(folder / "ckpt-100"));
  EXPECT_EQ(read_checkpoint_state(folder.path())->all, std::vector<std::string>{"ckpt-3"});
}

TEST(CheckpointManager, AFullDiskLeavesEitherTheOldTrainingOrTheNew) {
  int replaced = 0;
  for (uint64_t bytes = 0; replaced < 3; bytes += 8) {
    const TemporaryFolder folder;
    Model model;
    CheckpointManager manager(folder.path());
    save(manager, model, 90, 0.5);
    save(manager, model, 100);
    manager.replace_with_next();
    try {
      const ScopedDiskFull full(bytes);
      save(manager, model, 3, 0.75);
      ++replaced;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::kResourceExhausted);
    }
    const CheckpointManager next(folder.path());
    const std::optional<BestCheckpoint>& best = next.best();
    if (next.latest() == folder / "ckpt-100") {
      EXPECT_EQ(replaced, 0);
      ASSERT_TRUE(best);
      EXPECT_EQ(best->step, 90);
    } else {
      EXPECT_EQ(steps(next), std::vector<int64_t>{3});
      EXPECT_TRUE(!best || best->step == 3);
    }
  }
}

TEST(CheckpointManager, WithoutACheckpointSaysSo) {
  const TemporaryFolder folder;
  Model model;
  CheckpointManager manager(folder.path());
  expect_error(
      Code::kFailedPrecondition, [&] { manager.set_metric(1); }, "no checkpoint");
  expect_error(
      Code::kNotFound, [&] { manager.restore_latest(model.graph, model.variables); },
      "no checkpoint");
  expect_error(
      Code::kInvalidArgument, [&] { CheckpointManager(folder.path(), {.keep_last = 0}); },
      "keep_last is 0");
}

}  // namespace
}  // namespace thalweg
