#include "thalweg/estimator/transform.h"

#include <cmath>
#include <limits>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using namespace columns;  // NOLINT: the names are the subject
using data::Column;
using data::table_source;
using testing::expect_error;
using testing::TemporaryFolder;

Column text_column(const std::string& name, const std::vector<std::string>& cells) {
  return Column(name, cells);
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

Transform fitted(const std::vector<FeatureColumn>& columns, const Table& table,
                 const TransformOptions& options = {}) {
  return Transform::fit(columns, *table_source(table), options);
}

template <class T>
std::vector<T> values(const Tensor& tensor) {
  return {tensor.data<T>().begin(), tensor.data<T>().end()};
}

void expect_near(const Tensor& tensor, const std::vector<double>& expected,
                 double tolerance = 1e-6) {
  ASSERT_EQ(tensor.num_elements(), static_cast<int64_t>(expected.size())) << tensor.to_string();
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(tensor.at(static_cast<int64_t>(i)), expected[i], tolerance) << "element " << i;
  }
}

// Ids of one category for a column of texts.
std::vector<int64_t> ids_of(const FeatureColumn& category, const std::vector<std::string>& cells) {
  const Table table({Column("c", cells)});
  return values<int64_t>(fitted({category}, table).prepare(table)[0]);
}

TEST(Transform, StandardisesByTheTrainingRows) {
  const Table train({Column("x", std::vector<int64_t>{1, 2, 3, 6})});
  const Transform transform = fitted({numeric("x")}, train);
  // Mean 3, deviation sqrt((4 + 1 + 0 + 9) / 4).
  const double deviation = std::sqrt(3.5);
  ASSERT_EQ(transform.inputs().size(), 1u);
  EXPECT_EQ(transform.inputs()[0].dtype, kFloat32);
  EXPECT_EQ(transform.prepared().numbers, std::vector<std::string>{"x"});
  const Table later({Column("x", std::vector<double>{3, 10})});
  const data::Example made = transform.prepare(later);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].shape(), (Shape{2, 1}));
  expect_near(made[0], {0, 7 / deviation});
}

TEST(Transform, ScalesInEachWay) {
  const Table train({Column("x", std::vector<double>{1, 2, 5})});
  const auto scaled = [&](Scaling scaling, const Table& rows) {
    return fitted({numeric("x", {.scaling = scaling})}, train).prepare(rows)[0];
  };
  const Table rows({Column("x", std::vector<double>{1, 2, 5, -3})});
  expect_near(scaled(Scaling::kNone, rows), {1, 2, 5, -3});
  expect_near(scaled(Scaling::kMinMax, rows), {0, 0.25, 1, -1});
  const double logs[] = {0, std::log(2), std::log(5)};
  const double mean = (logs[1] + logs[2]) / 3;
  double squares = 0;
  for (const double x : logs) squares += (x - mean) * (x - mean) / 3;
  const double deviation = std::sqrt(squares);
  expect_near(scaled(Scaling::kLog, rows), {-mean / deviation, (logs[1] - mean) / deviation,
                                            (logs[2] - mean) / deviation, -mean / deviation});
  const FeatureColumn given = numeric("x", {.scaling = Scaling::kGiven, .shift = 1, .scale = 2});
  expect_near(fitted({given}, train).prepare(rows)[0], {0, 0.5, 2, -2});
}

