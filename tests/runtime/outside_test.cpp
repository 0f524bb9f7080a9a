// Ops that reach outside the graph: files, checkpoints, the clock, the console.
#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/file.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

class OutsideTest : public ::testing::Test {
 protected:
  Output value(Tensor tensor) { return constant(graph_, std::move(tensor)); }
  Output texts(std::initializer_list<std::string> values) {
    return value(Tensor::of<std::string>(values));
  }
  Node& save(const std::string& prefix, std::initializer_list<std::string> names,
             std::initializer_list<std::string> slices, const std::vector<Tensor>& tensors) {
    std::vector<Output> inputs{value(prefix), texts(names), texts(slices)};
    for (const Tensor& tensor : tensors) inputs.push_back(value(tensor));
    return graph_.add("SaveV2", inputs);
  }
  Node& restore(const std::string& prefix, std::initializer_list<std::string> names,
                std::initializer_list<std::string> slices, const std::vector<DType>& dtypes) {
    return graph_.add("RestoreV2", {value(prefix), texts(names), texts(slices)},
                      {{"dtypes", dtypes}});
  }

  TemporaryFolder folder_;
  Graph graph_{standard_ops()};
  std::string printed_;
  Session session_{graph_, {.print = [this](std::string_view text) { append(printed_, text); }}};
};

TEST_F(OutsideTest, SavesAndRestoresTensors) {
  const std::string prefix = folder_ / "new/folder/model-1";
  const Tensor matrix = Tensor::of<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  session_.run(save(prefix, {"w", "names"}, {"", "2 0,2"},
                    {matrix, Tensor::of<std::string>({std::string("a\0b", 3), ""})}));
  Node& read = restore(prefix, {"names", "w"}, {"", ""}, {kString, kFloat32});
  const auto values = session_.run({}, {read.output(0), read.output(1)});
  EXPECT_EQ(values[0].data<std::string>()[0].size(), 3u);
  EXPECT_TRUE(values[1].same_bits(matrix));
}

TEST_F(OutsideTest, RestoresParts) {
  const std::string prefix = folder_ / "model";
  session_.run(save(prefix, {"w"}, {""}, {Tensor::of<int32_t>({1, 2, 3, 4, 5, 6}, Shape{2, 3})}));
  Node& part = restore(prefix, {"w"}, {"2 3 -:1,2"}, {kInt32});
  EXPECT_EQ(session_.run(part.output()).to_string(), "int32[2, 2] [[2, 3], [5, 6]]");
  const auto fails = [&](const std::string& slice, auto... words) {
    Node& node = restore(prefix, {"w"}, {slice}, {kInt32});
    expect_error(
        Code::kInvalidArgument, [&] { session_.run(node.output()); }, words...);
  };
  fails("2 3 -:2,2", "2,2", "[2, 3]");
  fails("what", "what");
}

TEST_F(OutsideTest, SaysWhatACheckpointLacks) {
  const std::string prefix = folder_ / "model";
  session_.run(save(prefix, {"kernel"}, {""}, {Tensor(1.0f)}));
  Node& missing = restore(prefix, {"kernels"}, {""}, {kFloat32});
  expect_error(
      Code::kNotFound, [&] { session_.run(missing.output()); }, "kernels");
  Node& wrong = restore(prefix, {"kernel"}, {""}, {kInt32});
  expect_error(
      Code::kInvalidArgument, [&] { session_.run(wrong.output()); }, "float32", "int32");
  Node& part = save(prefix, {"w"}, {"4 0,2"}, {Tensor::of<float>({1, 2})});
  expect_error(
      Code::kUnimplemented, [&] { session_.run(part); }, "part");
}

TEST_F(OutsideTest, MergesCheckpoints) {
  const std::string parts = folder_ / "parts";
  const std::string whole = folder_ / "whole";
  session_.run(save(parts + "/a", {"x"}, {""}, {Tensor(1.0f)}));
  session_.run(save(parts + "/b", {"y"}, {""}, {Tensor(2.0f)}));
  session_.run(
      graph_.add("MergeV2Checkpoints", {texts({parts + "/a", parts + "/b"}), value(whole)}));
  EXPECT_FALSE(is_folder(parts));
  EXPECT_EQ(BundleReader(whole).names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(BundleReader(whole).read("y").item<float>(), 2.0f);
}

TEST_F(OutsideTest, WritesAndReadsFilesInProgramOrder) {
  const Output path = value(folder_ / "a/b.bin");
  Node& write = write_file(path, value(std::string("x\0y", 3)));
  const Output contents = read_file(path);
  const auto results = session_.run({}, {contents}, {&write});
  EXPECT_EQ(results[0].item<std::string>(), std::string("x\0y", 3));
  const Output missing = read_file(value(folder_ / "none"));
  expect_error(
      Code::kNotFound, [&] { session_.run(missing); }, "none");
}

TEST_F(OutsideTest, FindsFilesByPattern) {
  for (const char* name : {"one/a1.txt", "one/a2.txt", "two/a3.txt", "two/b.txt", "two/.a4.txt"}) {
    make_folders(folder_name(folder_ / name));
    write_file(folder_ / name, "");
  }
  const auto count = [&](const std::string& pattern) {
    return session_.run(matching_files(value(folder_ / pattern))).num_elements();
  };
  EXPECT_EQ(count("*/a?.txt"), 3);
  EXPECT_EQ(count("one/*"), 2);
  EXPECT_EQ(count("two/[b-z].txt"), 1);
  EXPECT_EQ(count("two/b.txt"), 1);
  EXPECT_EQ(count("none/*"), 0);
  const Tensor sorted =
      session_.run(matching_files(texts({folder_ / "two/a*", folder_ / "one/*"})));
  EXPECT_EQ(base_name(sorted.data<std::string>()[0]), "a1.txt");
  EXPECT_EQ(sorted.num_elements(), 3);
}

TEST_F(OutsideTest, TellsTheTimeOfEachRun) {
  const Output first = timestamp(graph_);
  const Output second = timestamp(graph_);
  const auto times = session_.run({}, {first, second});
  EXPECT_GT(times[0].item<double>(), 1.4e9);
  EXPECT_LE(times[0].item<double>(), times[1].item<double>());
}

TEST_F(OutsideTest, PrintsToTheSessionOrAFile) {
  session_.run(graph_.add("PrintV2", {value("hello")}));
  session_.run(graph_.add("PrintV2", {value("more")}, {{"end", std::string("!")}}));
  EXPECT_EQ(printed_, "hellomore!");
  const std::string path = folder_ / "log";
  Node& file = graph_.add("PrintV2", {value("line")}, {{"output_stream", "file://" + path}});
  session_.run(file);
  session_.run(file);
  EXPECT_EQ(read_file(path), "line\nline\n");
}

}  // namespace
}  // namespace thalweg
