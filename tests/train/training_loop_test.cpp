#include "thalweg/train/training_loop.h"

#include <algorithm>
#include <cmath>
#include <csignal>

#include "allocation_count.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/ops/control.h"
#include "train_testing.h"

namespace thalweg {
namespace {

using testing::AfterStep;
using testing::Classifier;
using testing::expect_error;
using testing::expect_same_variables;
using testing::point_batches;
using testing::points;
using testing::TemporaryFolder;

TEST(TrainingLoop, Learns) {
  Classifier model(Adam({.learning_rate = 0.05}), 0.1);
  const double before = evaluate(*(model.session->initialize(), model.session.get()),
                                 model.evaluation, point_batches())["accuracy"];
  const TrainResult result = model.train({.epochs = 20, .validation = model.validation()});
  EXPECT_EQ(result.reason, EndReason::kFinished);
  EXPECT_EQ(result.limit, "epochs");
  EXPECT_EQ(result.steps, 160);
  EXPECT_EQ(result.epochs, 20);
  ASSERT_EQ(result.history.size(), 20u);
  EXPECT_EQ(result.history[4].epoch, 5);
  EXPECT_EQ(result.history[4].step, 40);
  EXPECT_LT(figure(result.history.back().train, "loss"), figure(result.history[0].train, "loss"));
  const Evaluation after = evaluate(*model.session, model.evaluation, point_batches());
  EXPECT_GT(after["accuracy"], std::max(0.9, before));
  EXPECT_GT(result.examples_per_second, 0);
  EXPECT_GT(result.seconds, 0);
}

TEST(TrainingLoop, WeighsAShortLastBatchByItsExamples) {
  // Without learning the epoch's figures are those of one evaluation, whatever the batches.
  Classifier model(Sgd({.learning_rate = 0.0}), 0.0);
  const TrainResult result = model.train({.epochs = 1}, point_batches(60, 7));
  const Evaluation all = evaluate(*model.session, model.evaluation, point_batches(60, 60));
  EXPECT_NEAR(figure(result.history[0].train, "loss"), all["loss"], 1e-6);
  EXPECT_NEAR(figure(result.history[0].train, "accuracy"), all["accuracy"], 1e-6);
}

TEST(TrainingLoop, GivesTheSameBitsTwice) {
  Classifier a;
  Classifier b;
  a.train({.epochs = 2});
  b.train({.epochs = 2}, point_batches().prefetch(2));
  expect_same_variables(a.session->variables(), b.session->variables());
}

TEST(TrainingLoop, ValidationDoesNotChangeTheTraining) {
  Classifier a;
  Classifier b;
  b.evaluation.loss = b.spec.loss;  // with dropout, which draws
  a.train({.epochs = 3});
  b.train({.epochs = 3, .validation = b.validation(), .early_stopping = {.restore_best = false}});
  expect_same_variables(a.session->variables(), b.session->variables());
}

TEST(TrainingLoop, CallsHooksInOrder) {
  struct Record : Hook {
    void begin(LoopState&) override { calls += "begin "; }
    void before_step(LoopState& s) override { calls += str("<", s.step); }
    void after_step(LoopState& s) override { calls += str(",", s.step, "> "); }
    void end_epoch(LoopState& s, const EpochRecord& r) override {
      calls += str("epoch", r.epoch, "/", s.step_in_epoch, " ");
    }
    void saved(LoopState&, const std::string& prefix) override {
      calls += str("saved:", base_name(prefix), " ");
    }
    void end(LoopState&, const TrainResult& r) override { calls += str("end:", r.steps); }
    std::string calls;
  };
  const TemporaryFolder folder;
  const auto record = std::make_shared<Record>();
  Classifier model;
  TrainingOptions options{.epochs = 2};
  options.saving = {.folder = folder.path(), .least_seconds = 0};
  options.hooks = {record};
  model.train(options, point_batches(6, 3));
  EXPECT_EQ(record->calls,
            "begin <0,1> <1,2> epoch1/2 saved:ckpt-2 <2,3> <3,4> epoch2/2 saved:ckpt-4 end:4");
}

TEST(TrainingLoop, TellsHooksWhereItStands) {
  Classifier model;
  std::vector<std::string> seen;
  TrainingOptions options{.epochs = 2, .max_steps = 7};
  options.hooks = {std::make_shared<AfterStep>([&](LoopState& s) {
    EXPECT_EQ(s.session, model.session.get());
    EXPECT_EQ(s.steps_per_epoch, 4);
    EXPECT_EQ(s.epochs, 2);
    EXPECT_EQ(s.max_steps, 7);
    EXPECT_TRUE(std::isfinite(s.loss));
    EXPECT_EQ(s.figures.size(), 2u);
    EXPECT_EQ(s.figures[0].name, "loss");
    seen.push_back(str(s.step, " ", s.epoch, ".", s.step_in_epoch, " ", s.batch_examples));
  })};
  model.train(options, point_batches(10, 3));
  EXPECT_EQ(seen, (std::vector<std::string>{"1 1.1 3", "2 1.2 3", "3 1.3 3", "4 1.4 1", "5 2.1 3",
                                            "6 2.2 3", "7 2.3 3"}));
}

TEST(TrainingLoop, ASteadyStepAllocatesNothingOfItsOwn) {
  struct Count : Hook {
    void before_step(LoopState&) override { before = testing::allocation_count(); }
    void after_step(LoopState& s) override {
      if (s.step > 3) most = std::max(most, testing::allocation_count() - before);
    }
    int64_t before = 0;
    int64_t most = 0;
  };
  const auto count = std::make_shared<Count>();
  Classifier model;
  TrainingOptions options{.epochs = 3};
  options.hooks = {count};
  model.train(options, point_batches(64, 8));

  // What is left is within the kernel library: the same step without the loop has it too.
  const Metric& metric = model.spec.metrics[0];
  const Callable step = model.session->make_callable(
      model.spec.inputs, {model.spec.loss, metric.total, metric.weight}, {model.spec.train_step});
  const std::vector<Tensor> batch = points(8);
  std::vector<Tensor> values(3);
  int64_t alone = 0;
  for (int i = 0; i < 8; ++i) {
    const int64_t before = testing::allocation_count();
    step.run(batch, values);
    alone = testing::allocation_count() - before;
  }
  EXPECT_EQ(count->most, alone);
}

TEST(TrainingLoop, EndsInTheMiddleOfAnEpochWithItsFigures) {
  Classifier model;
  const TrainResult result = model.train({.max_steps = 11, .validation = model.validation()});
  EXPECT_EQ(result.limit, "max_steps");
  EXPECT_EQ(result.epochs, 1);
  ASSERT_EQ(result.history.size(), 2u);
  EXPECT_TRUE(result.history[0].complete);
  EXPECT_FALSE(result.history[1].complete);
  EXPECT_EQ(result.history[1].epoch, 2);
  EXPECT_EQ(result.history[1].step, 11);
  EXPECT_TRUE(std::isfinite(figure(result.history[1].train, "loss")));
  EXPECT_TRUE(std::isfinite(figure(result.history[1].validation, "loss")));
}

TEST(TrainingLoop, CountsEpochsBySteps) {
  Classifier model;
  TrainResult result = model.train({.epochs = 3, .steps_per_epoch = 5}, point_batches().repeat());
  EXPECT_EQ(result.steps, 15);
  EXPECT_EQ(result.history.size(), 3u);
  Classifier finite;  // passes have 8 batches: epochs go across them
  result = finite.train({.epochs = 3, .steps_per_epoch = 5});
  EXPECT_EQ(result.steps, 15);
  expect_same_variables(model.session->variables(), finite.session->variables());
}

TEST(TrainingLoop, ValidatesEveryFewEpochsAndAtTheLast) {
  Classifier model;
  ValidationOptions validation = model.validation();
  validation.every_epochs = 2;
  const TrainResult result = model.train({.epochs = 5, .validation = validation});
  std::vector<bool> evaluated;
  for (const EpochRecord& record : result.history) evaluated.push_back(!record.validation.empty());
  EXPECT_EQ(evaluated, (std::vector<bool>{false, true, false, true, true}));
}

TEST(TrainingLoop, StopsEarlyWithTheBestWeights) {
  for (const bool with_folder : {false, true}) {
    const TemporaryFolder folder;
    Classifier model(Sgd({.learning_rate = 8.0}));
    TrainingOptions options{
        .epochs = 100, .validation = model.validation(), .early_stopping = {.patience = 4}};
    if (with_folder) options.saving = {.folder = folder.path(), .keep_last = 1};
    const TrainResult result = model.train(options);
    EXPECT_EQ(result.reason, EndReason::kStoppedEarly);
    EXPECT_EQ(result.limit, "patience");
    ASSERT_TRUE(result.best);
    EXPECT_TRUE(result.best_restored);
    EXPECT_EQ(result.best->step, result.steps - 4 * 8);
    EXPECT_EQ(evaluate(*model.session, model.evaluation, model.validation().batches)["loss"],
              result.best->value);
    EXPECT_NE(result.message.find("validation loss has not improved for 4"), std::string::npos)
        << result.message;
    if (!with_folder) continue;
    EXPECT_EQ(result.best->prefix, folder / str("ckpt-", result.best->step));
    EXPECT_EQ(result.last_checkpoint, folder / str("ckpt-", result.steps));
    EXPECT_TRUE(checkpoint_exists(result.best->prefix));
    EXPECT_TRUE(checkpoint_exists(result.last_checkpoint)) << "the last weights are at hand too";
  }
}

TEST(TrainingLoop, KeepsTheLastWeightsWhenTold) {
  Classifier model(Sgd({.learning_rate = 8.0}));
  TrainingOptions options{
      .epochs = 12, .validation = model.validation(), .early_stopping = {.restore_best = false}};
  const TrainResult result = model.train(options);
  EXPECT_FALSE(result.best_restored);
  EXPECT_EQ(model.session->variables().get("global_step").item<int64_t>(), 96);
  ASSERT_TRUE(result.best);
}

TEST(TrainingLoop, WatchesAMetric) {
  Classifier model(Sgd({.learning_rate = 8.0}));
  const TrainResult result =
      model.train({.epochs = 6,
                   .validation = model.validation(),
                   .early_stopping = {.metric = "accuracy", .higher_is_better = true}});
  double highest = 0;
  for (const EpochRecord& record : result.history) {
    highest = std::max(highest, figure(record.validation, "accuracy"));
  }
  EXPECT_EQ(result.best->value, highest);
}

TEST(TrainingLoop, AHookCanEndIt) {
  Classifier model;
  TrainingOptions options{.epochs = 3};
  options.hooks = {std::make_shared<AfterStep>([](LoopState& s) {
    if (s.step == 5) s.request_stop();
  })};
  const TrainResult result = model.train(options);
  EXPECT_EQ(result.reason, EndReason::kFinished);
  EXPECT_EQ(result.limit, "");
  EXPECT_EQ(result.steps, 5);
  EXPECT_NE(result.message.find("a hook asked"), std::string::npos);
}

TEST(TrainingLoop, SavesByStepsByTimeAndAtTheEnd) {
  const TemporaryFolder folder;
  FakeClock clock(1000);
  Classifier model;
  TrainingOptions options{.max_steps = 13, .clock = &clock};
  options.saving = {.folder = folder.path(),
                    .every_steps = 4,
                    .every_seconds = 5,
                    .every_epochs = 0,
                    .keep_last = 100};
  options.hooks = {std::make_shared<AfterStep>([&](LoopState& s) {
    if (s.step == 6) clock.advance(7);
  })};
  model.train(options);
  std::vector<int64_t> steps;
  const CheckpointManager manager(folder.path());
  for (const CheckpointRecord& record : manager.checkpoints()) {
    steps.push_back(record.step);
  }
  // 8 ends an epoch and is saved once; 12 is saved when it is known that the epoch goes on.
  EXPECT_EQ(steps, (std::vector<int64_t>{4, 6, 8, 12, 13}));
}

TEST(TrainingLoop, ShortEpochsAreNotSavedOneByOne) {
  const TemporaryFolder folder;
  FakeClock clock(1000);
  Classifier model(Sgd({.learning_rate = 8.0}));
  TrainingOptions options{.epochs = 20, .validation = model.validation(), .clock = &clock};
  options.saving = {.folder = folder.path(), .keep_last = 100};
  options.hooks = {std::make_shared<AfterStep>([&](LoopState& s) {
    if (s.step % 8 == 0) clock.advance(4);  // an epoch
  })};
  const TrainResult result = model.train(options);
  std::vector<int64_t> steps;
  const CheckpointManager manager(folder.path());
  for (const CheckpointRecord& record : manager.checkpoints()) steps.push_back(record.step);
  // Every third epoch and the last, and before one of these the best since the last.
  for (const int64_t step : {24, 48, 72, 96, 120, 144, 160}) {
    EXPECT_NE(std::find(steps.begin(), steps.end(), step), steps.end()) << step;
  }
  EXPECT_LT(steps.size(), 14u);
  // The best of all is the best, saved at once or not.
  double least = figure(result.history[0].validation, "loss");
  for (const EpochRecord& epoch : result.history) {
    least = std::min(least, figure(epoch.validation, "loss"));
  }
  ASSERT_TRUE(manager.best());
  EXPECT_EQ(manager.best()->metric, least);
  EXPECT_EQ(result.best->value, least);
  EXPECT_EQ(evaluate(*model.session, model.evaluation, model.validation().batches)["loss"], least);
}

TEST(TrainingLoop, SpeaksOfTheFolderThatItsFilesMoveTo) {
  const TemporaryFolder folder;
  Classifier first;
  TrainingOptions options{.max_steps = 3, .validation = first.validation()};
  options.saving.folder = folder / "place";
  first.train(options);
  Classifier second;
  options.validation = second.validation();
  options.saving = {.folder = folder / "new", .moves_to = folder / "place"};
  const TrainResult result = second.train(options);
  EXPECT_EQ(result.last_checkpoint, folder / "place/ckpt-3-2");
  EXPECT_EQ(result.best->prefix, folder / "place/ckpt-3-2");
  EXPECT_TRUE(checkpoint_exists(folder / "new/ckpt-3-2"));
}

TEST(TrainingLoop, AFullDiskEndsItWithTheOldCheckpointIntact) {
  const TemporaryFolder folder;
  Classifier model;
  TrainingOptions options{.epochs = 3};
  options.saving = {.folder = folder.path(), .least_seconds = 0};
  std::unique_ptr<ScopedDiskFull> full;
  options.hooks = {std::make_shared<AfterStep>([&](LoopState& s) {
    if (s.step == 12) full = std::make_unique<ScopedDiskFull>(100);
  })};
  expect_error(
      Code::kResourceExhausted, [&] { model.train(options); }, "ckpt-16", "ckpt-8' is as before");
  full.reset();
  Classifier other;
  CheckpointManager manager(folder.path());
  EXPECT_EQ(manager.latest(), folder / "ckpt-8");
  manager.restore(manager.latest(), other.graph, other.session->variables());
  EXPECT_EQ(other.session->variables().get("global_step").item<int64_t>(), 8);
}

TEST(TrainingLoop, ABatchOfWeightZeroCountsNothing) {
  // Weights of class 1 are 0; the second batch has only that class.
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, Shape{kUnknownDim, 2}, {.name = "x"});
  const Output y = placeholder(graph, kInt64, Shape{kUnknownDim}, {.name = "y"});
  const Output weights = 1.0 - cast(y, kFloat32);
  const Output logits = Dense({.units = 2})(x, Mode::kTraining);
  TrainSpec spec;
  spec.inputs = {x, y};
  spec.loss = losses::sparse_softmax_cross_entropy(y, logits, weights);
  spec.loss_weight = reduce_sum(weights);
  spec.train_step = &Sgd({.learning_rate = 0.1}).minimize(spec.loss);
  Session session(graph);
  const Tensor features = points(4)[0];
  const auto batches = [&](std::initializer_list<int64_t> labels) {
    return Dataset::from_tensors({features, Tensor::of<int64_t>(labels)}).batch(2);
  };
  const TrainResult result = TrainingLoop(session, spec, {.epochs = 1}).run(batches({0, 0, 1, 1}));
  EXPECT_TRUE(std::isfinite(figure(result.history[0].train, "loss")));
  EXPECT_GT(figure(result.history[0].train, "loss"), 0);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        TrainingLoop(session, spec, {.epochs = 1}).run(batches({1, 1, 1, 1}));
      },
      "weight 0", "nothing to learn");
}

