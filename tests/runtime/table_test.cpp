// Look-up tables through a session: what TensorFlow's tables do, and what their errors say.
#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/table.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

Tensor words(std::initializer_list<std::string> values) { return Tensor::of<std::string>(values); }
Tensor ints(std::initializer_list<int64_t> values) { return Tensor::of<int64_t>(values); }

class TableTest : public ::testing::Test {
 protected:
  Output value(Tensor tensor) { return constant(graph_, std::move(tensor)); }
  Output find(Output table, Tensor keys, Tensor otherwise) {
    return lookup_table_find(table, value(std::move(keys)), value(std::move(otherwise)));
  }

  Graph graph_{standard_ops()};
  Session session_{graph_};
};

TEST_F(TableTest, GivesValuesAndTheDefault) {
  const Output table = hash_table(graph_, kString, kInt64);
  Node& fill = initialize_table(table, value(words({"a", std::string("\0", 1), ""})),
                                value(ints({1, 2, 3})));
  const Output found =
      find(table, words({"", "zebra", std::string("\0", 1), "a"}), Tensor(int64_t{-1}));
  const Output size = lookup_table_size(table);
  session_.run(fill);
  EXPECT_EQ(session_.run(found).to_string(), "int64[4] [3, -1, 2, 1]");
  EXPECT_EQ(session_.run(size).item<int64_t>(), 3);
}

TEST_F(TableTest, OfIntegersAndNumbersKeepsShapes) {
  const Output table = hash_table(graph_, kInt32, kFloat32);
  Node& fill = initialize_table(table, value(Tensor::of<int32_t>({5, -7})),
                                value(Tensor::of<float>({0.5f, 1.5f})));
  const Output found = find(table, Tensor::of<int32_t>({5, 0, -7, 5}, Shape{2, 2}), Tensor(9.0f));
  EXPECT_EQ(found.shape(), (Shape{2, 2}));
  session_.run(fill);
  EXPECT_EQ(session_.run(found).to_string(), "float32[2, 2] [[0.5, 9], [1.5, 0.5]]");
}

TEST_F(TableTest, IsAnErrorBeforeItIsFilled) {
  const Output table = hash_table(graph_, kString, kInt64, {.name = "vocabulary"});
  const Output found = find(table, words({"a"}), Tensor(int64_t{0}));
  expect_error(
      Code::kFailedPrecondition, [&] { session_.run(found); }, "vocabulary", "initializer");
}

TEST_F(TableTest, RefusesTwoValuesForOneKey) {
  const Output table = hash_table(graph_, kString, kInt64);
  Node& twice = initialize_table(table, value(words({"a", "a"})), value(ints({1, 2})));
  expect_error(
      Code::kFailedPrecondition, [&] { session_.run(twice); }, "key a", "two different");
  // The failure left the table as it was.
  Node& fill = initialize_table(table, value(words({"a", "a"})), value(ints({3, 3})));
  const Output size = lookup_table_size(table);
  EXPECT_EQ(session_.run(size).item<int64_t>(), 0);
  session_.run(fill);
  EXPECT_EQ(session_.run(size).item<int64_t>(), 1);
}

TEST_F(TableTest, MayBeFilledAgainWithTheSameEntriesOnly) {
  const Output table = hash_table(graph_, kString, kInt64);
  Node& fill = initialize_table(table, value(words({"a"})), value(ints({1})));
  Node& other = initialize_table(table, value(words({"a"})), value(ints({2})));
  session_.run(fill);
  session_.run(fill);
  expect_error(
      Code::kFailedPrecondition, [&] { session_.run(other); }, "filled already");
}

TEST_F(TableTest, OfOneNameIsOneTable) {
  const Output first = hash_table(graph_, kString, kInt64, {.shared_name = "shared"});
  const Output second = hash_table(graph_, kString, kInt64, {.shared_name = "shared"});
  const Output third = hash_table(graph_, kString, kInt64);
  Node& fill = initialize_table(first, value(words({"a"})), value(ints({1})));
  session_.run(fill);
  EXPECT_EQ(session_.run(lookup_table_size(second)).item<int64_t>(), 1);
  EXPECT_EQ(session_.run(lookup_table_size(third)).item<int64_t>(), 0);
}

