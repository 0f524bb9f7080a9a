// A training that stops and goes on gives the same bits as one in one go.
#include <csignal>

#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/base/parallel.h"
#include "train_testing.h"

namespace thalweg {
namespace {

using testing::AfterStep;
using testing::Classifier;
using testing::expect_error;
using testing::expect_same_variables;
using testing::point_batches;
using testing::TemporaryFolder;

void expect_same_history(const std::vector<EpochRecord>& a, const std::vector<EpochRecord>& b) {
  const auto expect_same = [](const std::vector<Figure>& x, const std::vector<Figure>& y) {
    ASSERT_EQ(x.size(), y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].name, y[i].name);
      EXPECT_EQ(x[i].value, y[i].value) << x[i].name;
    }
  };
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].epoch, b[i].epoch);
    EXPECT_EQ(a[i].step, b[i].step);
    EXPECT_EQ(a[i].complete, b[i].complete);
    expect_same(a[i].train, b[i].train);
    expect_same(a[i].validation, b[i].validation);
  }
}

struct ResumeCase {
  std::string name;
  std::function<Optimizer()> optimizer;
  int threads = 1;
  std::optional<int64_t> steps_per_epoch = {};
};

class Resume : public ::testing::TestWithParam<ResumeCase> {
 protected:
  void SetUp() override { set_num_threads(GetParam().threads); }
  void TearDown() override { set_num_threads(0); }

  /// 3 epochs (of 8 batches, 24 in all) with dropout, shuffling and validation.
  TrainingOptions options(const Classifier& model) const {
    return {.epochs = 3,
            .steps_per_epoch = GetParam().steps_per_epoch,
            .validation = model.validation(),
            .early_stopping = {.restore_best = false}};
  }
};

TEST_P(Resume, AtAnyStepGivesTheSameBits) {
  Classifier whole(GetParam().optimizer());
  const TrainResult expected = whole.train(options(whole));
  EXPECT_EQ(expected.epochs, 3);
  for (const int64_t stop : {1, 5, 8, 12, 15, 16, 20}) {
    SCOPED_TRACE(stop);
    const TemporaryFolder folder;
    {
      Classifier first(GetParam().optimizer());
      TrainingOptions o = options(first);
      o.max_steps = stop;
      o.saving.folder = folder.path();
      EXPECT_EQ(first.train(o).steps, std::min(stop, expected.steps));
    }
    Classifier second(GetParam().optimizer());
    TrainingOptions o = options(second);
    o.saving = {.folder = folder.path(), .resume = true};
    const TrainResult result = second.train(o);
    EXPECT_EQ(result.first_step, std::min(stop, expected.steps));
    expect_same_variables(whole.session->variables(), second.session->variables());
    expect_same_history(expected.history, result.history);
    EXPECT_EQ(result.epochs, 3);
  }
}

TEST_P(Resume, AfterManyInterruptionsBySignals) {
  Classifier whole(GetParam().optimizer());
  const TrainResult expected = whole.train(options(whole));
  const TemporaryFolder folder;
  int runs = 0;
  while (true) {
    ASSERT_LT(++runs, 20);
    Classifier model(GetParam().optimizer());
    TrainingOptions o = options(model);
    o.saving = {.folder = folder.path(), .every_epochs = 0, .resume = true};
    int made = 0;
    const int signal = runs % 2 == 0 ? SIGTERM : SIGINT;
    o.hooks = {std::make_shared<AfterStep>([&](LoopState&) {
      if (++made == 4) std::raise(signal);
    })};
    const TrainResult result = model.train(o);
    if (result.reason != EndReason::kInterrupted) {
      expect_same_variables(whole.session->variables(), model.session->variables());
      expect_same_history(expected.history, result.history);
      break;
    }
    EXPECT_EQ(result.signal, signal);
    EXPECT_EQ(result.steps_now, 4);
    EXPECT_NE(result.message.find("from which resume goes on"), std::string::npos)
        << result.message;
    EXPECT_NE(result.message.find(result.last_checkpoint), std::string::npos) << result.message;
  }
  EXPECT_EQ(runs, (static_cast<int>(expected.steps) + 3) / 4 + (expected.steps % 4 == 0 ? 1 : 0));
}

