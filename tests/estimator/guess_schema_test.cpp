#include "thalweg/estimator/guess_schema.h"

#include <cmath>

#include "testing.h"
#include "thalweg/estimator/transform.h"

namespace thalweg {
namespace {

using data::Column;
using data::table_source;
using testing::expect_error;

template <class F>
Column texts(const std::string& name, int64_t rows, F cell) {
  std::vector<std::string> cells;
  for (int64_t i = 0; i < rows; ++i) cells.push_back(cell(i));
  return Column(name, cells);
}
template <class F>
Column integers(const std::string& name, int64_t rows, F cell) {
  std::vector<int64_t> cells;
  for (int64_t i = 0; i < rows; ++i) cells.push_back(cell(i));
  return Column(name, cells);
}
template <class F>
Column reals(const std::string& name, int64_t rows, F cell) {
  std::vector<double> cells;
  for (int64_t i = 0; i < rows; ++i) cells.push_back(cell(i));
  return Column(name, cells);
}

GuessedSchema guess(Column column, const GuessOptions& options = {}) {
  return guess_columns(*table_source(Table({std::move(column)})), options);
}
void expect_kind(Column column, GuessedKind kind, const std::string& words = {}) {
  const std::string name = column.name();
  const GuessedColumn found = guess(std::move(column)).decisions.at(0);
  EXPECT_EQ(to_string(found.kind), to_string(kind)) << name << ": " << found.reason;
  EXPECT_NE(found.reason.find(words), std::string::npos) << name << ": " << found.reason;
}

TEST(GuessColumns, KeepsNumbersAsNumbers) {
  expect_kind(reals("x", 100, [](int64_t i) { return std::sin(i); }), GuessedKind::kNumber);
  expect_kind(integers("rooms", 100, [](int64_t i) { return i % 4; }), GuessedKind::kNumber);
  expect_kind(integers("fee", 100, [](int64_t i) { return i * 7919 % 10007; }),
              GuessedKind::kNumber);
  const GuessedSchema tail =
      guess(integers("gain", 1000, [](int64_t i) { return i % 20 == 0 ? i * 100 : 0; }));
  EXPECT_NE(tail.decisions[0].reason.find("logarithm"), std::string::npos);
  EXPECT_TRUE(tail.network[0] == columns::numeric("gain", {.scaling = columns::Scaling::kLog}));
  // Rows enough for a linear model to bend.
  ASSERT_EQ(tail.linear.size(), 2u);
  EXPECT_TRUE(tail.linear[0] == columns::numeric("gain"));
  EXPECT_TRUE(tail.linear[1] == columns::bucketized("gain", {.quantiles = 10}));
  EXPECT_TRUE(tail.trees[0] == columns::numeric("gain"));
}

TEST(GuessColumns, LeavesOutWhatTellsNothing) {
  expect_kind(integers("c", 50, [](int64_t) { return 7; }), GuessedKind::kIgnore, "'7'");
  expect_kind(reals("e", 50, [](int64_t) { return std::nan(""); }), GuessedKind::kIgnore,
              "no value");
  expect_kind(texts("t", 50, [](int64_t) { return "same"; }), GuessedKind::kIgnore, "'same'");
}

TEST(GuessColumns, LeavesOutIds) {
  expect_kind(integers("n", 100, [](int64_t i) { return i; }), GuessedKind::kIgnore, "all 100");
  expect_kind(integers("n", 100, [](int64_t i) { return 99 - i; }), GuessedKind::kIgnore, "no gap");
  expect_kind(integers("n", 100, [](int64_t i) { return i * i; }), GuessedKind::kIgnore, "rise");
  expect_kind(integers("user_id", 100, [](int64_t i) { return i * 7919 % 10007; }),
              GuessedKind::kIgnore, "name");
  expect_kind(texts("key", 100, [](int64_t i) { return "k" + std::to_string(i); }),
              GuessedKind::kIgnore, "all 100 values differ");
  expect_kind(integers("n", 200000, [](int64_t i) { return 5 * i; }), GuessedKind::kIgnore, "rise");
  expect_kind(texts("key", 150000, [](int64_t i) { return "k" + std::to_string(i); }),
              GuessedKind::kIgnore, "nearly all of 150000");
  expect_kind(texts("title", 100, [](int64_t i) { return "k" + std::to_string(i / 2 * 2 % 198); }),
              GuessedKind::kCategory);
  expect_kind(integers("userId", 100, [](int64_t i) { return i % 30; }), GuessedKind::kCategory);
  expect_kind(integers("zip code", 100, [](int64_t i) { return 10000 + i % 30; }),
              GuessedKind::kCategory);
}

TEST(GuessColumns, KnowsCategoriesTextsDatesAndLists) {
  const auto colour = [](int64_t i) { return std::string(i % 3 == 0 ? "red" : "green"); };
  expect_kind(texts("colour", 100, colour), GuessedKind::kCategory, "2 different values");
  expect_kind(texts("review", 100,
                    [](int64_t i) { return str("this is sentence number ", i, " of the film"); }),
              GuessedKind::kText, "words");
  expect_kind(texts("day", 100, [](int64_t i) { return str("2024-01-", i % 9 + 10); }),
              GuessedKind::kDate);
  const auto genres = [](int64_t i) {
    constexpr const char* kNames[] = {"Action", "Comedy", "Drama", "War", "Crime", "Horror"};
    return str(kNames[i % 6], "|", kNames[i / 6 % 5], i % 7 == 0 ? "|Western" : "");
  };
  expect_kind(texts("genres", 200, genres), GuessedKind::kList, "'|'");
  expect_kind(texts("dirty", 100, [](int64_t i) { return i == 50 ? "n/k" : str(i % 40); }),
              GuessedKind::kCategory, "'n/k'");
}

TEST(GuessColumns, IndicatesFewCategoriesAndEmbedsMany) {
  const auto values = [](int64_t n) {
    return texts("c", 10 * n, [n](int64_t i) { return "v" + std::to_string(i % n); });
  };
  const FeatureColumn c = columns::vocabulary("c");
  EXPECT_TRUE(guess(values(50)).network[0] == columns::indicator(c));
  EXPECT_TRUE(guess(values(50)).linear[0] == c);
  EXPECT_TRUE(guess(values(50)).trees[0] == c);
  // 1.6 * 100^0.56 = 21.1.
  EXPECT_TRUE(guess(values(100)).network[0] == columns::embedding(c, 21));
}

TEST(GuessColumns, TakesKindsThatAreSet) {
  const Table table({integers("n", 100, [](int64_t i) { return i; }),
                     integers("k", 100, [](int64_t i) { return i % 5; }),
                     reals("y", 100, [](int64_t i) { return i * 0.5; }),
                     texts("l", 100, [](int64_t i) { return i % 2 ? "a, b" : "c"; })});
  const GuessedSchema schema = guess_columns(
      *table_source(table),
      {.not_features = {"y"},
       .kinds = {
           {"n", GuessedKind::kNumber}, {"k", GuessedKind::kCategory}, {"l", GuessedKind::kList}}});
  ASSERT_EQ(schema.decisions.size(), 3u);
  EXPECT_EQ(schema.decisions[0].kind, GuessedKind::kNumber);
  EXPECT_TRUE(schema.network[1] == columns::indicator(columns::vocabulary("k")));
  EXPECT_TRUE(schema.linear[2] == columns::list("l", {.separator = ","}));
  EXPECT_EQ(schema.trees.size(), 2u);
  EXPECT_NO_THROW(Transform::fit(schema.network, *table_source(table)));
  EXPECT_NO_THROW(Transform::fit(schema.trees, *table_source(table), {.for_trees = true}));
  expect_error(
      Code::kInvalidArgument, [&] { guess_columns(*table_source(table), {.not_features = {"z"}}); },
      "'z'", "n, k");
  expect_error(
      Code::kInvalidArgument, [] { parse_guessed_kind("numbers"); }, "'numbers'", "category");
}

}  // namespace
}  // namespace thalweg
