#include "thalweg/estimator/table_estimator.h"

#include <algorithm>
#include <csignal>

#include "table_testing.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

using data::Column;
using testing::expect_error;
using testing::TemporaryFolder;

const HeadSpec kHead = heads::classification("y");

Dnn small_dnn() { return {.columns = dense_columns(), .hidden_units = {8}, .dropout = 0}; }

Custom one_layer() {
  const Layer layer = Dense({.units = 1, .name = "only"});
  return {.columns = {columns::numeric("x")}, .logits = [layer](const ModelContext& context) {
            EXPECT_EQ(context.outputs, 1);
            return layer(
                input_layer(context.transform, context.transform.columns(), context.prepared),
                context.mode);
          }};
}

TEST(TableEstimator, LearnsWithEveryFamily) {
  const Table train = small_table(600), test = small_table(300, 2);
  for (const TableModel& model : each_model()) {
    SCOPED_TRACE(family_of(model));
    TableEstimator estimator(kHead, model, {.batch_size = 32});
    const FitReport report = estimator.fit(train, {.epochs = 30});
    EXPECT_EQ(estimator.record().run.training_rows, 540);
    EXPECT_EQ(estimator.record().run.validation_rows, 60);
    EXPECT_FALSE(report.train.empty());
    EXPECT_FALSE(report.validation.empty());
    const EvaluationReport evaluation = estimator.evaluate(test);
    EXPECT_EQ(evaluation.examples, 300);
    if (std::holds_alternative<Baseline>(model)) {
      EXPECT_DOUBLE_EQ(evaluation["accuracy"], figure(evaluation.baseline, "accuracy"));
      EXPECT_NEAR(evaluation["log_loss"], figure(evaluation.baseline, "log_loss"), 1e-4);
    } else {
      EXPECT_GE(evaluation["accuracy"], 0.9);
    }
  }
}

TEST(TableEstimator, PredictsTheSameBitsWhenLoaded) {
  const Table train = small_table(200), test = small_table(50, 2);
  for (const TableModel& model : each_model()) {
    SCOPED_TRACE(family_of(model));
    const TemporaryFolder folder;
    TableEstimator estimator(kHead, model, {.batch_size = 32, .model_folder = folder.path()});
    estimator.fit(train, {.epochs = 2});
    const TableEstimator loaded = TableEstimator::load(folder.path());
    EXPECT_EQ(loaded.record().run.state, "finished");
    EXPECT_EQ(loaded.head().labels, kHead.labels);
    expect_same_predictions(estimator.predict(test), loaded.predict(test));
    EXPECT_EQ(loaded.evaluate(test)["loss"], estimator.evaluate(test)["loss"]);
    expect_error(
        Code::kFailedPrecondition, [&] { Estimator::load(folder.path()); }, "model of a table");
  }
}

TEST(TableEstimator, GoesOnToTheSameBitsAsInOneGo) {
  const Table train = small_table(200), test = small_table(50, 2);
  for (const TableModel& model :
       {TableModel(small_dnn()), TableModel(WideDeep{.linear_columns = linear_columns(),
                                 .dnn_columns = dense_columns(),
                                 .hidden_units = {8}})}) {
    SCOPED_TRACE(family_of(model));
    const TemporaryFolder folder;
    TableEstimator whole(kHead, model, {.batch_size = 32});
    whole.fit(train, {.epochs = 5});
    TableEstimator begun(kHead, model, {.batch_size = 32, .model_folder = folder.path()});
    begun.fit(train, {.epochs = 2});
    TableEstimator loaded = TableEstimator::load(folder.path());
    const FitReport report = loaded.fit(train, {.epochs = 5, .resume = true});
    EXPECT_EQ(report.training.epochs, 5);
    EXPECT_EQ(report.training.history.size(), 5u);
    expect_same_predictions(whole.predict(test), loaded.predict(test));
  }
}

TEST(TableEstimator, CountsAStepOfTwoOptimizersOnce) {
  TableEstimator estimator(
      kHead,
      WideDeep{
          .linear_columns = linear_columns(), .dnn_columns = dense_columns(), .hidden_units = {4}},
      {.batch_size = 50});
  const FitReport report = estimator.fit(small_table(200), {.epochs = 3, .validation_split = 0});
  EXPECT_EQ(report.training.steps, 12);
  const VariableStore& variables = estimator.variables();
  EXPECT_EQ(variables.get("global_step").item<int64_t>(), 12);
  EXPECT_EQ(variables.get("Ftrl/iterations").item<int64_t>(), 12);
  EXPECT_EQ(variables.get("Adam/iterations").item<int64_t>(), 12);
  EXPECT_TRUE(variables.is_initialized("linear/colour/weights"));
}

