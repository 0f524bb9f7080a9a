#include "thalweg/data/numeric_csv.h"

#include <clocale>
#include <cmath>
#include <limits>

#include "data/numbers.h"
#include "data_testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/base/philox.h"

namespace thalweg::data {
namespace {

using Names = std::vector<std::string>;

class NumericCsvTest : public ::testing::Test {
 protected:
  NumericTable read(const std::string& content, const CsvOptions& options = {}) {
    put_file(path_, content);
    return read_numeric_csv(path_, options);
  }
  template <class... Words>
  void expect_failure(const std::string& content, const CsvOptions& options,
                      const Words&... words) {
    expect_error(
        Code::kInvalidArgument, [&] { read(content, options); }, path_, words...);
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "x.csv";
};

TEST_F(NumericCsvTest, ReadsFeaturesAndLabels) {
  const NumericTable table = read("a,y,b\n1,cat,2.5\n-3e2,dog,+4\n", {.label = "y"});
  EXPECT_EQ(table.columns, (Names{"a", "b"}));
  EXPECT_EQ(table.features.to_string(), "float32[2, 2] [[1, 2.5], [-300, 4]]");
  EXPECT_EQ(table.label_column, "y");
  EXPECT_EQ(table.labels, (Names{"cat", "dog"}));
}

TEST_F(NumericCsvTest, ReadsSpreadsheetExports) {
  for (const char* text : {"\xEF\xBB\xBF"
                           "age,income,y\r\n34,1200,0\r\n51,900,1",
                           "age,income,y\r34,1200,0\r51,900,1\r"}) {
    const NumericTable by_y = read(text, {.label = "y"});
    EXPECT_EQ(by_y.columns, (Names{"age", "income"}));
    EXPECT_EQ(by_y.features.to_string(), "float32[2, 2] [[34, 1200], [51, 900]]");
    EXPECT_EQ(class_names(by_y.labels), (Names{"0", "1"}));
    EXPECT_EQ(read(text, {.label = "age"}).labels, (Names{"34", "51"}));
  }
}

TEST_F(NumericCsvTest, KeepsQuotedLabelsWhole) {
  const NumericTable table = read(
      "id,comment\n1,\"fine\"\n2,\"line one\nline two, with comma\"\n3,\"he said \"\"ok\"\"\"\n",
      {.label = "comment"});
  EXPECT_EQ(table.labels, (Names{"fine", "line one\nline two, with comma", "he said \"ok\""}));
  expect_failure("id,comment\n1,ok\n2,\"open\n3,ok\n", {.label = "comment"}, ":3", "never closed");
}

TEST_F(NumericCsvTest, CountsMissingValuesInEverySpelling) {
  expect_failure("a,b,y\n1,,0\n2,NA,1\n3,nan,0\n4,5,1\n", {.label = "y"}, ":2", "column 'b'",
                 "3 missing of 4", "\"\"");
  expect_failure("a,y\n1,0\nNone,1\n", {.label = "y"}, ":3", "column 'a'", "1 missing of 2",
                 "\"None\"");
  expect_failure("a,y\n1,0\n?,1\nnull,1\nN/A,1\n", {.label = "y"}, "3 missing of 4");
}

TEST_F(NumericCsvTest, NamesTheRowOfAMissingLabel) {
  expect_failure("a,y\n1,0\n2,\n", {.label = "y"}, ":3", "label 'y' of row 2", "missing");
  expect_failure("a,y\n1,0\n2,NaN\n", {.label = "y"}, ":3", "\"NaN\"");
  EXPECT_EQ(read("a,y\n1,none\n", {.label = "y"}).labels, Names{"none"});
}

TEST_F(NumericCsvTest, RefusesInfinitiesAndText) {
  expect_failure("a,y\n1,0\ninf,1\n", {.label = "y"}, ":3", "column 'a'", "\"inf\"", "finite");
  expect_failure("a,y\n1e999,0\n", {.label = "y"}, "\"1e999\"", "finite");
  expect_failure("a,y\n1e39,0\n", {.label = "y"}, "\"1e39\"", "too large for float32");
  expect_failure("a,color,y\n1,red,0\n", {.label = "y"}, ":2", "column 'color'", "\"red\"",
                 "expected a number");
  expect_failure("a,y\n\"1,5\",0\n", {.label = "y"}, "\"1,5\"");
  expect_failure("a,y\n0x10,0\n", {.label = "y"}, "\"0x10\"");
  EXPECT_EQ(read("a,y\n1e-999,0\n", {.label = "y"}).features.at(0), 0);
}

TEST_F(NumericCsvTest, RefusesBrokenFiles) {
  expect_failure("", {.label = "y"}, "empty");
  expect_failure("\xEF\xBB\xBF", {.label = "y"}, "empty");
  expect_failure("\n\n", {.label = "y"}, "empty");
  expect_failure("a,y\n", {.label = "y"}, "no rows");
  expect_failure("y\n1\n2\n", {.label = "y"}, "no feature column");
  expect_failure("a,b,y\n1,2,0\n1,2,3,4\n", {.label = "y"}, ":3", "found 4 cells, expected 3");
  expect_failure("a,b,y\n1,2,0\n1,2\n", {.label = "y"}, ":3", "found 2 cells, expected 3");
  expect_failure("a,a,y\n1,2,0\n", {.label = "y"}, "two columns", "'a'");
  expect_failure("a,,y\n1,2,0\n", {.label = "y"}, "column 2 has no name");
  expect_error(
      Code::kNotFound, [&] { read_numeric_csv(folder_ / "none.csv", {}); }, "none.csv");
  expect_error(
      Code::kInvalidArgument, [&] { read_numeric_csv(folder_.path(), {}); }, folder_.path());
}

TEST_F(NumericCsvTest, NeverCrashesOnJunk) {
  Philox random(4);
  for (int i = 0; i < 200; ++i) {
    std::string junk;
    // The second half is junk of the characters that steer the parser.
    for (int k = 0; k < 1024; ++k)
      junk += i < 100 ? static_cast<char>(random.next()) : "\"\",\r\n1a "[random.below(8)];
    put_file(path_, junk);
    EXPECT_THROW(read_numeric_csv(path_, {.label = "y"}), Error);
  }
}

TEST_F(NumericCsvTest, FindsTheLabelOrSaysWhatThereIs) {
  expect_failure("age,income\n1,2\n", {.label = "incom"}, "no column 'incom'", "age, income",
                 "did you mean 'income'");
  expect_failure("age;y\n1;2\n", {.label = "y"}, "no column 'y'", "delimiter");
  EXPECT_EQ(read("age;y\n1;2\n", {.label = "y", .delimiter = ';'}).labels, Names{"2"});
}

TEST_F(NumericCsvTest, ReadsDataWithoutLabelsForPrediction) {
  const CsvOptions options{.label = "y", .label_optional = true};
  const NumericTable without = read("a,b\n1,2\n", options);
  EXPECT_EQ(without.label_column, "");
  EXPECT_TRUE(without.labels.empty());
  const NumericTable empty = read("y,a,b\n,1,2\n", options);
  EXPECT_EQ(empty.labels, Names{""});
  const Tensor features = select_columns(read("b,y,extra,a\n2,0,9,1\n", options), Names{"a", "b"});
  EXPECT_TRUE(features.same_bits(without.features));
  EXPECT_TRUE(features.same_bits(empty.features));
  expect_error(
      Code::kInvalidArgument, [&] { select_columns(without, Names{"c"}); }, "no column 'c'",
      "a, b");
}

TEST_F(NumericCsvTest, AsksForAHeaderOrTheOption) {
  expect_failure("0.5,0.2,0\n0.1,0.3,1\n", {}, "only numbers", "header");
  const NumericTable table = read("0.5,0.2,0\n0.1,0.3,1\n", {.label = "c3", .header = false});
  EXPECT_EQ(table.columns, (Names{"c1", "c2"}));
  EXPECT_EQ(table.labels, (Names{"0", "1"}));
}

TEST_F(NumericCsvTest, WorksWithAnyPathAndNames) {
  const std::string folder = folder_ / "Ñoño 数据 dữ";
  make_folders(folder);
  const std::string path = join_path(folder, "дані.csv");
  put_file(path, "größe,y\n1,2\n");
  EXPECT_EQ(read_numeric_csv(path, {.label = "y"}).columns, Names{"größe"});
  put_file(path, "größe,y\nx,2\n");
  expect_error(
      Code::kInvalidArgument, [&] { read_numeric_csv(path, {.label = "y"}); }, path, "'größe'");
}

TEST_F(NumericCsvTest, WarnsOnceOfIntegersThatFloat32Rounds) {
  Names warnings;
  set_log_sink([&](LogLevel, std::string_view, std::string_view message) {
    warnings.emplace_back(message);
  });
  read("user,y\n16777216,0\n16777217,0\n9007199254740993,1\n9007199254740992,1\n1e30,0\n",
       {.label = "y"});
  set_log_sink({});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("column 'user' has 2 integers"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("16777217"), std::string::npos) << warnings[0];
}

TEST_F(NumericCsvTest, WarnsOfDifferencesThatFloat32TakesAway) {
  Names warnings;
  set_log_sink([&](LogLevel, std::string_view, std::string_view message) {
    warnings.emplace_back(message);
  });
  const NumericTable table =
      read("t,same,far,y\n1000000001.5,0.1,-1e9,1000000000\n1000000007.5,0.1,0.3,1000000003\n",
           {.label = "y"});
  label_numbers(table.labels);
  label_numbers(std::vector<std::string>{"0.1", "0.2", "1e6"});
  set_log_sink({});
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("column 't' reaches from 1000000001.5 to 1000000007.5"),
            std::string::npos)
      << warnings[0];
  EXPECT_NE(warnings[1].find("the label reaches from"), std::string::npos) << warnings[1];
}

TEST(ParseNumber, TellsNumbersFromMissingFromText) {
  EXPECT_EQ(parse_number("-0.5e3").value, -500);
  EXPECT_EQ(parse_number("+1").value, 1);
  for (const char* text : {"", "NA", "n/a", "NaN", "nan", "-nan", "NULL", "None", "?"}) {
    EXPECT_EQ(parse_number(text).kind, Number::kMissing) << text;
  }
  for (const char* text : {"inf", "-Infinity", "+inf", "1e400"})
    EXPECT_EQ(parse_number(text).kind, Number::kInfinite) << text;
  for (const char* text : {"1 2", "1,2", "x", "1x", "+-1", "++1", "-", "1e", "nanx"}) {
    EXPECT_EQ(parse_number(text).kind, Number::kText) << text;
  }
  EXPECT_FALSE(parse_number("9007199254740993").exact);
  EXPECT_TRUE(parse_number("9007199254740992").exact);
}

TEST(ParseNumber, BeyondDoublesAreInfiniteOrZeroInEveryLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {  // those that are installed
    std::setlocale(LC_NUMERIC, locale);
    for (const char* text : {"1.5e400", "-1.5e400", "1e99999999999999999999", "0.001e400"}) {
      EXPECT_EQ(parse_number(text).kind, Number::kInfinite) << text;
    }
    EXPECT_EQ(parse_number("1" + std::string(400, '0') + ".5").kind, Number::kInfinite);
    EXPECT_EQ(parse_number("-1.5e400").value, -std::numeric_limits<double>::infinity());
    for (const char* text : {"1.5e-400", "-1.5e-400", "1e-99999999999999999999", "100.0e-400"}) {
      EXPECT_EQ(parse_number(text).kind, Number::kFinite) << text;
      EXPECT_EQ(parse_number(text).value, 0) << text;
    }
    EXPECT_TRUE(std::signbit(parse_number("-1.5e-400").value));
    EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1").value, 0);
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(ClassNames, AreInNumericOrderWhenAllAreNumbers) {
  EXPECT_EQ(class_names(Names{"10", "2", "1", "2"}), (Names{"1", "2", "10"}));
  EXPECT_EQ(class_names(Names{"1", "-1"}), (Names{"-1", "1"}));
  EXPECT_EQ(class_names(Names{"10", "2", "b"}), (Names{"10", "2", "b"}));
  EXPECT_EQ(class_names(Names{}), Names{});
}

TEST(ClassNames, KeepLargeIdsApart) {
  const Names ids{"16777216",         "16777217",         "2147483648",
                  "9007199254740993", "9007199254740992", "-1"};
  EXPECT_EQ(class_names(ids), (Names{"-1", "16777216", "16777217", "2147483648", "9007199254740992",
                                     "9007199254740993"}));
}

TEST(ClassIndices, AreThePlacesInTheNames) {
  EXPECT_EQ(class_indices(Names{"dog", "cat", "dog"}, Names{"cat", "dog"}).to_string(),
            "int64[3] [1, 0, 1]");
  expect_error(
      Code::kInvalidArgument,
      [] {
        class_indices(Names{"cat", "cow"}, Names{"cat", "dog"});
      },
      "row 2", "'cow'", "cat, dog");
}

TEST(LabelNumbers, AreFiniteNumbers) {
  EXPECT_EQ(label_numbers(Names{"1.5", "-2"}).to_string(), "float32[2] [1.5, -2]");
  expect_error(
      Code::kInvalidArgument,
      [] {
        label_numbers(Names{"1", "x"});
      },
      "row 2", "'x'");
  expect_error(
      Code::kInvalidArgument, [] { label_numbers(Names{"1e39"}); }, "row 1", "finite");
}

}  // namespace
}  // namespace thalweg::data