TEST(Transform, ReplacesMissingNumbersAndTellsOfThem) {
  const Table train({Column("b", std::vector<double>{kNan, 1, 2, 6, kNan})});
  const Transform transform = fitted({numeric("b", {.scaling = Scaling::kNone})}, train);
  EXPECT_EQ(transform.prepared().numbers, (std::vector<std::string>{"b", "b_missing"}));
  Transform::Counts counts;
  expect_near(transform.prepare(train, &counts)[0], {3, 1, 1, 0, 2, 0, 6, 0, 3, 1});
  EXPECT_EQ(counts.missing.at("b"), 2);
  EXPECT_NE(transform.facts()[0].use.find("the mean 3 (2 of 5)"), std::string::npos)
      << transform.facts()[0].use;
  const FeatureColumn median = numeric(
      "b", {.scaling = Scaling::kNone, .missing = Impute::kMedian, .missing_indicator = false});
  expect_near(fitted({median}, train).prepare(train)[0], {2, 1, 2, 6, 2});
  const FeatureColumn zero = numeric("b", {.scaling = Scaling::kNone, .missing = Impute::kZero});
  expect_near(fitted({zero}, train).prepare(train)[0], {0, 1, 1, 0, 2, 0, 6, 0, 0, 1});
  // None is missing in training: the later one is replaced, without a number that tells.
  const Table whole({Column("b", std::vector<double>{1, 3})});
  expect_near(fitted({numeric("b", {.scaling = Scaling::kNone})}, whole).prepare(train)[0],
              {2, 1, 2, 6, 2});
}

TEST(Transform, LeavesNumbersToTreesAsTheyAre) {
  const Table train(
      {Column("b", std::vector<double>{kNan, 1, 6}), text_column("c", {"x", "y", "x"})});
  const Transform transform = fitted({numeric("b"), vocabulary("c")}, train, {.for_trees = true});
  const data::Example made = transform.prepare(train);
  EXPECT_TRUE(std::isnan(made[0].at(0)));
  EXPECT_EQ(made[0].at(1), 1);
  EXPECT_EQ(made[0].at(2), 6);
  EXPECT_EQ(values<int64_t>(made[1]), (std::vector<int64_t>{0, 1, 0}));
  expect_error(
      Code::kInvalidArgument,
      [&] { fitted({embedding(vocabulary("c"), 2)}, train, {.for_trees = true}); }, "trees",
      "c_embedding");
}

