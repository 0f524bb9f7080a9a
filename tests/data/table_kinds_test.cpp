// Tables from files other than CSV: libsvm (S01), NumPy, TFRecord (B09), SQLite (B06).
#include <sqlite3.h>
#include <zlib.h>

#include <bit>
#include <cmath>

#include "data/cell_numbers.h"
#include "data/fast_numbers.h"
#include "data_testing.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/philox.h"
#include "thalweg/data/table_source.h"
#include "thalweg/tensor/npy.h"

namespace thalweg::data {
namespace {

using Names = std::vector<std::string>;

std::string types_of(const std::vector<ColumnInfo>& infos) {
  std::string result;
  for (const ColumnInfo& info : infos)
    append(result, str(result.empty() ? "" : " ", info.name, ":", info.type));
  return result;
}

class TableKindsTest : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& bytes) {
    put_file(folder_ / name, bytes);
    return folder_ / name;
  }
  TemporaryFolder folder_;
};

// S01
TEST_F(TableKindsTest, LibsvmFindsAndStatesItsBase) {
  const auto source = open_table(put("train.svm", "1 1:0.5 3:2\n-1 2:1.5 # note\n\n1 1:1\n"));
  EXPECT_EQ(types_of(source->columns()), "label:integer f1:real f2:real f3:real");
  EXPECT_EQ(source->rows(), 3);
  EXPECT_EQ(to_csv(source->read_all()), "label,f1,f2,f3\n1,0.5,0,2\n-1,0,1.5,0\n1,1,0,0\n");
  EXPECT_EQ(source->notes()[0], "libsvm features are numbered from 1 (found)");

  // A test file without the last feature.
  const auto test = open_table(put("test.svm", "1 1:0.5\n0 2:1\n"), {.base = 1, .features = 3});
  EXPECT_EQ(to_csv(test->read_all()), "label,f1,f2,f3\n1,0.5,0,0\n0,0,1,0\n");

  const auto zero = open_table(put("zero.txt", "0.5 0:1 2:3\n"));
  EXPECT_EQ(to_csv(zero->read_all()), "label,f0,f1,f2\n0.5,1,0,3\n");
  EXPECT_EQ(zero->notes()[0], "libsvm features are numbered from 0 (found)");
}

TEST_F(TableKindsTest, LibsvmHasWeightsAndQueries) {
  const Table table = read_table(put("r.libsvm", "2:0.5 qid:7 1:3\r\n1 qid:8 1:nan\n"));
  EXPECT_EQ(types_of(table.infos()), "label:integer weight:real qid:integer f1:real");
  EXPECT_EQ(to_csv(table), "label,weight,qid,f1\n2,0.5,7,3\n1,1,8,\n");
}

TEST_F(TableKindsTest, LibsvmSaysWhatIsWrong) {
  const auto expect_failure = [&](const std::string& text, const TableOptions& options,
                                  const std::string& where, const std::string& words) {
    const std::string path = put("bad.svm", text);
    expect_error(
        Code::kInvalidArgument, [&] { read_table(path, options); }, path + where, words);
  };
  expect_failure("1 1:2\n1 2:1 2:3\n", {}, ":2", "feature 2 twice");
  expect_failure("1 1:2\nx 2:1\n", {}, ":2", "\"x\"");
  expect_failure("1 one:2\n", {}, ":1", "\"one\"");
  expect_failure("1 1:two\n", {}, ":1", "\"two\"");
  expect_failure("1 1:2 7\n", {}, ":1", "index:value");
  expect_failure("1 0:2\n", {.base = 1}, ":1", "numbered from 1");
  expect_failure("1 1:2\n1 9:2\n", {.features = 3}, ":2", "expected 3 features");
  expect_failure("1 4294967295:2\n", {}, ":1", "at most");
  expect_failure("\n# only\n", {}, "", "no row");
}