TEST(TrainingLoop, RejectsWhatCannotWork) {
  Classifier model;
  const auto make = [&](const TrainSpec& spec, const TrainingOptions& options) {
    TrainingLoop(*model.session, spec, options);
  };
  const auto expect = [&](const TrainingOptions& options, const char* words) {
    expect_error(
        Code::kInvalidArgument, [&] { make(model.spec, options); }, words);
  };
  expect({}, "neither epochs nor max_steps");
  expect({.epochs = 0}, "epochs is 0");
  expect({.max_steps = -1}, "max_steps is -1");
  expect({.epochs = 1, .early_stopping = {.patience = 1, .metric = "f1"}}, "'f1'");
  expect({.epochs = 1, .early_stopping = {.patience = -1}}, "patience is -1");
  expect({.epochs = 1, .saving = {.resume = true}}, "no folder");
  expect({.epochs = 1, .saving = {.folder = "x", .keep_last = 0}}, "keep_last is 0");
  expect({.epochs = 1, .summary = {.folder = "x", .every_steps = 0}}, "every_steps is 0");
  expect({.epochs = 1, .early_stopping = {.patience = 1, .min_delta = HUGE_VAL}}, "min_delta is");
  expect({.epochs = 1, .saving = {.folder = "x", .resume = true, .overwrite = true}}, "exclude");
  TrainSpec spec = model.spec;
  spec.train_step = nullptr;
  expect_error(
      Code::kInvalidArgument, [&] { make(spec, {.epochs = 1}); }, "no train_step");
  spec = model.spec;
  spec.loss = {};
  expect_error(
      Code::kInvalidArgument, [&] { make(spec, {.epochs = 1}); }, "no loss");
  expect_error(
      Code::kInvalidArgument, [&] { model.train({.epochs = 1}, point_batches().repeat()); },
      "no end", "max_steps");
  expect_error(
      Code::kInvalidArgument,
      [&] { model.train({.epochs = 1, .hooks = {nullptr}}, point_batches()); }, "hooks",
      "null pointer");
  expect_error(
      Code::kInvalidArgument, [&] { model.train({.epochs = 1}, point_batches().take(0)); },
      "no examples");
  expect_error(
      Code::kInvalidArgument, [&] { model.train({.epochs = 1}, Dataset::from_tensors(points(4))); },
      "training data", "is batch() missing?");
}

