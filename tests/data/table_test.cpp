#include "thalweg/data/table.h"

#include <cmath>
#include <limits>

#include "data_testing.h"
#include "thalweg/data/table_source.h"

namespace thalweg::data {
namespace {

using Names = std::vector<std::string>;

Table people() {
  return Table({Column("id", std::vector<int64_t>{1, 2, 3}),
                Column("height", std::vector<double>{1.5, std::nan(""), 1.75}),
                Column("name", Names{"Ada", "Bo \"B\"", " C,d "})});
}

TEST(TableColumn, KnowsItsTypeAndWhatIsMissing) {
  const Table table = people();
  EXPECT_EQ(table.infos(), (std::vector<ColumnInfo>{{"id", ColumnType::kInteger},
                                                    {"height", ColumnType::kReal},
                                                    {"name", ColumnType::kText}}));
  EXPECT_EQ(table.column("height").missing_count(), 1);
  EXPECT_TRUE(table.column("height").is_missing(1));
  EXPECT_TRUE(table.column("id").missing().empty());
  EXPECT_EQ(table.column("height").cell(2), "1.75");
  EXPECT_EQ(table.column("height").cell(1), "");
  EXPECT_TRUE(std::isnan(table.column("height").number(1)));
  EXPECT_EQ(table.column("id").number(2), 3);
  expect_error(
      Code::kInternal, [&] { table.column("id").reals(); }, "integer");
}

TEST(TableColumn, ReadsNumbersFromText) {
  const Column column("x", Names{"1.5", "+2", "one"});
  EXPECT_EQ(column.number(0), 1.5);
  EXPECT_EQ(column.number(1), 2);
  expect_error(
      Code::kInvalidArgument, [&] { column.number(2); }, "'x'", "\"one\"", "row 3", "number");
}

TEST(TableColumn, FlagsThatSayNothingAreNone) {
  EXPECT_TRUE(Column("x", std::vector<int64_t>{1, 2}, {0, 0}).missing().empty());
  EXPECT_EQ(Column("x", std::vector<int64_t>{1, 0}, {0, 1}).missing_count(), 1);
}

TEST(TableColumn, TakesRowsAndJoins) {
  const Column height = people().column("height");
  Column rows = height.rows(0, 1);
  EXPECT_TRUE(rows.missing().empty());
  rows.append(height.rows(1, 3));
  EXPECT_EQ(rows.missing_count(), 1);
  EXPECT_TRUE(rows.is_missing(1));
  EXPECT_EQ(rows.reals()[2], 1.75);
  const std::vector<int64_t> places = {2, 0, 2};
  EXPECT_EQ(people().column("name").rows(places).cell(1), "Ada");
  EXPECT_EQ(people().column("name").rows(places).cell(2), " C,d ");
  expect_error(
      Code::kOutOfRange, [&] { height.rows(0, 4); }, "'height'", "3");
  expect_error(
      Code::kInvalidArgument, [&] { rows.append(people().column("id")); }, "'id'", "'height'");
}

TEST(TableColumn, NamesItsTypes) {
  EXPECT_EQ(parse_column_type("real"), ColumnType::kReal);
  expect_error(
      Code::kInvalidArgument, [] { parse_column_type("float"); }, "float",
      "integer, real and text");
}

TEST(TableTexts, LieInOnePiece) {
  Texts texts;
  texts.add("ab");
  texts.add("");
  Texts more;
  more.add("xyz");
  more.append(texts);
  more.append(texts, 0, 1);
  const std::vector<uint64_t> ends = {1, 3};
  more.append("pqr", ends);
  ASSERT_EQ(more.size(), 6);
  EXPECT_EQ(more[0], "xyz");
  EXPECT_EQ(more[1], "ab");
  EXPECT_EQ(more[2], "");
  EXPECT_EQ(more[3], "ab");
  EXPECT_EQ(more[4], "p");
  EXPECT_EQ(more[5], "qr");
}

TEST(Table, RefusesWhatDoesNotFit) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        Table({Column("a", Names{"x"}), Column("b", Names{"x", "y"})});
      },
      "'b' has 2", "'a'");
  expect_error(
      Code::kInvalidArgument,
      [] {
        Table({Column("a", Names{"x"}), Column("a", Names{"y"})});
      },
      "two columns", "'a'");
  expect_error(
      Code::kInvalidArgument, [] { people().column("hight"); }, "'hight'", "'height'",
      "id, height, name");
}

TEST(Table, ChoosesColumnsAndRows) {
  const Names two = {"name", "id"}, one = {"height"};
  EXPECT_EQ(people().select(two).names(), two);
  EXPECT_EQ(people().without(one).names(), (Names{"id", "name"}));
  EXPECT_EQ(people().with(Column("id", Names{"x", "y", "z"})).column("id").cell(0), "x");
  EXPECT_EQ(people().with(Column("age", Names{"x", "y", "z"})).names().back(), "age");
  Table table = people().rows(0, 2);
  table.append(people());
  EXPECT_EQ(table.rows(), 5);
  EXPECT_EQ(table.column("name").cell(4), " C,d ");
  expect_error(
      Code::kInvalidArgument, [&] { table.append(people().select(two)); }, "names and types");
}

TEST(TableSource, GivesATableInPieces) {
  const auto source = table_source(people(), "people");
  EXPECT_EQ(source->name(), "people");
  EXPECT_EQ(source->rows(), 3);
  const auto reader = source->open();
  EXPECT_EQ(reader->next(2)->rows(), 2);
  EXPECT_EQ(reader->next(2)->column("id").integers()[0], 3);
  EXPECT_FALSE(reader->next(2).has_value());
  EXPECT_EQ(source->read_all().rows(), 3);
  EXPECT_EQ(source->fingerprint(), table_source(people())->fingerprint());
  EXPECT_NE(source->fingerprint(), table_source(people().rows(0, 2))->fingerprint());
}

TEST(TableToCsv, PutsIntoQuotesWhatMustBe) {
  EXPECT_EQ(to_csv(people()), "id,height,name\n1,1.5,Ada\n2,,\"Bo \"\"B\"\"\"\n3,1.75,\" C,d \"\n");
  EXPECT_EQ(to_csv(people().rows(2, 3), '\t'), "id\theight\tname\n3\t1.75\t\" C,d \"\n");
}

TEST(TableToCsv, IsReadBackAsItWas) {
  TemporaryFolder folder;
  const Table table({Column("distance, km", std::vector<double>{0.1, 1e300, 1e-7}),
                     Column("a\"b", Names{"x\ny", "\"", "it's \t"}),
                     Column("a\\b", std::vector<int64_t>{INT64_MIN, INT64_MAX, 0}),
                     Column("[x].y", Names{"", "q", "z"})});
  put_file(folder / "t.csv", to_csv(table));
  const Table back = read_table(folder / "t.csv");
  EXPECT_EQ(back.infos(), table.infos());
  EXPECT_EQ(to_csv(back), to_csv(table));
  EXPECT_EQ(back.column("distance, km").reals()[2], 1e-7);
  EXPECT_EQ(back.column("a\\b").integers()[0], INT64_MIN);

  // Rows of nothing are rows still.
  put_file(folder / "n.csv", to_csv(Table({Column("x", std::vector<double>{1, std::nan(""), 2})})));
  EXPECT_EQ(read_table(folder / "n.csv").column("x").missing_count(), 1);
  EXPECT_EQ(read_table(folder / "n.csv").rows(), 3);
}

}  // namespace
}  // namespace thalweg::data