TEST_F(TableTest, SeesWhatAnotherHandleOfItsNameWrites) {
  const Output first = mutable_hash_table(graph_, kString, kInt64, {.shared_name = "shared"});
  const Output second = mutable_hash_table(graph_, kString, kInt64, {.shared_name = "shared"});
  const Output keys = value(words({"a"}));
  const Output otherwise = value(Tensor(int64_t{-1}));
  const Output before = lookup_table_find(second, keys, otherwise);
  Node& insert = lookup_table_insert(first, keys, value(ints({7})));
  const Output after = lookup_table_find(second, keys, otherwise);
  const auto results = session_.run({}, {before, after}, {&insert});
  EXPECT_EQ(results[0].to_string(), "int64[1] [-1]");
  EXPECT_EQ(results[1].to_string(), "int64[1] [7]");
}

TEST_F(TableTest, ChecksTypesWhenTheNodeIsAdded) {
  const Output table = hash_table(graph_, kString, kInt64, {.name = "vocabulary"});
  expect_error(
      Code::kInvalidArgument, [&] { find(table, words({"a"}), Tensor(0.0f)); }, "vocabulary",
      "value_dtype int64", "float32");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        initialize_table(table, value(words({"a", "b"})), value(ints({1})));
      },
      "[2] keys");
}

TEST_F(TableTest, ThatIsFilledOnceRefusesInserts) {
  const Output table = hash_table(graph_, kString, kInt64);
  Node& insert = lookup_table_insert(table, value(words({"a"})), value(ints({1})));
  expect_error(
      Code::kUnimplemented, [&] { session_.run(insert); }, "MutableHashTableV2");
}

TEST_F(TableTest, ThatIsMutableChangesInProgramOrder) {
  const Output table = mutable_hash_table(graph_, kString, kInt64);
  lookup_table_insert(table, value(words({"a", "b", "a"})), value(ints({1, 2, 3})));
  const Output before = find(table, words({"a", "b", "c"}), Tensor(int64_t{-1}));
  Node& remove = lookup_table_remove(table, value(words({"a", "nobody"})));
  const Output after = find(table, words({"a", "b", "c"}), Tensor(int64_t{-1}));
  Node& insert = *graph_.find("LookupTableInsertV2");
  const auto results = session_.run({}, {before, after}, {&insert, &remove});
  EXPECT_EQ(results[0].to_string(), "int64[3] [3, 2, -1]");
  EXPECT_EQ(results[1].to_string(), "int64[3] [-1, 2, -1]");
}

TEST_F(TableTest, ExportsAndImportsItsEntries) {
  const Output table = mutable_hash_table(graph_, kInt64, kString);
  Node& insert = lookup_table_insert(table, value(ints({7, 8, 9})), value(words({"x", "y", "z"})));
  Node& remove = lookup_table_remove(table, value(ints({8})));
  Node& again = lookup_table_insert(table, value(ints({4})), value(words({"w"})));
  const TableEntries entries = lookup_table_export(table, kInt64, kString);
  for (Node* node : {&insert, &remove, &again}) session_.run(*node);
  const auto exported = session_.run({}, {entries.keys, entries.values});
  EXPECT_EQ(exported[0].to_string(), "int64[3] [7, 4, 9]");
  EXPECT_EQ(exported[1].to_string(), "string[3] [\"x\", \"w\", \"z\"]");
  Node& import = lookup_table_import(table, value(ints({1})), value(words({"one"})));
  session_.run(import);
  EXPECT_EQ(session_.run(entries.keys).to_string(), "int64[1] [1]");
}

TEST_F(TableTest, HoldsTensors) {
  const Output table = mutable_hash_table(graph_, kString, kFloat32, {.value_shape = {2}});
  Node& insert = lookup_table_insert(table, value(words({"a", "b"})),
                                     value(Tensor::of<float>({1, 2, 3, 4}, Shape{2, 2})));
  const Output found = find(table, words({"b", "c"}), Tensor::of<float>({8, 9}));
  EXPECT_EQ(found.shape(), (Shape{2, 2}));
  session_.run(insert);
  EXPECT_EQ(session_.run(found).to_string(), "float32[2, 2] [[3, 4], [8, 9]]");
}

