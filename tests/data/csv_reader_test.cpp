#include "data/csv_reader.h"

#include "data_testing.h"
#include "thalweg/base/strings.h"

namespace thalweg::data {
namespace {

/// Every record as "line:cell|cell".
std::string records(std::string_view text, char delimiter = ',') {
  CsvReader reader(text, "f.csv", delimiter);
  CsvRecord record;
  std::string result;
  while (reader.next(record)) append(result, str(record.line, ":", join(record.cells, "|"), " "));
  return result;
}

TEST(CsvReader, CutsRecordsAndCountsLines) {
  EXPECT_EQ(records("a,b\n1,2\n"), "1:a|b 2:1|2 ");
  EXPECT_EQ(records("a,b\r\n1,2"), "1:a|b 2:1|2 ");
  EXPECT_EQ(records("a,b\r1,2\r3,4"), "1:a|b 2:1|2 3:3|4 ");
  EXPECT_EQ(records("a\n\n  \nb\n\n"), "1:a 4:b ");
  EXPECT_EQ(records(",\n,,\n"), "1:| 2:|| ");
  EXPECT_EQ(records(""), "");
  EXPECT_EQ(records("\n\r\n"), "");
  EXPECT_EQ(records(" a , \"b \"\n"), "1:a|b  ");
  EXPECT_EQ(records("a;b\t\n", ';'), "1:a|b ");
  EXPECT_EQ(records("a\t\tb\n", '\t'), "1:a||b ");
}

TEST(CsvReader, KeepsLineBreaksDelimitersAndQuotesInQuotes) {
  EXPECT_EQ(records("1,\"x\ny, z\",2\n3,\"he said \"\"ok\"\"\",\"\"\n"),
            "1:1|x\ny, z|2 3:3|he said \"ok\"| ");
  EXPECT_EQ(records("\"a\n\nb\"\n1"), "1:a\n\nb 4:1 ");
  EXPECT_EQ(records("\"last\""), "1:last ");
}

TEST(CsvReader, SaysWhereAQuoteOpenedOrStrays) {
  expect_error(
      Code::kInvalidArgument, [] { records("a,b\n1,2\n\"x\n\n3,4"); }, "f.csv:3", "never closed");
  expect_error(
      Code::kInvalidArgument, [] { records("a,b\n\"x\ny\",\"z\n\n"); }, "f.csv:3", "never closed");
  expect_error(
      Code::kInvalidArgument, [] { records("a\nb\"c\n"); }, "f.csv:2", "quote sign inside");
  expect_error(
      Code::kInvalidArgument, [] { records("a\n\"b\n\"c\n"); }, "f.csv:3", "begins on line 2");
}

TEST(CsvReader, GivesEmptyCellsAtTheEndOfTheFile) {
  EXPECT_EQ(records("a,b\n1,"), "1:a|b 2:1| ");
  EXPECT_EQ(records("a,b\n1,\""
                    "\""),
            "1:a|b 2:1| ");
}

TEST(CsvReader, TakesALastLineOfDelimitersAsARecord) {
  EXPECT_EQ(records("a\tb\tc\n\t\t", '\t'), "1:a|b|c 2:|| ");
  EXPECT_EQ(records("a\tb\tc\n\t\t\n", '\t'), "1:a|b|c 2:|| ");
  EXPECT_EQ(records("a,b\n\t\t"), "1:a|b ");
  EXPECT_EQ(records("a b\n ", ' '), "1:a|b 2:| ");
}

TEST(CsvReader, ReadsRecordsLongerThanAnyBuffer) {
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += "\"line\nbreak, " + std::string(40, 'x') + "\",1\n";
  CsvReader reader(text, "f.csv", ',');
  CsvRecord record;
  int count = 0;
  while (reader.next(record)) {
    ASSERT_EQ(record.cells.size(), 2u);
    ++count;
  }
  EXPECT_EQ(count, 5001);
  EXPECT_EQ(record.line, 10000);
}

TEST(CheckText, CountsLinesHoweverTheyEnd) {
  for (const char* text : {"a\nb\n\xF6", "a\rb\r\xF6", "a\r\nb\r\n\xF6", "a\n\r\xF6"}) {
    expect_error(
        Code::kInvalidArgument, [&] { check_text(text, "f"); }, "f:3:", "byte 246");
  }
}

TEST(CheckText, TakesUtf8AndNamesAnythingElse) {
  EXPECT_EQ(check_text("\xEF\xBB\xBFgröße", "f"), "größe");
  EXPECT_EQ(check_text("数据\t\U0001F600\r\n", "f"), "数据\t\U0001F600\r\n");
  expect_error(
      Code::kInvalidArgument,
      [] {
        check_text(
            "\xFF\xFE"
            "a",
            "f");
      },
      "f:", "UTF-16");
  expect_error(
      Code::kInvalidArgument, [] { check_text(std::string_view("a\nb\0c", 5), "f"); },
      "f:2:", "value 0");
  expect_error(
      Code::kInvalidArgument,
      [] {
        check_text(
            "a\n\nGr\xF6\xDF"
            "e\n",
            "f");
      },
      "f:3:", "byte 246", "iconv");
  expect_error(
      Code::kInvalidArgument, [] { check_text("a\xC3", "f"); }, "f:1:", "UTF-8");
  expect_error(
      Code::kInvalidArgument, [] { check_text("\x80", "f"); }, "f:1:", "UTF-8");
}

}  // namespace
}  // namespace thalweg::data