TEST(TableEstimator, SaysThatNothingIsLeftOfAFinishedSolver) {
  const Table train = small_table(200), test = small_table(20, 2);
  for (const TableModel& model : {TableModel(Linear{.columns = linear_columns()}),
                                  TableModel(Forest{.columns = tree_columns_of(), .trees = 5})}) {
    SCOPED_TRACE(family_of(model));
    const TemporaryFolder folder;
    TableEstimator first(kHead, model, {.model_folder = folder.path()});
    const FitReport before = first.fit(train);
    TableEstimator again(kHead, model, {.model_folder = folder.path()});
    const FitReport after = again.fit(train, {.resume = true});
    EXPECT_EQ(after.training.reason, EndReason::kNothingLeft);
    EXPECT_EQ(after.training.steps, before.training.steps);
    EXPECT_EQ(after.training.steps_now, 0);
    expect_same_predictions(first.predict(test), again.predict(test));
    EXPECT_EQ(TableEstimator::load(folder.path()).record().run.state, "finished");
    expect_error(
        Code::kAlreadyExists, [&] { again.fit(train); }, "holds a model");
    EXPECT_TRUE(again.fit(train, {.overwrite = true}).replaced);
    expect_same_predictions(first.predict(test), again.predict(test));
  }
}

/// Ctrl-C at the first sign of life.
class Interrupter : public Hook {
 public:
  void end_epoch(LoopState&, const EpochRecord&) override { std::raise(SIGINT); }
};

TEST(TableEstimator, BeginsAnInterruptedSolverAnew) {
  const TemporaryFolder folder;
  const Table train = small_table(300), test = small_table(20, 2);
  const TableModel model =
      Linear{.columns = linear_columns(), .l1 = 0.1, .tolerance = 1e-9, .most_iterations = 500};
  TableEstimator whole(kHead, model);
  whole.fit(train);
  TableEstimator estimator(kHead, model, {.model_folder = folder.path()});
  const FitReport cut = estimator.fit(train, {.hooks = {std::make_shared<Interrupter>()}});
  EXPECT_EQ(cut.training.reason, EndReason::kInterrupted);
  EXPECT_EQ(cut.training.signal, SIGINT);
  EXPECT_EQ(TableEstimator::load(folder.path()).record().run.state, "interrupted");
  const FitReport again = estimator.fit(train, {.resume = true});
  EXPECT_EQ(again.training.reason, EndReason::kFinished);
  EXPECT_EQ(again.training.first_step, 0);
  expect_same_predictions(whole.predict(test), TableEstimator::load(folder.path()).predict(test));
}

TEST(TableEstimator, RefusesToGoOnOtherwise) {
  const TemporaryFolder folder;
  const Table train = small_table(100);
  const auto fit = [&](const HeadSpec& head, const TableModel& model, bool resume) {
    TableEstimator estimator(head, model, {.batch_size = 32, .model_folder = folder.path()});
    estimator.fit(train, {.epochs = 2, .resume = resume});
  };
  fit(kHead, small_dnn(), false);
  Dnn other = small_dnn();
  other.hidden_units = {9};
  expect_error(
      Code::kFailedPrecondition, [&] { fit(kHead, other, true); }, "options or columns are others");
  HeadSpec weighted = kHead;
  weighted.weight = "w";
  expect_error(
      Code::kFailedPrecondition, [&] { fit(weighted, small_dnn(), true); }, "the head was",
      "weight");
}

// B07.
TEST(TableEstimator, TakesColumnsByNameWhereverTheyStand) {
  const Table train = small_table(200), rows = small_table(30, 2);
  TableEstimator estimator(kHead, small_dnn());
  estimator.fit(train, {.epochs = 2});
  const TablePredictions expected = estimator.predict(rows);
  const std::vector<std::string> absent = {"x", "colour", "z"};
  const std::vector<std::string> elsewhere = {"z", "y", "colour", "x"};
  expect_same_predictions(expected, estimator.predict(rows.select(absent)));
  expect_same_predictions(expected, estimator.predict(rows.select(elsewhere)));
  const Column empty("y", std::vector<std::string>(30));
  expect_same_predictions(expected, estimator.predict(rows.with(empty)));
  expect_error(
      Code::kInvalidArgument, [&] { estimator.evaluate(rows.select(absent)); }, "y");
  const std::vector<std::string> lacking = {"y", "x", "z"};
  expect_error(
      Code::kInvalidArgument, [&] { estimator.predict(rows.select(lacking)); }, "colour", "x", "z");
}