TEST_F(TableTest, GrowsPastItsFirstPlaces) {
  const Output table = mutable_hash_table(graph_, kInt64, kInt64);
  std::vector<int64_t> numbers(1000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i) * 3;
  const Tensor keys = Tensor::from(std::span<const int64_t>(numbers), Shape{1000});
  session_.run(lookup_table_insert(table, value(keys), value(keys)));
  EXPECT_EQ(session_.run(lookup_table_size(table)).item<int64_t>(), 1000);
  EXPECT_TRUE(session_.run(find(table, keys, Tensor(int64_t{-1}))).same_bits(keys));
}

class TextFileTest : public TableTest {
 protected:
  std::string file(const std::string& text) {
    write_file(folder_ / "vocabulary.txt", text);
    return folder_ / "vocabulary.txt";
  }
  TemporaryFolder folder_;
};

TEST_F(TextFileTest, NumbersTheLines) {
  const Output table = hash_table(graph_, kString, kInt64);
  Node& fill = initialize_table_from_text_file(table, file("the\r\nof\nand"), {.offset = 10});
  const Output found = find(table, words({"and", "the", "or"}), Tensor(int64_t{-1}));
  session_.run(fill);
  EXPECT_EQ(session_.run(found).to_string(), "int64[3] [12, 10, -1]");
}

TEST_F(TextFileTest, TakesColumns) {
  const Output table = hash_table(graph_, kString, kFloat32);
  Node& fill = initialize_table_from_text_file(
      table, file("x,a,1.5\ny,b,2.5\n"), {.key_index = 1, .value_index = 2, .delimiter = ','});
  session_.run(fill);
  EXPECT_EQ(session_.run(find(table, words({"b", "a"}), Tensor(0.0f))).to_string(),
            "float32[2] [2.5, 1.5]");
}

TEST_F(TextFileTest, GivesWholeLinesByNumber) {
  const Output table = hash_table(graph_, kInt64, kString);
  Node& fill = initialize_table_from_text_file(
      table, file("zero\none\ntwo\n"),
      {.key_index = kLineNumber, .value_index = kWholeLine, .vocab_size = 2});
  session_.run(fill);
  EXPECT_EQ(session_.run(find(table, ints({1, 2}), Tensor("?"))).to_string(),
            "string[2] [\"one\", \"?\"]");
}

TEST_F(TextFileTest, SaysWhatIsWrongAndWhere) {
  const auto fails = [&](DType value_type, TextFileOptions options, const std::string& text,
                         auto... words) {
    const Output table = hash_table(graph_, kString, value_type);
    Node& fill = initialize_table_from_text_file(table, file(text), options);
    expect_error(
        Code::kInvalidArgument, [&] { session_.run(fill); }, words...);
  };
  fails(kInt64, {}, "a\n\nb\n", "vocabulary.txt:2", "empty");
  fails(kInt64, {.vocab_size = 3}, "a\nb\n", "2 lines", "vocab_size is 3");
  fails(kInt64, {.key_index = 0, .value_index = 1}, "a\t1\nb\n", "vocabulary.txt:2", "2 columns");
  fails(kInt64, {.key_index = 0, .value_index = 1}, "a\t1\nb\tx\n", "vocabulary.txt:2", "`x`",
        "int64");
  fails(kFloat32, {}, "a\n", "line numbers", "float32");
  const Output table = hash_table(graph_, kString, kInt64);
  Node& missing = initialize_table_from_text_file(table, folder_ / "nothing.txt");
  expect_error(
      Code::kNotFound, [&] { session_.run(missing); }, "nothing.txt");
}

TEST_F(TableTest, OfTensorsUnderItsNodesName) {
  const Output table =
      graph_
          .add("AnonymousMutableHashTableOfTensors", {},
               {{"key_dtype", kString}, {"value_dtype", kFloat32}, {"value_shape", Shape{2}}})
          .output();
  Node& put = lookup_table_insert(table, value(words({"a"})),
                                  value(Tensor::of<float>({1, 2}, Shape{1, 2})));
  const Output found = find(table, words({"b", "a"}), Tensor::of<float>({-1, -2}));
  session_.run(put);
  EXPECT_EQ(session_.run(found).to_string(), "float32[2, 2] [[-1, -2], [1, 2]]");
}

