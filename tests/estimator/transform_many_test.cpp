// Transforms of columns with several values a row: texts, lists, weights; and of dates.
#include <cmath>
#include <numbers>

#include "estimator/columns/column_scan.h"
#include "estimator/columns/quantile_sketch.h"
#include "estimator/columns/value_counts.h"
#include "testing.h"
#include "thalweg/estimator/transform.h"

namespace thalweg {
namespace {

using namespace columns;  // NOLINT: the names are the subject
using data::Column;
using data::table_source;
using testing::expect_error;

Column text_column(const std::string& name, const std::vector<std::string>& cells) {
  return Column(name, cells);
}

Transform fitted(const FeatureColumn& column, const Table& table,
                 const TransformOptions& options = {}) {
  return Transform::fit({column}, *table_source(table), options);
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

using Ids = std::vector<int64_t>;
using Names = std::vector<std::string>;

TEST(TransformOfTexts, FindsWordsAsPeopleWriteThem) {
  const Table table(
      {text_column("t", {"Don't PANIC, don't!", "'Über' 數據 x_1 -- 4.5", "", "it’s"})});
  const Transform transform = fitted(text("t", {.min_count = 1, .tf_idf = false}), table);
  EXPECT_EQ(transform.prepared().bags[0].names,
            (Names{"don't", "4", "5", "it’s", "panic", "x_1", "über", "數據"}));
  const data::Example made = transform.prepare(table);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].shape(), (Shape{4, 5}));
  EXPECT_EQ(values<int64_t>(made[0]), (Ids{0,  4,  0,  -1, -1, 6, 7,  5,  1,  2,  //
                                           -1, -1, -1, -1, -1, 3, -1, -1, -1, -1}));
  expect_near(made[1], {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0});
}

TEST(TransformOfTexts, WeighsWordsByTfIdf) {
  const Table table({text_column("t", {"a b a", "b", "c b"})});
  const Transform transform = fitted(text("t", {.min_count = 1}), table);
  EXPECT_EQ(transform.prepared().bags[0].names, (Names{"b", "a", "c"}));
  const data::Example made = transform.prepare(table);
  // idf: b log(4/4) + 1, a and c log(4/2) + 1.
  const double rare = std::log(2) + 1, length = std::sqrt(1 + 4 * rare * rare),
               other = std::sqrt(1 + rare * rare);
  EXPECT_EQ(values<int64_t>(made[0]), (Ids{0, 1, 0, -1, 0, 2}));
  expect_near(made[1], {1 / length, 2 * rare / length, 1, 0, 1 / other, rare / other});
  // A row of unknown words alone has none.
  const data::Example unknown = transform.prepare(Table({text_column("t", {"zzz", ""})}));
  EXPECT_EQ(values<int64_t>(unknown[0]), (Ids{-1, -1}));
  expect_near(unknown[1], {0, 0});
}

TEST(TransformOfTexts, TakesRunsOfWordsAndHashes) {
  const Table table({text_column("t", {"not good at all", "good"})});
  const Transform runs = fitted(text("t", {.ngrams = 2, .min_count = 1, .tf_idf = false}), table);
  EXPECT_EQ(runs.prepared().bags[0].names,
            (Names{"good", "all", "at", "at all", "good at", "not", "not good"}));
  EXPECT_EQ(values<int64_t>(runs.prepare(table)[0]),
            (Ids{5, 0, 2, 1, 6, 4, 3, 0, -1, -1, -1, -1, -1, -1}));
  const Transform hashes = fitted(text("t", {.hash_buckets = 50}), table);
  EXPECT_EQ(hashes.prepared().bags[0].buckets, 50);
  const data::Example made = hashes.prepare(table);
  double length = 0;
  for (int i = 0; i < 4; ++i) length += made[1].at(i) * made[1].at(i);
  EXPECT_NEAR(length, 1, 1e-6);
  EXPECT_NEAR(made[1].at(4), 1, 1e-6);
}

TEST(TransformOfTexts, CutsLongTextsAndSaysSo) {
  const Table table({text_column("t", {"a b c d e", "a b", "c d e f g h i"})});
  const Transform transform =
      fitted(text("t", {.min_count = 1, .tf_idf = false, .most_words = 3}), table);
  Transform::Counts counts;
  const data::Example made = transform.prepare(table, &counts);
  EXPECT_EQ(made[0].dim(1), 3);
  EXPECT_EQ(counts.cut.at("t"), 6);
  expect_error(
      Code::kInvalidArgument, [&] { fitted(text("t", {.min_count = 9}), table); }, "'t'",
      "at least 9");
}

TEST(TransformOfTexts, GivesOneWidthOverManyPieces) {
  std::vector<std::string> cells(10000, "x y");
  cells[9000] = "x y z x y z x";
  const Table table({text_column("t", cells)});
  const Transform transform = fitted(text("t", {.min_count = 1, .tf_idf = false}), table);
  const data::Example made = transform.prepare(table);
  EXPECT_EQ(made[0].shape(), (Shape{10000, 7}));
  const auto ids = made[0].data<int64_t>();
  EXPECT_EQ(ids[0], 0);
  EXPECT_EQ(ids[2], -1);
  EXPECT_EQ(ids[9000 * 7 + 6], 0);
  EXPECT_EQ(ids[9999 * 7 + 1], 1);
}

TEST(TransformOfLists, KeepsValuesInTheirOrder) {
  const Table table({text_column("l", {"red|green", "", " blue | |red|", "red"})});
  const Transform transform = fitted(list("l", {.separator = "|"}), table);
  EXPECT_EQ(transform.prepared().bags[0].names, (Names{"red", "blue", "green", "(other)"}));
  EXPECT_EQ(values<int64_t>(transform.prepare(table)[0]), (Ids{0, 2, -1, -1, 1, 0, 0, -1}));
  const Table later({text_column("l", {"green|pink"})});
  Transform::Counts counts;
  EXPECT_EQ(values<int64_t>(transform.prepare(later, &counts)[0]), (Ids{2, 3}));
  EXPECT_EQ(counts.unknown.at("l"), 1);
  const Transform strict = fitted(list("l", {.separator = "|"}), table, {.strict = true});
  expect_error(
      Code::kInvalidArgument, [&] { strict.prepare(later); }, "'l'", "row 1", "'pink'");
}

TEST(TransformOfLists, CrossesEveryCombination) {
  const Table table({text_column("l", {"a b", "", "c"}), text_column("c", {"x", "x", ""})});
  const data::Example made = fitted(crossed({list("l"), "c"}, 1000), table).prepare(table);
  ASSERT_EQ(made[0].shape(), (Shape{3, 2}));
  const auto ids = made[0].data<int64_t>();
  // tf.sparse.cross_hashed of the same, 1000 buckets; a missing part leaves none.
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_TRUE(ids[0] >= 0 && ids[1] >= 0 && ids[0] < 1000 && ids[1] < 1000);
  for (size_t i = 2; i < 6; ++i) EXPECT_EQ(ids[i], -1);
  const Table singles({text_column("l", {"a", "b"}), text_column("c", {"x", "x"})});
  const data::Example one =
      Transform::fit({crossed({"l", "c"}, 1000)}, *table_source(singles)).prepare(singles);
  EXPECT_EQ(values<int64_t>(one[0]), (Ids{ids[0], ids[1]}));
}

TEST(TransformOfWeights, CarriesThemBesideTheIds) {
  const Table table(
      {text_column("c", {"a", "b", "a"}), Column("w", std::vector<double>{2.5, -1, std::nan("")})});
  const data::Example made = fitted(weighted(vocabulary("c"), "w"), table).prepare(table);
  EXPECT_EQ(values<int64_t>(made[0]), (Ids{0, 1, 0}));
  expect_near(made[1], {2.5, -1, 0});
  const Table lists({text_column("l", {"a|b", "c"}), text_column("w", {"0.5|2", "3"})});
  const FeatureColumn column = weighted(list("l", {.separator = "|"}), "w");
  const data::Example several = fitted(column, lists).prepare(lists);
  EXPECT_EQ(values<int64_t>(several[0]), (Ids{0, 1, 2, -1}));
  expect_near(several[1], {0.5, 2, 3, 0});
  const Table uneven({text_column("l", {"a|b", "c"}), text_column("w", {"0.5", "3"})});
  expect_error(
      Code::kInvalidArgument, [&] { fitted(column, uneven); }, "'w'", "row 1", "'l'", "2");
}

TEST(TransformOfDates, TurnsThemIntoCycles) {
  const Table table({text_column("d", {"2024-02-29", "", "2026-12-01 18:30", "1999-01-31"})});
  const Transform transform = fitted(date("d"), table);
  EXPECT_EQ(transform.prepared().numbers,
            (Names{"d_year", "d_month_sin", "d_month_cos", "d_day_sin", "d_day_cos",
                   "d_weekday_sin", "d_weekday_cos", "d_hour_sin", "d_hour_cos", "d_missing"}));
  const Tensor made = transform.prepare(table)[0];
  const double mean = (2024 + 2026 + 1999) / 3.0;
  const double deviation =
      std::sqrt(((2024 - mean) * (2024 - mean) + (2026 - mean) * (2026 - mean) +
                 (1999 - mean) * (1999 - mean)) /
                3);
  const auto turn = [](double part) { return 2 * std::numbers::pi * part; };
  // A Thursday; at no time of day it is midnight.
  expect_near(made.rows(0, 1),
              {(2024 - mean) / deviation, std::sin(turn(1 / 12.0)), std::cos(turn(1 / 12.0)),
               std::sin(turn(28 / 31.0)), std::cos(turn(28 / 31.0)), std::sin(turn(3 / 7.0)),
               std::cos(turn(3 / 7.0)), 0, 1, 0},
              1e-5);
  expect_near(made.rows(1, 2), {0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_NEAR(made.at(20 + 7), std::sin(turn(18 / 24.0)), 1e-5);
  const Transform trees = fitted(date("d"), table, {.for_trees = true});
  const Tensor parts = trees.prepare(table)[0];
  EXPECT_EQ(trees.prepared().numbers, (Names{"d_year", "d_month", "d_day", "d_weekday", "d_hour"}));
  expect_near(parts.rows(0, 1), {2024, 2, 29, 3, 0});
  expect_near(parts.rows(2, 4), {2026, 12, 1, 1, 18, 1999, 1, 31, 6, 0});
  EXPECT_TRUE(std::isnan(parts.at(5)));
}

TEST(TransformOfDates, RefusesDaysThatAreNone) {
  for (const std::string bad :
       {"2023-02-29", "2023-13-01", "23-01-01", "2023-01-01T25:00", "2023-01-01x", "01.02.2023"}) {
    expect_error(
        Code::kInvalidArgument,
        [&] {
          fitted(date("d"), Table({text_column("d", {"2023-01-01", bad})}));
        },
        "'d'", "row 2", bad, "YYYY-MM-DD");
  }
  for (const std::string good : {"2023-01-01T10:00", "2023-01-01 10:00:59.123",
                                 "2023-01-01T10:00:00Z", "2023-01-01T10:00+02:00"}) {
    EXPECT_NO_THROW(fitted(date("d"), Table({text_column("d", {good})}))) << good;
  }
}

TEST(QuantileSketch, IsExactUntilItsBufferIsFull) {
  QuantileSketch sketch;
  for (int i = 999; i >= 0; --i) sketch.add(i);
  sketch.finish();
  EXPECT_TRUE(sketch.is_exact());
  EXPECT_EQ(sketch.at(0), 0);
  EXPECT_EQ(sketch.at(999), 999);
  EXPECT_EQ(sketch.median(), 499.5);
}

TEST(QuantileSketch, IsNearlyRightBeyond) {
  QuantileSketch sketch;
  const int64_t n = 5 * QuantileSketch::kExact + 12345;
  for (int64_t i = 0; i < n; ++i) sketch.add(static_cast<double>(i * 7919 % n));  // a permutation
  sketch.finish();
  EXPECT_FALSE(sketch.is_exact());
  // Two mergers above each other: 2 / (2 kExact) of all values.
  const double bound = 2.0 / (2 * QuantileSketch::kExact) * static_cast<double>(n) + 1;
  for (const double share : {0.0, 0.1, 0.25, 0.5, 0.9, 0.999}) {
    const auto rank = static_cast<int64_t>(share * static_cast<double>(n));
    EXPECT_NEAR(sketch.at(rank), static_cast<double>(rank), bound) << share;
  }
}

// Texts of whole pages fill memory long before there are many.
TEST(ValueCounts, ForgetsLongTextsEarlier) {
  ValueCounts counts(100);
  const std::string page(1000, 'x');
  for (int i = 0; i < 500; ++i) {
    counts.add(page + std::to_string(i));
    counts.add("often");
  }
  EXPECT_GT(counts.forgotten(), 0);
  EXPECT_LE(counts.distinct(), 26);
  EXPECT_EQ(counts.most_distinct(), 27);
  EXPECT_EQ(counts.commonest(1)[0], (ValueCounts::Entry{"often", 500}));
}

TEST(ValueCounts, ForgetsTheRarestWhenMemoryIsFull) {
  ValueCounts counts(100);
  for (int i = 0; i < 10000; ++i) {
    counts.add("often");
    if (i % 10 == 0) counts.add("now and then");
    counts.add("only " + std::to_string(i));
  }
  EXPECT_LE(counts.distinct(), 101);
  EXPECT_GT(counts.forgotten(), 0);
  const auto commonest = counts.commonest(2);
  EXPECT_EQ(commonest[0].first, "often");
  EXPECT_EQ(commonest[1].first, "now and then");
  EXPECT_GE(commonest[0].second, 10000 - counts.forgotten());
}

TEST(ColumnScan, EndsItsCountsWhereThereAreManyValues) {
  std::vector<int64_t> cells;
  for (int64_t i = 0; i < 20000; ++i) cells.push_back(i);
  ColumnScan scan({"n", data::ColumnType::kInteger}, {.counts = true, .capacity = 5000});
  scan.add(Column("n", cells));
  scan.finish();
  EXPECT_TRUE(scan.has_ended());
  EXPECT_EQ(scan.distinct(), 5000);
  EXPECT_GT(scan.distinct_share(), 0.6);
  EXPECT_EQ(scan.rows(), 20000);
}

TEST(Moments, KeepTheirDigitsOverPieces) {
  Moments pieces;
  pieces.add({1e9 + 1, 1e9 + 2});
  pieces.add({1e9 + 3});
  pieces.add({});
  pieces.add({1e9 + 4, 1e9 + 5, 1e9 + 6});
  EXPECT_DOUBLE_EQ(pieces.mean(), 1e9 + 3.5);
  EXPECT_NEAR(pieces.deviation(), std::sqrt(35.0 / 12), 1e-12);
  EXPECT_EQ(pieces.least(), 1e9 + 1);
  EXPECT_EQ(pieces.most(), 1e9 + 6);
}

}  // namespace
}  // namespace thalweg