// B08.
TEST(TableEstimator, KeepsLabelsAsTheyAreWritten) {
  const std::vector<std::vector<std::string>> kSets = {
      {"3", "4", "5"}, {"cat", "dog"}, {"-1", "1"}, {"0", "2"}, {"1", "2", "10"}};
  for (const auto& names : kSets) {
    std::vector<std::string> labels;
    std::vector<double> x;
    for (size_t i = 0; i < 60; ++i) {
      labels.push_back(names[i % names.size()]);
      x.push_back(static_cast<double>(i % names.size()));
    }
    const Table table({Column("y", labels), Column("x", x)});
    TableEstimator estimator(kHead, Linear{.columns = {columns::vocabulary("x")}, .l2 = 0.01});
    estimator.fit(table);
    const TablePredictions predictions = estimator.predict(table);
    EXPECT_EQ(predictions.classes, names);
    EXPECT_EQ(predictions.labels, labels);
    EXPECT_EQ(estimator.evaluate(table)["accuracy"], 1);
    const Table unseen(
        {Column("y", std::vector<std::string>{"seven"}), Column("x", std::vector<double>{0})});
    expect_error(
        Code::kInvalidArgument, [&] { estimator.evaluate(unseen); }, "seven", names[0]);
  }
}

// S10.
TEST(TableEstimator, LeavesOtherColumnsOut) {
  const Table train = small_table(200), rows = small_table(30, 2);
  TableEstimator estimator(kHead, Forest{.columns = {columns::numeric("x")}, .trees = 5});
  estimator.fit(train);
  Table other = rows;
  other = other.with(Column("colour", std::vector<double>(30, 1e9)));
  expect_same_predictions(estimator.predict(rows), estimator.predict(other));
  ASSERT_EQ(estimator.transform().inputs().size(), 1u);
  EXPECT_EQ(estimator.transform().inputs()[0].column, "x");
  expect_error(
      Code::kInvalidArgument,
      [&] { TableEstimator(kHead, Forest{.columns = {columns::vocabulary("y")}}); }, "y", "learnt",
      "feature");
}

TEST(TableEstimator, CountsRowsByWeight) {
  // Rows of weight 3 as if they stood there three times; those of weight 0 not at all.
  const std::vector<double> x = {0, 0, 1, 1}, twice = {0, 0, 0, 0, 1, 1, 1, 1};
  const Table weighted({Column("x", x), Column("y", std::vector<std::string>{"a", "b", "a", "b"}),
                        Column("w", std::vector<double>{3, 1, 1, 3})});
  const Table repeated(
      {Column("x", twice),
       Column("y", std::vector<std::string>{"a", "a", "a", "b", "a", "b", "b", "b"})});
  HeadSpec head = kHead;
  head.weight = "w";
  const Linear model{.columns = {columns::vocabulary("x")}, .l2 = 1, .tolerance = 1e-8};
  TableEstimator a(head, model), b(kHead, model);
  a.fit(weighted, {.validation_split = 0});
  b.fit(repeated, {.validation_split = 0});
  const Table rows({Column("x", std::vector<double>{0, 1})});
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(a.predict(rows).values.at(i), b.predict(rows).values.at(i), 1e-5);
  }
  EXPECT_NEAR(a.evaluate(weighted)["loss"], b.evaluate(repeated)["loss"], 1e-6);
  EXPECT_EQ(a.evaluate(weighted)["accuracy"], 0.75);
}

TEST(TableEstimator, WeighsClassesInTrainingAlone) {
  std::vector<std::string> labels(100, "often");
  std::fill_n(labels.begin(), 10, "seldom");
  const Table table({Column("y", labels), Column("x", std::vector<double>(100, 1))});
  HeadSpec head = kHead;
  head.class_weights.balanced = true;
  const Dnn model{.columns = {columns::numeric("x", {.scaling = columns::Scaling::kNone})},
                  .hidden_units = {4},
                  .optimizer = NamedOptimizer{.learning_rate = 0.05}};
  TableEstimator balanced(head, model, {.batch_size = 100}),
      plain(kHead, model, {.batch_size = 100});
  balanced.fit(table, {.epochs = 100, .validation_split = 0});
  plain.fit(table, {.epochs = 100, .validation_split = 0});
  EXPECT_NEAR(balanced.predict(table).values.at(0), 0.5, 0.05);
  EXPECT_NEAR(plain.predict(table).values.at(0), 0.9, 0.03);
  EXPECT_EQ(plain.evaluate(table)["accuracy"], 0.9);
}