TEST(Transform, KeepsDifferencesThatFloat32WouldLose) {
  const Table train({Column("t", std::vector<double>{1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3})});
  const Transform transform = fitted({numeric("t"), bucketized("t", {.quantiles = 2})}, train);
  EXPECT_EQ(transform.inputs()[0].dtype, kFloat64);
  const data::Example made = transform.prepare(train);
  const double deviation = std::sqrt(1.25);
  expect_near(made[0], {-1.5 / deviation, -0.5 / deviation, 0.5 / deviation, 1.5 / deviation});
  EXPECT_EQ(values<int64_t>(made[1]), (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_NE(transform.facts()[0].use.find("float64"), std::string::npos);
  // The same where the column is a text to the graph, as it is a category too.
  const Transform both = fitted({numeric("t"), hashed("t", 10)}, train);
  EXPECT_EQ(both.inputs()[0].dtype, kString);
  expect_near(both.prepare(train)[0],
              {-1.5 / deviation, -0.5 / deviation, 0.5 / deviation, 1.5 / deviation});
}

TEST(Transform, RefusesNumbersThatAreNone) {
  const Table infinite({Column("x", std::vector<double>{1, 2, HUGE_VAL})});
  expect_error(
      Code::kInvalidArgument, [&] { fitted({numeric("x")}, infinite); }, "'x'", "row 3",
      "infinite");
  const Table texts({text_column("x", {"1", "", "two"})});
  expect_error(
      Code::kInvalidArgument, [&] { fitted({numeric("x")}, texts); }, "'x'", "row 3", "'two'",
      "number");
  const Table good({Column("x", std::vector<double>{1, 2})});
  const Transform transform = fitted({numeric("x")}, good);
  expect_error(
      Code::kInvalidArgument, [&] { transform.prepare(infinite); }, "'x'", "row 3");
  const Table beyond({Column("x", std::vector<double>{1e39})});
  expect_error(
      Code::kInvalidArgument, [&] { transform.prepare(beyond); }, "'x'", "row 1", "float32");
  const Table empty({Column("x", std::vector<double>{kNan, kNan})});
  expect_error(
      Code::kInvalidArgument, [&] { fitted({numeric("x")}, empty); }, "'x'", "no value", "2 rows");
  expect_error(
      Code::kInvalidArgument, [&] { fitted({numeric("y")}, good); }, "'y'", "it has x");
  expect_error(
      Code::kInvalidArgument, [&] { transform.prepare(Table({text_column("z", {"1"})})); }, "'x'");
  EXPECT_TRUE(fitted({}, good).inputs().empty());  // of a model that looks at nothing
}

TEST(Transform, PutsNumbersIntoBucketsAsTensorFlowDoes) {
  const Table table({Column("x", std::vector<double>{-1, 0, 0.5, 1, 10, kNan})});
  const Transform transform = fitted({bucketized("x", {.boundaries = {0, 1, 10}})}, table);
  EXPECT_EQ(values<int64_t>(transform.prepare(table)[0]),
            (std::vector<int64_t>{0, 1, 1, 2, 3, -1}));
  EXPECT_EQ(transform.prepared().ids[0].buckets, 4);
  EXPECT_EQ(transform.prepared().ids[0].names,
            (std::vector<std::string>{"< 0", "[0, 1)", "[1, 10)", ">= 10"}));
}

TEST(Transform, LearnsBucketsThatHoldEquallyManyRows) {
  const Table table({Column("x", std::vector<int64_t>{5, 3, 8, 1, 7, 2, 6, 4})});
  const Transform transform = fitted({bucketized("x", {.quantiles = 4})}, table);
  EXPECT_EQ(values<int64_t>(transform.prepare(table)[0]),
            (std::vector<int64_t>{2, 1, 3, 0, 3, 0, 2, 1}));
  // Values that occur often leave fewer buckets.
  const Table ties({Column("x", std::vector<int64_t>{0, 0, 0, 0, 0, 1, 1, 2})});
  EXPECT_EQ(fitted({bucketized("x", {.quantiles = 4})}, ties).prepared().ids[0].buckets, 2);
}

TEST(Transform, LearnsVocabulariesMostFrequentFirst) {
  const std::vector<std::string> cells = {"b", "c", "a", "c", "", "b", "d"};
  const Table table({Column("c", cells)});
  const Transform transform = fitted({vocabulary("c")}, table);
  EXPECT_EQ(transform.prepared().ids[0].names,
            (std::vector<std::string>{"b", "c", "a", "d", "(other)"}));
  EXPECT_EQ(values<int64_t>(transform.prepare(table)[0]),
            (std::vector<int64_t>{0, 1, 2, 1, -1, 0, 3}));
  EXPECT_EQ(ids_of(vocabulary("c", {.min_count = 2}), cells),
            (std::vector<int64_t>{0, 1, 2, 1, -1, 0, 2}));
  EXPECT_EQ(ids_of(vocabulary("c", {.most = 1, .oov_buckets = 0}), cells),
            (std::vector<int64_t>{0, -1, -1, -1, -1, 0, -1}));
  expect_error(
      Code::kInvalidArgument, [&] { ids_of(vocabulary("c", {.min_count = 5}), cells); }, "'c'",
      "at least 5");
}

TEST(Transform, CountsUnknownCategoriesOrRefusesThem) {
  const Table train({text_column("c", {"a", "b"})});
  const Table later({text_column("c", {"b", "zebra", "", "a", "yak"})});
  for (const int64_t others : {0, 1, 3}) {
    const FeatureColumn column = vocabulary("c", {.oov_buckets = others});
    Transform::Counts counts;
    const auto ids = values<int64_t>(fitted({column}, train).prepare(later, &counts)[0]);
    EXPECT_EQ(counts.unknown.at("c"), 2) << others;
    EXPECT_EQ(counts.missing.at("c"), 1);
    EXPECT_EQ(ids[2], -1);
    if (others == 0) {
      EXPECT_EQ(ids[1], -1);
    }
    if (others == 1) {
      EXPECT_EQ(ids[1], 2);
    }
    if (others == 3) {
      EXPECT_TRUE(ids[1] >= 2 && ids[1] < 5);
    }
    const Transform strict = fitted({column}, train, {.strict = true});
    expect_error(
        Code::kInvalidArgument, [&] { strict.prepare(later); }, "'c'", "row 2", "'zebra'");
    EXPECT_EQ(strict.prepare(train)[0].num_elements(), 2);
    EXPECT_EQ(values<int64_t>(strict.prepare(later, nullptr, true)[0]), ids);
  }
}

TEST(Transform, KeepsLargeIntegersApart) {
  const Table table(
      {Column("user", std::vector<int64_t>{16777216, 16777217, 2147483648, 9007199254740993, -1})});
  const Transform transform = fitted({vocabulary("user")}, table);
  EXPECT_EQ(transform.prepared().ids[0].names,
            (std::vector<std::string>{"-1", "16777216", "16777217", "2147483648",
                                      "9007199254740993", "(other)"}));
  EXPECT_EQ(values<int64_t>(transform.prepare(table)[0]), (std::vector<int64_t>{1, 2, 3, 4, 0}));
}

TEST(Transform, TakesOneColumnAsNumberAndAsCategory) {
  const Table table({Column("n", std::vector<int64_t>{7, 0, 9, 7}, {0, 1, 0, 0})});
  const Transform transform =
      fitted({numeric("n", {.scaling = Scaling::kNone}), vocabulary("n")}, table);
  EXPECT_EQ(transform.inputs()[0].dtype, kString);
  const data::Example made = transform.prepare(table);
  expect_near(made[0], {7, 0, 23.0 / 3, 1, 9, 0, 7, 0});
  EXPECT_EQ(values<int64_t>(made[1]), (std::vector<int64_t>{0, -1, 1, 0}));
}

TEST(Transform, TakesIntegersAsTheirOwnIds) {
  const Table table({Column("i", std::vector<int64_t>{0, 2, 5, -1, 0}, {0, 0, 0, 0, 1})});
  Transform::Counts counts;
  EXPECT_EQ(values<int64_t>(fitted({identity("i", 3, 1)}, table).prepare(table, &counts)[0]),
            (std::vector<int64_t>{0, 2, 1, 1, -1}));
  EXPECT_EQ(counts.unknown.at("i"), 2);
  expect_error(
      Code::kInvalidArgument, [&] { fitted({identity("i", 3)}, table); }, "'i'", "row 3", "'5'",
      "0 to 2");
  const Table texts({text_column("i", {"1", "x"})});
  expect_error(
      Code::kInvalidArgument, [&] { fitted({identity("i", 3)}, texts); }, "row 2", "'x'");
}

TEST(Transform, ReadsVocabulariesFromFiles) {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& text) {
    const std::string path = folder / "words.txt";
    FILE* out = std::fopen(path.c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
    return vocabulary_file("c", path, 2);
  };
  const auto ids = ids_of(file("red\r\ngreen\r\nblue"), {"blue", "red", "", "pink"});
  EXPECT_EQ(ids[0], 2);
  EXPECT_EQ(ids[1], 0);
  EXPECT_EQ(ids[2], -1);
  EXPECT_TRUE(ids[3] == 3 || ids[3] == 4);
  expect_error(
      Code::kInvalidArgument, [&] { ids_of(file("a\nb\na\n"), {"a"}); }, "line 3", "'a'", "line 1");
  expect_error(
      Code::kInvalidArgument, [&] { ids_of(file("a\n\nb\n"), {"a"}); }, "line 2", "empty");
}

TEST(Transform, ComesBackFromJson) {
  const Table table({Column("größe \"x\\y\"", std::vector<double>{0.1, 1.0 / 3, kNan}),
                     text_column("[c].d, e", {"數據", "\xff", "a\nb"}),
                     Column("n", std::vector<int64_t>{1, 2, 3})});
  const std::vector<FeatureColumn> columns = {
      numeric("größe \"x\\y\""), indicator(vocabulary("[c].d, e")),
      bucketized("n", {.quantiles = 3}), crossed({"n", "[c].d, e"}, 50)};
  const Transform transform = fitted(columns, table, {.strict = true});
  const Transform again = Transform::from_json(transform.to_json());
  EXPECT_EQ(again.to_json(), transform.to_json());
  EXPECT_EQ(again.prepared().numbers, transform.prepared().numbers);
  EXPECT_EQ(again.facts()[0].use, transform.facts()[0].use);
  EXPECT_EQ(again.types(), transform.types());
  const data::Example a = transform.prepare(table), b = again.prepare(table);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].same_bits(b[i]));
  expect_error(
      Code::kInvalidArgument, [] { Transform::from_json("{\"for_trees\": false}"); },
      "`strict` is missing");
}