TEST_F(TableKindsTest, NumpyMatricesAreColumns) {
  write_npy(folder_ / "m.npy", Tensor::of<float>({1, 2.5, 3, 4}, {2, 2}));
  const auto source = open_table(folder_ / "m.npy");
  EXPECT_EQ(types_of(source->columns()), "c1:real c2:real");
  EXPECT_EQ(to_csv(source->read_all()), "c1,c2\n1,2.5\n3,4\n");
  EXPECT_EQ(to_csv(read_table(folder_ / "m.npy", {.names = {"a", "b"}, .columns = {"b"}})),
            "b\n2.5\n4\n");
  write_npy(folder_ / "v.npy", Tensor::of<uint8_t>({7, 255}));
  EXPECT_EQ(to_csv(read_table(folder_ / "v.npy", {.types = {{"c1", ColumnType::kText}}})),
            "c1\n7\n255\n");
  write_npz(folder_ / "d.npz", {{"x", Tensor::of<double>({1, NAN, 3, 4}, {2, 2})},
                                {"y", Tensor::of<int64_t>({0, INT64_MAX})}});
  const Table table = read_table(folder_ / "d.npz");
  EXPECT_EQ(types_of(table.infos()), "x1:real x2:real y:integer");
  EXPECT_EQ(to_csv(table), "x1,x2,y\n1,,0\n3,4,9223372036854775807\n");
  EXPECT_EQ(table.column("x2").missing_count(), 1);

  write_npy(folder_ / "t.npy", Tensor::zeros(kFloat32, {2, 2, 2}));
  expect_error(
      Code::kInvalidArgument, [&] { open_table(folder_ / "t.npy"); }, "t.npy", "[2, 2, 2]");
  write_npz(folder_ / "u.npz", {{"x", Tensor::of<float>({1})}, {"y", Tensor::of<float>({1, 2})}});
  expect_error(
      Code::kInvalidArgument, [&] { open_table(folder_ / "u.npz"); }, "'x'", "'y'", "1 and 2 rows");
}

std::string bytes_field(char tag, const std::string& bytes) {
  return std::string(1, tag) + static_cast<char>(bytes.size()) + bytes;
}
/// A feature of an Example; `kind` 1: bytes, 2: floats, 3: int64, whose list is `values`.
std::string feature(const std::string& name, char kind, const std::string& values) {
  const std::string list = bytes_field(static_cast<char>(kind << 3 | 2), values);
  return bytes_field('\x0A', bytes_field('\x0A', name) + bytes_field('\x12', list));
}
std::string integer(const std::string& name, char value) {
  return feature(name, 3, {'\x0A', '\x01', value});
}
std::string real(const std::string& name, float value) {
  return feature(name, 2, "\x0A\x04" + std::string(reinterpret_cast<const char*>(&value), 4));
}
std::string text(const std::string& name, const std::string& value) {
  return feature(name, 1, bytes_field('\x0A', value));
}
std::string record(const std::string& features) {
  const std::string data = bytes_field('\x0A', features);
  const uint64_t length = data.size();
  const auto raw = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  return raw(length) + raw(mask_crc(crc32c(raw(length)))) + data + raw(mask_crc(crc32c(data)));
}

TEST_F(TableKindsTest, ExamplesAreRows) {
  const std::string bytes = record(integer("a", 5) + real("b", 1.5F) + text("c", "ü")) +
                            record(text("c", "x") + integer("a", 7)) + record(integer("a", 9));
  for (const bool packed : {false, true}) {
    const std::string path = folder_ / (packed ? "e.tfrecord.gz" : "plain");
    put_file(path, bytes);
    if (packed) {
      gzFile file = gzopen(path.c_str(), "wb");
      gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
      gzclose(file);
    }
    const auto source = open_table(path);
    EXPECT_EQ(types_of(source->columns()), "a:integer b:real c:text");
    EXPECT_EQ(source->rows(), 3);
    EXPECT_EQ(to_csv(source->read_all()), "a,b,c\n5,1.5,ü\n7,,x\n9,,\n");
  }
}

TEST_F(TableKindsTest, ExamplesOfSeveralValuesAreRefusedByName) {
  const std::string path =
      put("e.tfrecord",
          record(integer("a", 5)) + record(integer("a", 6) + feature("m", 3, "\x0A\x02\x01\x02")));
  expect_error(
      Code::kInvalidArgument, [&] { read_table(path); }, path, "record 2", "'m' has 2 values");
  EXPECT_EQ(to_csv(read_table(path, {.columns = {"a"}})), "a\n5\n6\n");
  const std::string other = put("o.tfrecord", record(text("t", "\xFF")));
  expect_error(
      Code::kInvalidArgument, [&] { read_table(other); }, "'t'", "UTF-8");
}

// B09
TEST_F(TableKindsTest, DamagedRecordsAreNamedOrLeftOut) {
  const std::string one = record(integer("a", 1)), two = record(integer("a", 2)),
                    three = record(integer("a", 3));
  const std::string whole = one + two + three;
  const auto check = [&](const std::string& bytes, int number, size_t offset,
                         const std::string& rest) {
    const std::string path = put("a.tfrecord", bytes);
    expect_error(
        Code::kDataLoss, [&] { read_table(path); }, path, str("record ", number),
        str("byte ", offset));
    const auto source = open_table(path, {.skip_damaged = true});
    EXPECT_EQ(to_csv(source->read_all()), rest);
    EXPECT_EQ(source->notes().back(), "1 damaged record was left out");
  };
  std::string payload = whole, length = whole;
  payload[one.size() + 15] ^= 1;
  check(payload, 2, one.size(), "a\n1\n3\n");
  length[one.size()] ^= 1;
  check(length, 2, one.size(), "a\n1\n");
  check(whole.substr(0, whole.size() - three.size() / 2), 3, one.size() + two.size(), "a\n1\n2\n");
  check(whole + "\x01\x02", 4, whole.size(), "a\n1\n2\n3\n");
  const std::string all_gone = put("g.tfrecord", length.substr(one.size()));
  expect_error(
      Code::kInvalidArgument, [&] { open_table(all_gone, {.skip_damaged = true}); },
      "no record that is not damaged");
}