Optimizer adam_cosine() {
  return Adam({.learning_rate = cosine_decay({.initial = 0.1, .decay_steps = 24})});
}
Optimizer momentum_piecewise() {
  return Momentum({.learning_rate = piecewise_constant({9, 17}, {0.5, 0.05, 0.005})});
}

INSTANTIATE_TEST_SUITE_P(Trainings, Resume,
                         ::testing::Values(ResumeCase{"AdamCosine", adam_cosine},
                                           ResumeCase{"AdamCosineTwoThreads", adam_cosine, 2},
                                           ResumeCase{"MomentumPiecewise", momentum_piecewise},
                                           ResumeCase{"MomentumTwoThreadsEpochsAcrossPasses",
                                                      momentum_piecewise, 2, 7}),
                         [](const auto& info) { return info.param.name; });

TEST(ResumedTraining, GoesOnFromAnOlderCheckpointWhenTheNewestIsDamaged) {
  Classifier whole;
  whole.train({.epochs = 2});
  const TemporaryFolder folder;
  {
    Classifier model;
    TrainingOptions o{.max_steps = 12};
    o.saving = {.folder = folder.path(), .every_steps = 5};
    model.train(o);
  }
  const std::string path = folder / "ckpt-12.data-00000-of-00001";
  write_file(path, std::string_view(read_file(path)).substr(0, 100));
  std::string warning;
  set_log_sink([&](LogLevel, std::string_view, std::string_view text) { warning = text; });
  Classifier model;
  TrainingOptions o{.epochs = 2};
  o.saving = {.folder = folder.path(), .resume = true};
  const TrainResult result = model.train(o);
  set_log_sink({});
  EXPECT_EQ(result.first_step, 10);
  EXPECT_NE(warning.find("ckpt-12.data"), std::string::npos) << warning;
  expect_same_variables(whole.session->variables(), model.session->variables());
}

TEST(ResumedTraining, WithEarlyStoppingCountsOn) {
  const auto make = [](const Classifier& model) {
    // Validation loss rises soon at this rate; where exactly does not matter.
    return TrainingOptions{
        .epochs = 40, .validation = model.validation(), .early_stopping = {.patience = 3}};
  };
  const Sgd optimizer({.learning_rate = 8.0});
  Classifier whole(optimizer);
  const TrainResult expected = whole.train(make(whole));
  ASSERT_EQ(expected.reason, EndReason::kStoppedEarly);
  const TemporaryFolder folder;
  for (int64_t epochs = 1;; ++epochs) {
    ASSERT_LT(epochs, 40);
    Classifier model(optimizer);
    TrainingOptions o = make(model);
    o.epochs = epochs;
    o.saving = {.folder = folder.path(), .resume = true};
    const TrainResult result = model.train(o);
    if (result.limit != "patience") continue;
    EXPECT_EQ(result.reason, EndReason::kNothingLeft) << "the epochs were over with the patience";
    EXPECT_EQ(result.steps, expected.steps);
    EXPECT_EQ(result.best->step, expected.best->step);
    EXPECT_EQ(result.best->value, expected.best->value);
    expect_same_variables(whole.session->variables(), model.session->variables());
    break;
  }
}

TEST(ResumedTraining, RefusesOtherDataOrSettings) {
  const TemporaryFolder folder;
  TrainingOptions o{.max_steps = 3};
  o.saving = {.folder = folder.path(), .resume = true, .fingerprint = "data-a"};
  Classifier().train(o);
  o.max_steps = 6;
  Classifier model;
  model.session->initialize();
  const Tensor before = model.session->variables().get("dense/kernel");
  o.saving.fingerprint = "data-b";
  expect_error(
      Code::kFailedPrecondition, [&] { model.train(o); }, "other data", "'data-a'", "'data-b'");
  EXPECT_TRUE(before.same_bits(model.session->variables().get("dense/kernel")));
  o.saving.fingerprint = "data-a";
  expect_error(
      Code::kFailedPrecondition, [&] { Classifier().train(o, point_batches(60, 4)); },
      "another pipeline");
  Classifier other;
  other.spec.metrics.clear();
  expect_error(
      Code::kFailedPrecondition, [&] { other.train(o); }, "counts the metrics", "accuracy");
  expect_error(
      Code::kInvalidArgument, [&] { Classifier(Momentum()).train(o); }, "`Momentum/iterations`");
}