TEST(Transform, KeepsLargeVocabulariesAndOddNames) {
  std::vector<std::string> cells;
  for (int i = 0; i < 100000; ++i) cells.push_back("value " + std::to_string(i * 7919 % 100000));
  std::vector<int64_t> numbers(cells.size(), 3);
  numbers[0] = 4;
  const Table table({text_column("a\"b\\c", cells), Column("", numbers)});
  const Transform transform = fitted({vocabulary("a\"b\\c"), numeric("")}, table);
  const Transform again = Transform::from_json(transform.to_json());
  EXPECT_EQ(again.inputs()[0].column, "a\"b\\c");
  EXPECT_EQ(again.inputs()[1].column, "");
  const data::Example a = transform.prepare(table), b = again.prepare(table);
  EXPECT_EQ(a[1].dim(0), 100000);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].same_bits(b[i]));
}

TEST(Transform, GivesTheSameForAnyNumberOfRowsAtOnce) {
  std::vector<double> numbers;
  std::vector<std::string> cells;
  for (int i = 0; i < 9001; ++i) {
    numbers.push_back(i % 11 == 0 ? kNan : i * 0.1);
    cells.push_back(i % 7 == 0 ? "" : std::to_string(i % 13));
  }
  const Table table({Column("x", numbers), Column("c", cells)});
  const Transform transform =
      fitted({numeric("x"), vocabulary("c"), crossed({"c", "x"}, 1000)}, table);
  const data::Example whole = transform.prepare(table);
  for (const int64_t row : {0, 1, 77, 4095, 4096, 9000}) {
    const data::Example one = transform.prepare(table.rows(row, row + 1));
    for (size_t i = 0; i < whole.size(); ++i) {
      EXPECT_TRUE(one[i].same_bits(whole[i].rows(row, row + 1).clone())) << row;
    }
  }
  const data::Example none = transform.prepare(table.rows(0, 0));
  EXPECT_EQ(none[0].shape(), (Shape{0, 2}));
  EXPECT_EQ(none[1].shape(), (Shape{0, 2}));
}