class DenseTableTest : public TableTest {
 protected:
  Output dense(Tensor empty, Tensor deleted, Shape value_shape,
               const std::string& op = "MutableDenseHashTableV2") {
    const DType key = empty.dtype();
    return graph_
        .add(op, {value(std::move(empty)), value(std::move(deleted))},
             {{"key_dtype", key}, {"value_dtype", kInt64}, {"value_shape", value_shape}})
        .output();
  }
};

TEST_F(DenseTableTest, FindsInsertsAndRemoves) {
  for (const char* op : {"MutableDenseHashTableV2", "AnonymousMutableDenseHashTable"}) {
    const Output table = dense(Tensor(int64_t{0}), Tensor(int64_t{-1}), Shape{}, op);
    Node& put = lookup_table_insert(table, value(ints({11, 12, 13})), value(ints({1, 2, 3})));
    Node& take = lookup_table_remove(table, value(ints({12, 99})));
    const Output found = find(table, ints({13, 12, 11}), Tensor(int64_t{-7}));
    const Output size = lookup_table_size(table);
    session_.run(put);
    EXPECT_EQ(session_.run(size).item<int64_t>(), 3);
    session_.run(take);
    EXPECT_EQ(session_.run(found).to_string(), "int64[3] [3, -7, 1]");
    EXPECT_EQ(session_.run(size).item<int64_t>(), 2);
  }
}

TEST_F(DenseTableTest, HasVectorsAsKeysAndValues) {
  const Output table = dense(words({"", ""}), words({"-", "-"}), Shape{2});
  const Tensor keys = Tensor::of<std::string>({"a", "b", "ab", ""}, Shape{2, 2});
  Node& put = lookup_table_insert(table, value(keys),
                                  value(Tensor::of<int64_t>({1, 2, 3, 4}, Shape{2, 2})));
  const Tensor asked = Tensor::of<std::string>({"ab", "", "", "ab"}, Shape{2, 2});
  const Output found = find(table, asked, ints({-1, -2}));
  EXPECT_EQ(found.shape(), (Shape{2, 2}));
  const TableEntries entries = lookup_table_export(table, kString, kInt64);
  session_.run(put);
  EXPECT_EQ(session_.run(found).to_string(), "int64[2, 2] [[3, 4], [-1, -2]]");
  EXPECT_EQ(session_.run(entries.keys).to_string(), keys.to_string());
  EXPECT_EQ(session_.run(entries.values).to_string(), "int64[2, 2] [[1, 2], [3, 4]]");
}

TEST_F(DenseTableTest, KeepsTwoKeysForItself) {
  const Output table =
      dense(Tensor(int64_t{0}), Tensor(int64_t{-1}), Shape{}, "MutableDenseHashTableV2");
  for (int64_t key : {0, -1}) {
    Node& put = lookup_table_insert(table, value(ints({5, key})), value(ints({1, 2})));
    expect_error(
        Code::kInvalidArgument, [&] { session_.run(put); }, "key 1", "empty_key");
    const Output found = find(table, ints({key}), Tensor(int64_t{0}));
    expect_error(
        Code::kInvalidArgument, [&] { session_.run(found); }, "key 0", "deleted_key");
  }
  EXPECT_EQ(session_.run(lookup_table_size(table)).item<int64_t>(), 0);
}

TEST_F(DenseTableTest, WantsItsKeysAsConstants) {
  const Output empty = placeholder(graph_, kInt64, Shape{});
  const Output table = graph_
                           .add("MutableDenseHashTableV2", {empty, value(Tensor(int64_t{1}))},
                                {{"key_dtype", kInt64}, {"value_dtype", kInt64}})
                           .output();
  const Output size = lookup_table_size(table);
  expect_error(
      Code::kUnimplemented,
      [&] {
        session_.run(size, {{empty, Tensor(int64_t{0})}});
      },
      "empty_key", "constant");
}

}  // namespace
}  // namespace thalweg
