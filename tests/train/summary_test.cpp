// Curves of a training in event files.
#include <sys/stat.h>

#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/summary/event_reader.h"
#include "train_testing.h"

namespace thalweg {
namespace {

using testing::Classifier;
using testing::TemporaryFolder;

std::vector<std::pair<int64_t, float>> curve(const std::string& folder, const std::string& tag) {
  std::vector<std::pair<int64_t, float>> result;
  EventLog log = read_event_folder(folder);
  for (const ScalarPoint& point : log.scalars[tag]) {
    result.emplace_back(point.step, static_cast<float>(point.value));
  }
  return result;
}

TEST(Summaries, HoldLossRateAndFigures) {
  const TemporaryFolder folder;
  Classifier model(Sgd({.learning_rate = piecewise_constant({3, 9}, {0.5, 0.25, 0.125})}));
  TrainingOptions options{.epochs = 2, .validation = model.validation()};
  options.summary = {.folder = folder.path(), .every_steps = 2};
  const TrainResult result = model.train(options);
  EXPECT_EQ(result.summary_failure, "");
  // Step n is made at the rate of n - 1 steps before it.
  const std::vector<std::pair<int64_t, float>> rates = {{2, 0.5f},    {4, 0.5f},   {6, 0.25f},
                                                        {8, 0.25f},   {10, 0.25f}, {12, 0.125f},
                                                        {14, 0.125f}, {16, 0.125f}};
  EXPECT_EQ(curve(folder / "train", "learning_rate"), rates);
  EXPECT_EQ(curve(folder / "train", "loss").size(), 8u);
  const auto losses = curve(folder / "train", "epoch/loss");
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[1].first, 16);
  EXPECT_FLOAT_EQ(losses[1].second, static_cast<float>(figure(result.history[1].train, "loss")));
  const auto accuracy = curve(folder / "validation", "epoch/accuracy");
  ASSERT_EQ(accuracy.size(), 2u);
  EXPECT_FLOAT_EQ(accuracy[1].second,
                  static_cast<float>(figure(result.history[1].validation, "accuracy")));
  EXPECT_FALSE(read_event_folder(folder / "train").graph_def.empty());
}

TEST(Summaries, OfAResumedTrainingMakeOneCurve) {
  const TemporaryFolder folder;
  for (const int64_t steps : {5, 11}) {
    Classifier model(Sgd({.learning_rate = cosine_decay({.initial = 0.5, .decay_steps = 11})}));
    TrainingOptions options{.max_steps = steps};
    options.saving = {.folder = folder / "checkpoints", .resume = true};
    options.summary = {.folder = folder / "resumed", .every_steps = 1};
    model.train(options);
  }
  Classifier model(Sgd({.learning_rate = cosine_decay({.initial = 0.5, .decay_steps = 11})}));
  TrainingOptions options{.max_steps = 11};
  options.summary = {.folder = folder / "whole", .every_steps = 1};
  model.train(options);
  for (const char* tag : {"loss", "learning_rate"}) {
    EXPECT_EQ(curve(folder / "resumed/train", tag), curve(folder / "whole/train", tag)) << tag;
  }
  const std::vector<int64_t> starts = read_event_folder(folder / "resumed/train").session_starts;
  EXPECT_EQ(starts.back(), 6);
}

TEST(Summaries, OfATrainingThatIsReplacedAreOver) {
  const TemporaryFolder folder;
  for (const int64_t steps : {9, 4}) {
    Classifier model;
    TrainingOptions options{.max_steps = steps, .validation = model.validation()};
    options.saving = {.folder = folder / "checkpoints", .overwrite = true};
    options.summary = {.folder = folder / "events", .every_steps = 1};
    model.train(options);
  }
  for (const char* part : {"events/train", "events/validation"}) {
    EXPECT_EQ(read_event_folder(folder / part).session_starts, (std::vector<int64_t>{0, 0}))
        << part;
  }
}

TEST(Summaries, ThatCannotBeWrittenNeverEndTheTraining) {
  const TemporaryFolder folder;
  write_file(folder / "file", "not a folder");
  int warnings = 0;
  set_log_sink([&](LogLevel, std::string_view, std::string_view) { ++warnings; });
  Classifier model;
  TrainingOptions options{.epochs = 1};
  options.summary = {.folder = folder / "file", .every_steps = 1};
  const TrainResult result = model.train(options);
  set_log_sink({});
  EXPECT_EQ(result.reason, EndReason::kFinished);
  EXPECT_EQ(result.steps, 8);
  EXPECT_EQ(warnings, 1);
  EXPECT_NE(result.summary_failure, "");
}

}  // namespace
}  // namespace thalweg