TEST(TrainingLoop, TellsOfASignalThatCameAtItsEnd) {
  Classifier model;
  TrainingOptions options{.max_steps = 3};
  options.hooks = {std::make_shared<AfterStep>([](LoopState& state) {
    if (state.step == 3) std::raise(SIGINT);
  })};
  const TrainResult result = model.train(options);
  EXPECT_EQ(result.reason, EndReason::kFinished);
  EXPECT_EQ(result.signal, SIGINT);
  EXPECT_EQ(model.train({.max_steps = 4}).signal, 0);
}

// Two optimizers in one step: the global step counts two a step, the loop does not.
TEST(TrainingLoop, ResumesStepsOfSeveralUpdatesAtTheRightPlace) {
  const TemporaryFolder folder;
  const auto train = [&](int64_t steps) {
    Classifier model;
    Node& other = Sgd({.learning_rate = 0.01}).minimize(model.spec.loss);
    model.spec.train_step = &group({model.spec.train_step, &other});
    TrainingOptions options{.max_steps = steps};
    options.saving = {.folder = folder.path(), .resume = true};
    return model.train(options);
  };
  EXPECT_EQ(train(5).last_checkpoint, folder / "ckpt-5");
  const TrainResult result = train(9);
  EXPECT_EQ(result.first_step, 5);
  EXPECT_EQ(result.steps_now, 4);
  EXPECT_EQ(result.last_checkpoint, folder / "ckpt-9");
}

}  // namespace
}  // namespace thalweg
