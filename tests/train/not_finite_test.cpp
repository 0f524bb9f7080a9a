// A loss that is no number: the report names step and place, and nothing is lost.
#include <limits>

#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"
#include "thalweg/ops/random.h"
#include "train_testing.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

/// loss = mean(log(w * x)), w from 1: no number once x is negative.
struct Logarithm {
  explicit Logarithm(double rate = 0.01) : graph(standard_ops()) {
    const Output x = placeholder(graph, kFloat32, Shape{kUnknownDim}, {.name = "x"});
    const Variable w(graph, Tensor(1.0f), {.name = "w"});
    const Output y = w.read() * x;
    const Output logarithm = graph.add("Log", {y}, {}, {.name = "log"}).output();
    spec.inputs = {x};
    spec.loss = reduce_mean(logarithm) + 0.0 * random_uniform(graph, {});
    spec.train_step = &Sgd({.learning_rate = rate}).minimize(spec.loss);
    session = std::make_unique<Session>(graph);
  }
  Graph graph;
  TrainSpec spec;
  std::unique_ptr<Session> session;
};

Dataset rows(std::initializer_list<float> values) {
  return Dataset::from_tensors({Tensor::of<float>(values)}).batch(2);
}

TEST(NotFinite, NamesTheStepTheNodeAndTheLastGoodCheckpoint) {
  const TemporaryFolder folder;
  Logarithm model;
  TrainingOptions options{.epochs = 5};
  options.saving = {.folder = folder.path(), .every_steps = 2};
  TrainingLoop loop(*model.session, model.spec, options);
  expect_error(
      Code::kOutOfRange,
      [&] {
        loop.run(rows({1, 2, 3, 4, 5, 6, 7, 8, 9, -1}));
      },
      "stopped at step 5", "epoch 1, batch 5", "`log`", "nan", "No weight was changed",
      "learning rate", folder / "ckpt-4");
  // The state is that after step 4.
  VariableStore& variables = model.session->variables();
  EXPECT_EQ(variables.get("global_step").item<int64_t>(), 4);
  EXPECT_EQ(variables.random_runs(), 4u);
  EXPECT_TRUE(file_exists(folder / "ckpt-4.index"));
}

TEST(NotFinite, NamesTheRowOfTheDataWhenTheyAreToBlame) {
  Logarithm model;
  TrainingLoop loop(*model.session, model.spec, {.epochs = 1});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_error(
      Code::kOutOfRange,
      [&] {
        loop.run(rows({1, 2, 3, nan}));
      },
      "step 2", "the data", "`x:0`", "row 1 of the batch", "No checkpoint was saved");
}

TEST(NotFinite, NamesTheVariableThatAStepBeforeHasRuined) {
  Logarithm model(std::numeric_limits<float>::max());
  TrainingLoop loop(*model.session, model.spec, {.epochs = 1});
  model.session->initialize();
  model.session->variables().set("w", Tensor(1e-30f));
  expect_error(
      Code::kOutOfRange,
      [&] {
        loop.run(rows({1, 2, 3, 4}));
      },
      "step 2", "variable `w`", "inf");
}

TEST(NotFinite, WeightsThatAreLostAreNotSaved) {
  const TemporaryFolder folder;
  Logarithm model(std::numeric_limits<float>::max());
  TrainingOptions options{.max_steps = 1};
  options.saving = {.folder = folder.path()};
  TrainingLoop loop(*model.session, model.spec, options);
  model.session->initialize();
  model.session->variables().set("w", Tensor(1e-30f));
  expect_error(
      Code::kOutOfRange,
      [&] {
        loop.run(rows({1, 2, 3, 4}));
      },
      "after step 1", "variable `w`", "not saved");
  EXPECT_FALSE(file_exists(folder / "ckpt-1.index"));
}

TEST(NotFinite, WeightsThatAreLostInTheLastStepAreNoSuccess) {
  Logarithm model(std::numeric_limits<float>::max());
  TrainingLoop loop(*model.session, model.spec, {.max_steps = 1});
  model.session->initialize();
  model.session->variables().set("w", Tensor(1e-30f));
  expect_error(
      Code::kOutOfRange,
      [&] {
        loop.run(rows({1, 2, 3, 4}));
      },
      "after step 1", "variable `w`", "inf", "No checkpoint was saved");
}

// The loss is lost, and then the disk is full: the loss is what the message is about.
TEST(NotFinite, AFullDiskDoesNotHideTheLoss) {
  const TemporaryFolder folder;
  Logarithm model;
  TrainingOptions options{.epochs = 5};
  options.early_stopping = {.patience = 5};  // so that there are best weights, not saved yet
  options.saving = {.folder = folder.path(), .every_epochs = 1, .least_seconds = 1e9};
  std::optional<ScopedDiskFull> full;
  options.hooks = {std::make_shared<testing::AfterStep>([&](LoopState& state) {
    if (state.step == 5) {
      model.session->variables().set("w", Tensor(-1.0f));
      full.emplace(0);
    }
  })};
  TrainingLoop loop(*model.session, model.spec, options);
  expect_error(
      Code::kOutOfRange,
      [&] {
        loop.run(rows({1, 2, 3, 4}));
      },
      "stopped at step 6", "`log`", "No checkpoint was saved", "best weights, of step", "are lost",
      "cannot be saved");
}

TEST(NotFinite, OtherErrorsStayWhatTheyAre) {
  testing::Classifier model;
  Tensor labels(kInt64, Shape{2});
  labels.mutable_data<int64_t>()[0] = 0;
  labels.mutable_data<int64_t>()[1] = 7;
  const Dataset data = Dataset::from_tensors({Tensor::of<float>({1, 2, 3, 4}, {2, 2}), labels});
  expect_error(
      Code::kInvalidArgument, [&] { model.train({.epochs = 1}, data.batch(1)); }, "training step 2",
      "7");
}

}  // namespace
}  // namespace thalweg