TEST(Transform, CrossesEqualTensorFlows) {
  // The vectors of TensorFlow's sparse_cross_op_test; ids modulo 100.
  const Table table({text_column("a", {"batch1-FC1-F1", "x", ""}),
                     text_column("b", {"batch1-FC2-F1", "", "y"}),
                     text_column("c", {"batch1-FC3-F1", "z", "z"})});
  EXPECT_EQ(values<int64_t>(fitted({crossed({"a", "b", "c"}, 100)}, table).prepare(table)[0]),
            (std::vector<int64_t>{83, -1, -1}));
}

TEST(Transform, BuildsTheSameGraphForExport) {
  const Table table(
      {Column("x", std::vector<double>{1, 2, 6, kNan}), text_column("c", {"a", "b", "", "a"})});
  const Transform transform = fitted({numeric("x"), vocabulary("c")}, table);
  Graph graph(standard_ops());
  std::vector<Output> raw;
  for (const RawInput& input : transform.inputs()) {
    raw.push_back(placeholder(graph, input.dtype, {kUnknownDim}));
  }
  std::vector<Node*> tables;
  const std::vector<Output> outputs = transform.build(graph, raw, &tables);
  EXPECT_EQ(tables.size(), 1u);
  Session session(graph);
  session.run({}, {}, tables);
  const std::vector<Tensor> cells = transform.raw(table);
  const std::vector<Tensor> made = session.run({{raw[0], cells[0]}, {raw[1], cells[1]}}, outputs);
  const data::Example prepared = transform.prepare(table);
  ASSERT_EQ(made.size(), prepared.size());
  for (size_t i = 0; i < made.size(); ++i) EXPECT_TRUE(made[i].same_bits(prepared[i]));
}

}  // namespace
}  // namespace thalweg