TEST(TableEstimator, LearnsNumbersInTheirUnits) {
  const Table train = small_table(600), test = small_table(200, 2);
  for (const TableModel& model :
       {TableModel(Linear{.columns = tree_columns_of(), .l2 = 1e-3}), TableModel(small_dnn()),
        TableModel(Forest{.columns = tree_columns_of(), .trees = 20, .column_share = 1})}) {
    SCOPED_TRACE(family_of(model));
    TableEstimator estimator(heads::regression({"target"}), model, {.batch_size = 32});
    estimator.fit(train, {.epochs = 60});
    const EvaluationReport report = estimator.evaluate(test);
    EXPECT_GE(report["r2"], 0.97);
    const TablePredictions predictions = estimator.predict(test);
    EXPECT_EQ(predictions.outputs, std::vector<std::string>{"prediction"});
    EXPECT_TRUE(predictions.classes.empty());
    EXPECT_EQ(predictions.values.shape(), (Shape{200, 1}));
  }
}

TEST(TableEstimator, PredictsCountsAndQuantilesWithTheBaseline) {
  std::vector<double> count;
  for (int i = 0; i < 100; ++i) count.push_back(i % 5);
  const Table table({Column("n", count)});
  TableEstimator poisson(heads::poisson("n"), Baseline{});
  poisson.fit(table, {.validation_split = 0});
  EXPECT_NEAR(poisson.predict(table).values.at(0), 2, 1e-5);
  TableEstimator quantiles(heads::quantile("n", {0.9, 0.5}), Baseline{});
  quantiles.fit(table, {.validation_split = 0});
  const TablePredictions predictions = quantiles.predict(table);
  EXPECT_EQ(predictions.outputs, (std::vector<std::string>{"q0.5", "q0.9"}));
  EXPECT_NEAR(predictions.values.at(0), 2, 1e-5);
  EXPECT_GE(predictions.values.at(1), 3);
}

TEST(TableEstimator, LearnsSeveralThingsAtOnce) {
  const Table train = small_table(400), test = small_table(100, 2);
  const HeadSpec head = heads::multi({{.name = "kind", .head = kHead, .weight = 1},
                                      {.name = "size", .head = heads::regression({"target"})}});
  const TemporaryFolder folder;
  TableEstimator estimator(head, small_dnn(), {.batch_size = 32, .model_folder = folder.path()});
  estimator.fit(train, {.epochs = 40});
  const EvaluationReport report = estimator.evaluate(test);
  ASSERT_EQ(report.parts.size(), 2u);
  EXPECT_GE(report.parts[0]["accuracy"], 0.9);
  EXPECT_GE(report.parts[1]["r2"], 0.95);
  const TablePredictions predictions = estimator.predict(test);
  EXPECT_EQ(predictions.outputs.size(), 3u);
  EXPECT_EQ(predictions.values.shape(), (Shape{100, 3}));
  EXPECT_TRUE(predictions.labels.empty());
  expect_same_predictions(predictions, TableEstimator::load(folder.path()).predict(test));
  TableEstimator baseline(head, Baseline{});
  baseline.fit(train);
  EXPECT_EQ(baseline.predict(test).values.shape(), (Shape{100, 3}));
  TableEstimator forest(head, Forest{.columns = tree_columns_of()});
  expect_error(
      Code::kUnimplemented, [&] { forest.fit(train); }, "one head");
}