TEST(ResumedTraining, DoesNotMixTrainingsInSilence) {
  const TemporaryFolder folder;
  TrainingOptions o{.max_steps = 3};
  o.saving.folder = folder.path();
  Classifier().train(o);
  expect_error(
      Code::kAlreadyExists, [&] { Classifier().train(o); }, "ckpt-3", "resume", "overwrite");
  o.saving.overwrite = true;
  // Checkpoints stay until there is a new one, under another name.
  o.hooks = {std::make_shared<AfterStep>([](LoopState&) { throw aborted("enough"); })};
  expect_error(
      Code::kAborted, [&] { Classifier().train(o); }, "enough");
  EXPECT_EQ(CheckpointManager(folder.path()).latest(), folder / "ckpt-3");
  o.hooks.clear();
  const TrainResult result = Classifier().train(o);
  EXPECT_EQ(result.first_step, 0);
  EXPECT_EQ(result.steps, 3);
  EXPECT_EQ(CheckpointManager(folder.path()).latest(), folder / "ckpt-3-2");
  EXPECT_FALSE(file_exists(folder / "ckpt-3.index"));
}

TEST(ResumedTraining, SaysWhatWouldGoOnWhenNothingIsLeft) {
  const TemporaryFolder folder;
  TrainingOptions o{.max_steps = 5};
  o.saving = {.folder = folder.path(), .resume = true};
  Classifier().train(o);
  Classifier model;
  TrainResult result = model.train(o);
  EXPECT_EQ(result.reason, EndReason::kNothingLeft);
  EXPECT_EQ(result.limit, "max_steps");
  EXPECT_EQ(result.steps_now, 0);
  EXPECT_EQ(result.steps, 5);
  EXPECT_NE(result.message.find("nothing left to do"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("raise max_steps"), std::string::npos) << result.message;

  const TemporaryFolder epochs;
  o = {.epochs = 1};
  o.saving = {.folder = epochs.path(), .every_steps = 1, .resume = true};
  Classifier().train(o);
  result = Classifier().train(o);
  EXPECT_EQ(result.reason, EndReason::kNothingLeft);
  EXPECT_EQ(result.limit, "epochs");
  EXPECT_EQ(result.history.size(), 1u);
}

// The last epoch, and the one that max_steps cuts, are evaluated out of turn: of use at the end,
// but the training that goes on never sees it.
TEST(ResumedTraining, KnowsNoBestOfAnEvaluationOutOfTurn) {
  const auto make = [](const Classifier& model, int64_t epochs, std::optional<int64_t> steps) {
    TrainingOptions o{.epochs = epochs, .max_steps = steps};
    o.validation = ValidationOptions{model.evaluation, model.validation().batches, 3};
    o.early_stopping.higher_is_better = true;  // an early loss is the best, so that it would stay
    return o;
  };
  const Adam optimizer({.learning_rate = 0.05});
  Classifier whole(optimizer);
  TrainingOptions all = make(whole, 6, {});
  const TemporaryFolder whole_folder;
  all.saving = {.folder = whole_folder.path()};
  const TrainResult expected = whole.train(all);
  for (const auto& [epochs, steps] :
       std::vector<std::pair<int64_t, std::optional<int64_t>>>{{1, {}}, {6, 3}}) {
    const TemporaryFolder folder;
    {
      Classifier first(optimizer);
      TrainingOptions o = make(first, epochs, steps);
      o.saving = {.folder = folder.path()};
      const TrainResult result = first.train(o);
      ASSERT_TRUE(result.best);
      EXPECT_EQ(result.best->step, result.steps);
      EXPECT_EQ(result.best->prefix, result.last_checkpoint);
      EXPECT_TRUE(result.best_restored);
    }
    EXPECT_FALSE(CheckpointManager(folder.path()).best());
    Classifier second(optimizer);
    TrainingOptions o = make(second, 6, {});
    o.saving = {.folder = folder.path(), .resume = true};
    const TrainResult result = second.train(o);
    ASSERT_TRUE(result.best);
    EXPECT_EQ(result.best->step, expected.best->step);
    EXPECT_EQ(result.best->value, expected.best->value);
    expect_same_variables(whole.session->variables(), second.session->variables());
  }
}

}  // namespace
}  // namespace thalweg
