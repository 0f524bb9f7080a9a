// CSV files as tables: rows B01 to B06 and S04 of the list of failures of others.
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <clocale>
#include <cmath>

#include "data_testing.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/philox.h"
#include "thalweg/data/table_source.h"

namespace thalweg::data {
namespace {

using Names = std::vector<std::string>;

/// "name:type name:type", as a reader of the test sees best.
std::string types_of(const Table& table) {
  std::string result;
  for (const ColumnInfo& info : table.infos())
    append(result, str(result.empty() ? "" : " ", info.name, ":", info.type));
  return result;
}

bool has_note(const TableSource& source, const std::string& words) {
  for (const std::string& note : source.notes()) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

class TableCsvTest : public ::testing::Test {
 protected:
  Table read(const std::string& content, const TableOptions& options = {}) {
    return open(content, options)->read_all();
  }
  std::shared_ptr<const TableSource> open(const std::string& content,
                                          const TableOptions& options = {}) {
    put_file(path_, content);
    return open_table(path_, options);
  }
  template <class... Words>
  void expect_failure(const std::string& content, const TableOptions& options,
                      const Words&... words) {
    expect_error(
        Code::kInvalidArgument, [&] { read(content, options); }, path_, words...);
    expect_error(
        Code::kInvalidArgument, [&] { read_table(path_, options); }, path_, words...);
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "x.csv";
};

TEST_F(TableCsvTest, GuessesTypesFromAllRows) {
  const Table table = read("i,r,t,m,e\n1,2,a,,\n-3,0.5,7,4,\n9007199254740993,1e3,NA,n/a,\n");
  EXPECT_EQ(types_of(table), "i:integer r:real t:text m:integer e:real");
  EXPECT_EQ(table.column("i").integers()[2], 9007199254740993);
  EXPECT_EQ(table.column("r").reals()[0], 2);
  EXPECT_EQ(table.column("r").reals()[2], 1000);
  EXPECT_EQ(table.column("t").cell(1), "7");
  EXPECT_EQ(table.column("t").missing_count(), 1);
  EXPECT_EQ(table.column("m").missing_count(), 2);
  EXPECT_EQ(table.column("e").missing_count(), 3);
  EXPECT_TRUE(has_note(*open_table(path_), "'e' has no value"));
}

TEST_F(TableCsvTest, KeepsTextsThatOnlyLookLikeNumbers) {
  const Table table =
      read("zip,plus,minus,inf,hex,dots\n007,+1,-0,inf,0x10,1.2.3\n123,2,5,1,2,3\n");
  EXPECT_EQ(types_of(table), "zip:text plus:text minus:real inf:text hex:text dots:text");
  EXPECT_EQ(table.column("zip").cell(0), "007");
  EXPECT_TRUE(std::signbit(table.column("minus").reals()[0]));
  EXPECT_TRUE(
      has_note(*open_table(path_), "'inf' is text: line 2 holds \"inf\", other lines numbers"));
}

TEST_F(TableCsvTest, ReadsNumbersToTheLastBit) {
  Philox random(5);
  std::string text = "x\n0.5\n";
  std::vector<double> values = {0.5};
  for (int i = 0; i < 20000; ++i) {
    values.push_back(std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(80)) - 60));
    append(text, str(values.back(), "\n"));
  }
  for (const char* ties : {"9007199254740992.5", "9007199254740993.0", "9007199254740994.5",
                           "0.1000000000000000055511151231257827", "123456789012345678.9",
                           "4503599627370497.5", "2.2250738585072014e-308"}) {
    values.push_back(std::strtod(ties, nullptr));
    append(text, str(ties, "\n"));
  }
  const Table table = read(text);
  ASSERT_EQ(types_of(table), "x:real");
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(table.column("x").reals()[i], values[i]) << "row " << i;
}

// B01
TEST_F(TableCsvTest, KeepsLineBreaksInQuotes) {
  const std::string rows =
      "1,\"fine\",0\n2,\"line one\nline two, with comma\",1\n3,\"he said \"\"ok\"\"\",0\n";
  const Table table = read("id,comment,y\n" + rows);
  EXPECT_EQ(types_of(table), "id:integer comment:text y:integer");
  EXPECT_EQ(table.column("comment").cell(1), "line one\nline two, with comma");
  EXPECT_EQ(table.column("comment").cell(2), "he said \"ok\"");
  expect_failure("id,comment\n1,ok\n2,\"open\n3,ok\n", {}, ":3:", "never closed");
  expect_failure("id,comment\n1,ok\n2,\"shut\"then\n", {}, ":3:", "inside a cell");
}

TEST_F(TableCsvTest, KeepsLineBreaksInQuotesAtEveryBorderOfParts) {
  // One record in a few is nearly all line breaks in quotes, so that borders fall inside of them.
  std::string text = "id,comment,y\n";
  std::vector<std::string> comments;
  Philox random(3);
  while (text.size() < size_t{20} << 20) {
    std::string comment;
    for (uint64_t i = 0, lines = random.below(4000); i < lines; ++i)
      comment += random.below(9) == 0 ? "\"\"" : random.below(5) == 0 ? "x,\n" : "\n";
    append(text, str(comments.size(), ",\"", comment, "\",0\n"));
    std::string plain;
    for (size_t i = 0; i < comment.size(); ++i) {
      plain += comment[i];
      if (comment[i] == '"') ++i;
    }
    comments.push_back(plain);
  }
  for (const int threads : {1, 2, 7}) {
    const ScopedNumThreads scope(threads);
    const Table table = read(text);
    ASSERT_EQ(table.rows(), static_cast<int64_t>(comments.size()));
    for (size_t i = 0; i < comments.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      ASSERT_EQ(table.column("id").integers()[i], row);
      ASSERT_TRUE(table.column("comment").texts()[row] == comments[i] ||
                  table.column("comment").is_missing(row))
          << row;
    }
  }
  // A quote that opens far in front of its end: named by the line that it opens on.
  const auto line = 1 + std::ranges::count(text, '\n');
  expect_failure(text + "7,\"" + std::string(size_t{3} << 20, '\n'), {}, str(":", line, ":"),
                 "never closed");
}

// B02
TEST_F(TableCsvTest, ReadsWhatSpreadsheetsWrite) {
  for (const char* text :
       {"\xEF\xBB\xBF"
        "age,income,y\r\n34,1200,0\r\n51,900,1",
        "age,income,y\r34,1200,0\r51,900,1\r", "age,income,y\n34,1200,0\n51,900,1"}) {
    const Table table = read(text);
    EXPECT_EQ(types_of(table), "age:integer income:integer y:integer");
    ASSERT_EQ(table.rows(), 2);
    EXPECT_EQ(table.column("income").integers()[1], 900);
    EXPECT_EQ(table.column("y").integers()[1], 1);
  }
  expect_failure("\xFF\xFE\x61", {}, "UTF-16");
}

// B03
TEST_F(TableCsvTest, HasOneMeaningOfMissing) {
  const Table table = read("a,b,y\n1,,0\n2,NA,1\n3, nan ,0\n4,5,1\n");
  EXPECT_EQ(types_of(table), "a:integer b:integer y:integer");
  EXPECT_EQ(table.column("b").missing_count(), 3);
  EXPECT_EQ(table.column("b").integers()[3], 5);
  const Table own = read("a,b\n-999,x\n1,NA\n", {.missing = {"-999"}});
  EXPECT_TRUE(own.column("a").is_missing(0));
  EXPECT_EQ(own.column("b").cell(1), "NA");
  EXPECT_TRUE(has_note(*open("a\n1\ninf\n2\n"), "\"inf\""));
  expect_failure("a\n1\nx\n", {.types = {{"a", ColumnType::kReal}}}, ":3:", "'a'", "\"x\"",
                 "a number", "missing values");
  EXPECT_EQ(read("a\n1\n+inf\n", {.types = {{"a", ColumnType::kReal}}}).column("a").reals()[1],
            HUGE_VAL);
}

// B04
TEST_F(TableCsvTest, SaysWhatIsWrongWithAFile) {
  expect_failure("", {}, "empty");
  expect_failure("\n\n", {}, "no row of data");
  expect_failure("a,b,y\n", {}, "header line but no rows");
  expect_failure("a,b,y", {}, "header line but no rows");
  expect_failure("a,b\n1,2\n1,2,3\n", {}, ":3:", "3 cells", "expected 2", "header");
  expect_failure("1,2\n1\n", {}, ":2:", "1 cell,", "expected 2", "first row");
  expect_failure("a,b\n1,2\n\n\n3\n", {}, ":5:", "1 cell,");
  expect_error(
      Code::kInvalidArgument, [&] { open_table(folder_.path()); }, folder_.path());
  expect_error(
      Code::kNotFound, [&] { open_table(folder_ / "no.csv"); }, "no.csv");
  std::string noise;
  Philox random(1);
  for (int i = 0; i < 256; ++i) {
    const uint32_t word = random.next();
    noise.append(reinterpret_cast<const char*>(&word), sizeof(word));
  }
  expect_failure(noise, {}, "no text");
  expect_failure("a\nx\xC3\n", {}, ":2:", "UTF-8", "195");
  expect_failure("a\n" + std::string(1000, 'x') + "\n\xED\xA0\x80\n", {}, ":3:", "UTF-8");

  put_file(folder_ / "data.txt", "0.5,0.2,0\n0.1,0.3,1\n");
  const auto source = open_table(folder_ / "data.txt");
  EXPECT_EQ(types_of(source->read_all()), "c1:real c2:real c3:integer");
  EXPECT_EQ(source->rows(), 2);
  EXPECT_TRUE(has_note(*source, "header: none (found); the columns are named c1 to c3"));
  EXPECT_EQ(read("5,x\n").rows(), 1);
  EXPECT_EQ(types_of(read("y\n1\n0\n")), "y:integer");
}

// B05
TEST_F(TableCsvTest, TakesAnyPathAndName) {
  const std::string folder = folder_ / "Ñoño 数据 dữ";
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/дані " + std::string(100, 'x') + ".csv";
  put_file(path, "größe,y\n1,2\n");
  EXPECT_EQ(types_of(read_table(path)), "größe:integer y:integer");
  EXPECT_EQ(open_table(path)->name(), path);
  put_file(path, "größe,y\n1\n");
  expect_error(
      Code::kInvalidArgument, [&] { open_table(path); }, path);
}

// B06
TEST_F(TableCsvTest, KeepsLargeIntegersApart) {
  const std::string ids = "16777216\n16777217\n2147483648\n9007199254740993\n-1\n";
  const Table table = read("user\n" + ids);
  EXPECT_EQ(types_of(table), "user:integer");
  EXPECT_EQ(to_csv(table), "user\n" + ids);
  const auto longer = open("user,y\n1,2\n170141183460469231731687303715884105728,2\n");
  EXPECT_EQ(types_of(longer->read_all()), "user:text y:integer");
  EXPECT_EQ(longer->read_all().column("user").cell(1), "170141183460469231731687303715884105728");
  EXPECT_TRUE(has_note(*longer,
                       "line 3 holds \"170141183460469231731687303715884105728\", an "
                       "integer beyond 64 bits"));
  // An integer among reals that float64 would round.
  const auto mixed = open("a,b\n0.5,9007199254740993\n9007199254740993,0.5\n");
  EXPECT_EQ(to_csv(mixed->read_all()), "a,b\n0.5,9007199254740993\n9007199254740993,0.5\n");
  EXPECT_TRUE(has_note(*mixed, "'a' is text"));
  EXPECT_TRUE(has_note(*mixed, "'b' is text"));
}

// S04
TEST_F(TableCsvTest, KeepsNamesAsTheyAre) {
  EXPECT_EQ(read("\"distance, km\",\"a\"\"b\",a\\b,[x].y\n1,2,3,4\n").names(),
            (Names{"distance, km", "a\"b", "a\\b", "[x].y"}));
  expect_failure("a,c1,\n1,2,3\n", {.names = {"a", "", "c"}}, "column 2 has no name");
  expect_failure(",b,c1\n1,2,3\n", {}, ":1:", "columns 1 and 3 are both named");
  const auto nameless = open(",b\n1,2\n");
  EXPECT_EQ(nameless->read_all().names(), (Names{"c1", "b"}));
  EXPECT_TRUE(has_note(*nameless, "column 1 has no name in the header; it is named c1"));
  expect_failure("a,b,a\n1,2,3\n", {}, ":1:", "columns 1 and 3", "\"a\"");
  EXPECT_EQ(read("a,b,a\n1,2,3\n", {.names = {"x", "y", "z"}}).names(), (Names{"x", "y", "z"}));
  expect_failure("1,2,3\n", {.names = {"x"}}, "3 columns", "1 names");
}

TEST_F(TableCsvTest, FindsDelimiterAndHeader) {
  EXPECT_EQ(read("a\tb\n1\t2\n").names(), (Names{"a", "b"}));
  EXPECT_EQ(read("a;b\n1,5;2\n").names(), (Names{"a", "b"}));
  EXPECT_EQ(read("a|b|c\nx, y|2|3\n").names(), (Names{"a", "b", "c"}));
  EXPECT_EQ(types_of(read("a;b\n1,5;2\n", {.decimal = ','})), "a:real b:integer");
  EXPECT_EQ(read("a;b\n1,5;2,25\n", {.decimal = ','}).column("b").reals()[0], 2.25);
  EXPECT_EQ(read("a:b\n1:2\n", {.delimiter = ':'}).names(), (Names{"a", "b"}));
  EXPECT_TRUE(has_note(*open("a\tb\n1\t2\n"), "delimiter: tab (found)"));
  expect_error(
      Code::kInvalidArgument, [&] { read("a,b\n1,2\n", {.delimiter = ',', .decimal = ','}); },
      "decimal");
  // Text everywhere: names do not come again as values.
  EXPECT_EQ(read("colour,shape\nred,round\nblue,square\n").names(), (Names{"colour", "shape"}));
  EXPECT_EQ(read("red,round\nblue,square\nred,flat\n").names(), (Names{"c1", "c2"}));
  EXPECT_EQ(read("a,b\nc,d\n", {.header = false}).rows(), 2);
  EXPECT_EQ(read("1,2\n3,4\n", {.header = true}).names(), (Names{"1", "2"}));
  expect_failure("a\n1 2\n3\n1,2\n", {}, ":4:", "comma the delimiter");
}

TEST_F(TableCsvTest, PassesOverBlankLinesCommentsAndSkippedOnes) {
  const Table table = read("made by hand\nx\n# names\n\na,b\n1,2\n \t\n#3,\"4\n5,#6\n",
                           {.skip_rows = 2, .comment = '#'});
  EXPECT_EQ(to_csv(table), "a,b\n1,2\n5,#6\n");
  expect_failure("x\n", {.skip_rows = 3}, "only 1 lines");
}

TEST_F(TableCsvTest, TakesQuotesBetweenTabsAsTheyCome) {
  const auto source = open("He said \"no\".\t0\n\" I love it.  \t1\nfine\t0\n");
  const Table table = source->read_all();
  ASSERT_EQ(table.rows(), 3);
  EXPECT_EQ(table.column("c1").cell(1), "\" I love it.");
  EXPECT_TRUE(has_note(*source, "quote signs are ordinary characters"));
  expect_failure("He said \"no\".\t0\n\" I love it.  \t1\nfine\t0\n", {.quotes = true}, ":2:");
  EXPECT_EQ(read("5\" pipe,1\n", {.header = false}).column("c1").cell(0), "5\" pipe");
}

TEST_F(TableCsvTest, HoldsTheTypesThatAreSet) {
  const TableOptions options{.types = {{"a", ColumnType::kText}, {"b", ColumnType::kInteger}}};
  const Table table = read("a,b,c\n1,+5,1\n2,007,x\n", options);
  EXPECT_EQ(types_of(table), "a:text b:integer c:text");
  EXPECT_EQ(table.column("b").integers()[1], 7);
  expect_failure("a,b,c\n1,2.5,1\n", options, ":2:", "'b'", "\"2.5\"", "an integer");
  expect_failure("a,c\n1,2\n", options, "no column 'b'");
}

TEST_F(TableCsvTest, DoesNotLookAtRowsWhenAllTypesAreSet) {
  const auto source = open("a\n1\nx\n", {.types = {{"a", ColumnType::kReal}}});
  EXPECT_EQ(source->rows(), std::nullopt);
  expect_error(
      Code::kInvalidArgument, [&] { source->read_all(); }, ":3:", "'a'");
}

TEST_F(TableCsvTest, ReadsChosenColumns) {
  const Table table = read("a,b,c\n1,x,3\n", {.columns = {"c", "a"}});
  EXPECT_EQ(to_csv(table), "c,a\n3,1\n");
  expect_failure("alpha,b\n1,2\n", {.columns = {"alhpa"}}, "'alhpa'", "'alpha'");
}

TEST_F(TableCsvTest, NamesTheRemediesOfItsCaller) {
  expect_failure("a,b\n", {.remedies = {{"header", "give --no-header"}}}, "give --no-header");
}

TEST_F(TableCsvTest, GivesTheSameInPiecesAndWithAnyNumberOfThreads) {
  std::string text = "id,word,x\n";
  for (int i = 0; i < 300000; ++i)
    append(text, str(i, ",w", i % 7, ",", i % 3 == 0 ? str(i * 0.5) : std::string(), "\n"));
  // A type that widens in the last row.
  text += "x7,w,1\n";
  const Table whole = read(text);
  EXPECT_EQ(types_of(whole), "id:text word:text x:real");
  ASSERT_EQ(whole.rows(), 300001);
  EXPECT_EQ(whole.column("id").cell(0), "0");
  for (const int threads : {1, 3}) {
    const ScopedNumThreads scope(threads);
    EXPECT_EQ(to_csv(read_table(path_)), to_csv(whole));
    const TableOptions all_set{.types = {{"id", ColumnType::kText},
                                         {"word", ColumnType::kText},
                                         {"x", ColumnType::kReal}}};
    const auto reader = open_table(path_, all_set)->open();
    Table pieces;
    for (int64_t most = 1; auto piece = reader->next(most); most = most * 2 + 17) {
      ASSERT_LE(piece->rows(), most);
      pieces.append(*piece);
    }
    EXPECT_EQ(to_csv(pieces), to_csv(whole));
  }
}

TEST_F(TableCsvTest, DoesNotFollowTheLocale) {
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const Table table = read("a\n1.5\n2.25e1\n");
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(table.column("a").reals()[1], 22.5);
}

TEST_F(TableCsvTest, UnpacksOnTheWay) {
  std::string text = "id,word\n";
  for (int i = 0; i < 200000; ++i) append(text, str(i, ",w", i % 1000, "\n"));
  const std::string gz = folder_ / "x.csv.gz";
  gzFile file = gzopen(gz.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(to_csv(read_table(gz)), text);

  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  put_file(folder_ / "x.csv.zst", packed);
  EXPECT_EQ(to_csv(open_table(folder_ / "x.csv.zst")->read_all()), text);
  // Frames may be joined end to end, as members of gzip may.
  put_file(folder_ / "twice.zst", packed + packed);
  EXPECT_EQ(read_table(folder_ / "twice.zst").rows(), 400001);

  put_file(folder_ / "cut.zst", packed.substr(0, packed.size() / 2));
  expect_error(
      Code::kDataLoss, [&] { read_table(folder_ / "cut.zst"); }, "cut.zst", "cut short");
  put_file(folder_ / "bad.zst", packed.substr(0, 40) + std::string(200, 'x') + packed.substr(240));
  expect_error(
      Code::kDataLoss, [&] { read_table(folder_ / "bad.zst"); }, "bad.zst");
}

TEST_F(TableCsvTest, ReadsRecordsLongerThanItsBlocks) {
  const std::string text(size_t{9} << 20, 'x');
  const Table table = read("a,b\n1,\"" + text + "\n\"\n2,y\n");
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.column("b").texts()[0].size(), text.size() + 1);
  EXPECT_EQ(table.column("b").cell(1), "y");
}

TEST_F(TableCsvTest, TellsFilesApartByTheirBytes) {
  const uint64_t first = open("a\n1\n")->fingerprint();
  EXPECT_EQ(open("a\n1\n")->fingerprint(), first);
  EXPECT_NE(open("a\n2\n")->fingerprint(), first);
}

}  // namespace
}  // namespace thalweg::data