TEST_F(TableKindsTest, SqliteQueriesAreTables) {
  const std::string path = folder_ / "t db.sqlite";
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database,
                         "CREATE TABLE \"my t\" (id INTEGER, w REAL, n TEXT, m);"
                         "INSERT INTO \"my t\" VALUES (9007199254740993, 1.5, 'a', NULL),"
                         "(2, 2, 'NA', 3), (3, NULL, 'c', 0.5)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const std::string all = "id,w,n,m\n9007199254740993,1.5,a,\n2,2,,3\n3,,c,0.5\n";
  const auto source = open_table("sqlite:" + path + "?table=my t");
  EXPECT_EQ(types_of(source->columns()), "id:integer w:real n:text m:real");
  EXPECT_EQ(source->rows(), 3);
  EXPECT_EQ(to_csv(source->read_all()), all);
  EXPECT_EQ(to_csv(read_table(path)), all);
  EXPECT_EQ(to_csv(read_table("sqlite:" + path +
                              "?query=SELECT n, id * 2 AS d FROM \"my t\" WHERE w IS NOT NULL")),
            "n,d\na,18014398509481986\n,4\n");

  const auto expect_failure = [&](const std::string& query, Code code, const std::string& words) {
    expect_error(
        code, [&] { open_table("sqlite:" + path + query); }, path, words);
  };
  expect_failure("?query=SELEC 1", Code::kInvalidArgument, "syntax error");
  expect_failure("?query=SELECT x FROM nope", Code::kInvalidArgument, "no such table: nope");
  expect_failure("?query=DELETE FROM \"my t\"", Code::kInvalidArgument, "give a SELECT");
  expect_failure("?query=SELECT 1; DROP TABLE \"my t\"", Code::kInvalidArgument, "more than one");
  expect_failure("?query=SELECT id, id FROM \"my t\"", Code::kInvalidArgument, "two columns");
  expect_failure("?query=SELECT x'00' AS b", Code::kInvalidArgument, "BLOB");
  expect_failure("?query=SELECT 1 AS a WHERE 0", Code::kInvalidArgument, "no row");
  expect_failure("?table=myt", Code::kNotFound, "'my t'");
  expect_error(
      Code::kNotFound, [&] { open_table("sqlite:" + (folder_ / "no.db")); }, "no.db");
  expect_error(
      Code::kDataLoss, [&] { open_table("sqlite:" + put("x.db", "a,b\n1,2\n") + "?table=a"); },
      "not a database");
  EXPECT_EQ(read_table(path).rows(), 3);  // nothing was deleted
}

TEST_F(TableKindsTest, WhatIsNotReadIsNamed) {
  expect_error(
      Code::kUnimplemented, [&] { open_table(put("x", "PAR1....")); }, "Parquet", "CSV");
  expect_error(
      Code::kUnimplemented, [&] { open_table(put("x.xlsx", "PK\x03\x04")); }, "spreadsheet");
}

TEST(TableNumbers, FastReadingsAgreeWithThePlainOnes) {
  Philox random(11);
  constexpr std::string_view kAlphabet = "0123456789012345678900...--e1";
  for (int i = 0; i < 300000; ++i) {
    std::string cell = "0123456789.123456789.12345";  // what lies before must not matter
    const size_t begin = cell.size();
    for (uint64_t k = 0, size = random.below(25); k < size; ++k)
      cell += kAlphabet[random.below(i % 2 == 0 ? 24 : kAlphabet.size())];
    const std::string_view text = std::string_view(cell).substr(begin);
    double fast = 0, plain = 0;
    ASSERT_EQ(fast_real(text, '.', fast), strict_real(text, '.', plain)) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(fast), std::bit_cast<uint64_t>(plain)) << text;
    int64_t fast_whole = 0, plain_whole = 0;
    const bool is_whole = strict_integer(text, plain_whole);
    ASSERT_EQ(fast_integer(text, fast_whole), is_whole) << text;
    if (is_whole) {
      ASSERT_EQ(fast_whole, plain_whole) << text;
    }
  }
}

}  // namespace
}  // namespace thalweg::data