TEST(TableEstimator, LearnsEachOfSeveralLabels) {
  const Table rows = small_table(400);
  std::vector<std::string> tags;
  for (int64_t i = 0; i < rows.rows(); ++i) {
    std::vector<std::string> found;
    if (rows.column("x").number(i) > 1) found.emplace_back("large");
    if (rows.column("colour").cell(i) == "red") found.emplace_back("red");
    tags.push_back(join(found, "|"));
  }
  const Table table = rows.with(data::Column("tags", tags));
  for (const TableModel& model :
       {TableModel(Linear{.columns = linear_columns(), .l2 = 0.01}), TableModel(Baseline{}),
        TableModel(Forest{.columns = tree_columns_of(), .trees = 20, .column_share = 1})}) {
    SCOPED_TRACE(family_of(model));
    TableEstimator estimator(heads::multi_label({"tags"}), model);
    estimator.fit(table);
    const TablePredictions predictions = estimator.predict(table);
    EXPECT_EQ(predictions.classes, (std::vector<std::string>{"large", "red"}));
    if (std::holds_alternative<Baseline>(model)) continue;
    int64_t right = 0;
    for (size_t i = 0; i < tags.size(); ++i) right += predictions.labels[i] == tags[i] ? 1 : 0;
    EXPECT_GE(right, 380);
  }
}

TEST(TableEstimator, RunsAFunctionOfOnesOwn) {
  const TemporaryFolder folder;
  const Table train = small_table(200);
  TableEstimator estimator(kHead, one_layer(), {.batch_size = 32, .model_folder = folder.path()});
  estimator.fit(train, {.epochs = 3});
  expect_error(
      Code::kFailedPrecondition, [&] { TableEstimator::load(folder.path()); }, "is a function");
  const TableEstimator loaded = TableEstimator::load(folder.path(), one_layer());
  expect_same_predictions(estimator.predict(train), loaded.predict(train));
}

TEST(TableEstimator, ValidatesOnATableOfOnesOwn) {
  const auto validation = data::table_source(small_table(50, 3));
  TableEstimator estimator(kHead, small_dnn(), {.batch_size = 32});
  const FitReport report =
      estimator.fit(*data::table_source(small_table(200)), {.epochs = 2}, validation.get());
  EXPECT_EQ(estimator.record().run.training_rows, 200);
  EXPECT_EQ(estimator.record().run.validation_rows, 50);
  EXPECT_EQ(estimator.record().run.validation_split, 0);
  EXPECT_NEAR(figure(report.validation, "loss"), estimator.evaluate(*validation)["loss"], 1e-5);
}

TEST(TableEstimator, CountsWhatItDoesNotKnow) {
  TableEstimator estimator(kHead, small_dnn());
  estimator.fit(small_table(100), {.epochs = 1});
  const Table rows({Column("x", std::vector<double>{0, 0}, {1, 0}),
                    Column("colour", std::vector<std::string>{"mauve", "red"}),
                    Column("z", std::vector<double>{1, 2})});
  const Transform::Counts counts = estimator.predict(rows).counts;
  EXPECT_EQ(counts.unknown.at("colour"), 1);
  EXPECT_EQ(counts.missing.at("x"), 1);
}

TEST(TableEstimator, FindsTheColumnsThatMatter) {
  const Table train = small_table(400);
  TableEstimator estimator(kHead, Forest{.columns = tree_columns_of(), .trees = 20});
  estimator.fit(train);
  const std::vector<Figure> importance = estimator.permutation_importance(train, 2);
  ASSERT_EQ(importance.size(), 3u);
  EXPECT_EQ(importance[2].name, "z");
  EXPECT_GT(importance[0].value, 0.1);
  EXPECT_LT(importance[2].value, 0.1);
}

TEST(TableEstimator, RefusesWhatCannotBe) {
  expect_error(
      Code::kInvalidArgument, [] { TableEstimator(kHead, Linear{}); }, "needs feature columns");
  expect_error(
      Code::kInvalidArgument,
      [] { TableEstimator(kHead, Dnn{.columns = dense_columns(), .dropout = 1}); }, "dropout is 1");
  expect_error(
      Code::kInvalidArgument,
      [] { TableEstimator(kHead, WideDeep{.linear_columns = {}, .dnn_columns = dense_columns()}); },
      "linear part has none");
  expect_error(
      Code::kInvalidArgument,
      [] { TableEstimator(kHead, Custom{.columns = dense_columns(), .logits = {}}); }, "`logits`");
  expect_error(
      Code::kInvalidArgument,
      [] {
        TableEstimator(
            kHead, Dnn{.columns = dense_columns(), .optimizer = NamedOptimizer{.name = "adamm"}});
      },
      "adamm", "adam");
  TableEstimator estimator(kHead, small_dnn());
  expect_error(
      Code::kFailedPrecondition, [&] { estimator.predict(small_table(3)); }, "learnt nothing");
  expect_error(
      Code::kFailedPrecondition, [&] { estimator.transform(); }, "learnt nothing");
}

}  // namespace
}  // namespace thalweg
