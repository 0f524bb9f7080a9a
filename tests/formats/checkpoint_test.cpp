#include "thalweg/formats/checkpoint.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "every_dtype.h"
#include "formats/slice_key.h"
#include "formats/table.h"
#include "hex.h"
#include "proto/tensor_bundle.pb.h"
#include "testing.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::from_hex;
using testing::TemporaryFolder;
using testing::to_hex;

std::vector<std::string> names(std::initializer_list<std::string> items) { return items; }

TEST(BundleWriter, WritesTheBytesThatTensorFlowWrites) {
  const TemporaryFolder folder;
  BundleWriter writer(folder / "m");
  writer.add("w", Tensor::of<float>({1, 2}));
  writer.finish();
  EXPECT_EQ(list_folder(folder.path()), names({"m.data-00000-of-00001", "m.index"}));
  EXPECT_EQ(to_hex(read_file(folder / "m.data-00000-of-00001")), "00 00 80 3f 00 00 00 40");
  const std::string index = from_hex(
      "00 00 06 08 01 1a 02 08 01 00 01 0f 77 08 01 12 04 12 02 08 02 28 08 35 59 3c e5 35 00 00 "
      "00 00 01 00 00 00 "
      "00 09 21 ad c3 00 00 00 00 01 00 00 00 00 c0 f2 a1 b0 00 01 02 78 00 24 00 00 00 00 01 00 "
      "00 00 00 ab 30 70 "
      "7f 29 08 36 0e");
  EXPECT_EQ(to_hex(read_file(folder / "m.index")),
            to_hex(index + std::string(36, '\0') + from_hex("57 fb 80 8b 24 75 47 db")));
}

TEST(BundleWriter, WritesStringsAsTensorFlowDoes) {
  const TemporaryFolder folder;
  BundleWriter writer(folder / "m");
  writer.add("s", Tensor::of<std::string>({"ab", "c"}));
  writer.finish();
  EXPECT_EQ(to_hex(read_file(folder / "m.data-00000-of-00001")), "02 01 03 71 7c 67 61 62 63");
  EXPECT_NE(read_file(folder / "m.index").find(from_hex("28 09 35 d5 30 d8 5f")),
            std::string::npos);
}

TEST(Checkpoint, EveryDTypeComesBack) {
  const TemporaryFolder folder;
  const std::vector<DType> dtypes = testing::number_dtypes();
  ASSERT_GE(dtypes.size(), 20u);
  BundleWriter writer(folder / "m");
  for (const DType dtype : dtypes) {
    writer.add(to_string(dtype), testing::pattern(dtype, {2, 3}));
  }
  writer.finish();
  const BundleReader reader(folder / "m");
  EXPECT_EQ(reader.names().size(), std::size(dtypes));
  for (const DType dtype : dtypes) {
    const auto entry = reader.find(to_string(dtype));
    ASSERT_TRUE(entry) << to_string(dtype);
    EXPECT_EQ(entry->dtype, dtype);
    EXPECT_EQ(entry->shape, (Shape{2, 3}));
    EXPECT_TRUE(reader.read(to_string(dtype)).same_bits(testing::pattern(dtype, {2, 3})))
        << to_string(dtype);
  }
}

TEST(Checkpoint, ScalarsEmptyTensorsAndStringsComeBack) {
  const TemporaryFolder folder;
  const Tensor strings =
      Tensor::of<std::string>({"", std::string("a\0b", 3), std::string(1000, 'x')}, {3, 1});
  BundleWriter writer(folder / "m");
  writer.add("scalar", int64_t{-7});
  writer.add("text", "größe");
  writer.add("strings", strings);
  writer.add("empty", Tensor(kFloat32, {0, 3}));
  writer.add("no strings", Tensor(kString, {0}));
  writer.finish();
  const BundleReader reader(folder / "m");
  EXPECT_EQ(reader.read("scalar").item<int64_t>(), -7);
  EXPECT_EQ(reader.read("text").item<std::string>(), "größe");
  EXPECT_TRUE(reader.read("strings").same_bits(strings));
  EXPECT_EQ(reader.read("empty").shape(), (Shape{0, 3}));
  EXPECT_EQ(reader.read("no strings").shape(), (Shape{0}));
}

TEST(Checkpoint, NamesAreSortedAsBytesWhateverTheOrderOfAdding) {
  const TemporaryFolder folder;
  BundleWriter writer(folder / "m");
  for (const char* name : {"b", "\xc3\xa4", "a/kernel", "B", "a"})
    writer.add(name, std::string(name));
  writer.finish();
  const BundleReader reader(folder / "m");
  EXPECT_EQ(reader.names(), names({"B", "a", "a/kernel", "b", "\xc3\xa4"}));
  for (const std::string& name : reader.names())
    EXPECT_EQ(reader.read(name).item<std::string>(), name);
}

TEST(Checkpoint, HoldsThousandsOfTensors) {
  const TemporaryFolder folder;
  BundleWriter writer(folder / "m");
  for (int i = 0; i < 20000; ++i) writer.add(str("layer", i, "/kernel"), static_cast<float>(i));
  writer.finish();
  const BundleReader reader(folder / "m");
  EXPECT_EQ(reader.names().size(), 20000u);
  for (const int i : {0, 1, 9999, 19999})
    EXPECT_EQ(reader.read(str("layer", i, "/kernel")).item<float>(), i);
}

TEST(Checkpoint, NoTensorsAreACheckpointToo) {
  const TemporaryFolder folder;
  BundleWriter(folder / "m").finish();
  EXPECT_TRUE(BundleReader(folder / "m").names().empty());
}

TEST(BundleWriter, RefusesNamesAndTensorsThatCannotBe) {
  const TemporaryFolder folder;
  BundleWriter writer(folder / "m");
  writer.add("w", 1.0f);
  expect_error(
      Code::kAlreadyExists, [&] { writer.add("w", 2.0f); }, "`w`");
  expect_error(
      Code::kInvalidArgument, [&] { writer.add("", 2.0f); }, "empty");
  expect_error(
      Code::kInvalidArgument, [&] { writer.add(std::string_view("\0w", 2), 2.0f); }, "zero byte");
  expect_error(
      Code::kInvalidArgument, [&] { writer.add("nothing", Tensor()); }, "`nothing`",
      "holds nothing");
  writer.finish();
  expect_error(
      Code::kFailedPrecondition, [&] { writer.add("late", 2.0f); }, "finished");
  EXPECT_EQ(BundleReader(folder / "m").read("w").item<float>(), 1.0f);
}

TEST(BundleReader, NamesWhatIsNotThere) {
  const TemporaryFolder folder;
  expect_error(
      Code::kNotFound, [&] { BundleReader(folder / "m"); }, folder / "m.index");
  BundleWriter writer(folder / "m");
  writer.add("fc1/kernel", 1.0f);
  writer.finish();
  const BundleReader reader(folder / "m");
  expect_error(
      Code::kNotFound, [&] { reader.read("fc1/kernal"); }, "`fc1/kernal`",
      "did you mean `fc1/kernel`?");
  expect_error(Code::kNotFound, [&] { reader.read(""); });
  EXPECT_FALSE(reader.find("fc1/kernal"));
  EXPECT_FALSE(reader.find(""));
  remove_file(folder / "m.data-00000-of-00001");
  expect_error(
      Code::kNotFound, [&] { BundleReader(folder / "m"); }, "m.data-00000-of-00001");
}

TEST(RemoveCheckpoint, TakesItsFilesOnly) {
  const TemporaryFolder folder;
  for (const char* name : {"m-1", "m-10"}) {
    BundleWriter writer(folder / name);
    writer.add("w", 1.0f);
    writer.finish();
  }
  EXPECT_TRUE(checkpoint_exists(folder / "m-1"));
  EXPECT_TRUE(remove_checkpoint(folder / "m-1"));
  EXPECT_FALSE(checkpoint_exists(folder / "m-1"));
  EXPECT_FALSE(remove_checkpoint(folder / "m-1"));
  EXPECT_EQ(list_folder(folder.path()), names({"m-10.data-00000-of-00001", "m-10.index"}));
}

TEST(BundleReader, ReadsWhatTensorFlowWrote) {
  const BundleReader reader(THALWEG_GOLDEN "/kinds");
  EXPECT_EQ(reader.names(), names({"b", "bf", "d", "h", "i", "u"}));
  EXPECT_TRUE(reader.read("b").same_bits(Tensor::of<bool>({true, false})));
  EXPECT_TRUE(reader.read("bf").same_bits(Tensor::of<float>({1.5, -2}).cast(kBFloat16)));
  EXPECT_TRUE(reader.read("d").same_bits(Tensor::of<double>({1, 2}, {2, 1})));
  EXPECT_TRUE(reader.read("h").same_bits(Tensor::of<float>({0.5}).cast(kFloat16)));
  EXPECT_EQ(reader.read("i").item<int64_t>(), 7);
  EXPECT_EQ(reader.read("u").at(0), 200);
}

TEST(BundleReader, PutsPartitionedVariablesTogetherAcrossShards) {
  const BundleReader reader(THALWEG_GOLDEN "/partitioned");
  EXPECT_EQ(reader.names(), names({"s", "w", "wide"}));
  const auto entry = reader.find("wide");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->shape, (Shape{2, 70}));
  EXPECT_TRUE(reader.read("w").same_bits(
      Tensor::of<int16_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {6, 2})));
  const Tensor wide = reader.read("wide");
  for (int i = 0; i < 140; ++i) EXPECT_EQ(wide.data<float>()[i], i);
  EXPECT_TRUE(reader.read("s").same_bits(Tensor::of<std::string>({"ab", "c"})));
}

// A checkpoint of `w`, four numbers, in parts of two, which begin at these places.
void save_parts(const std::string& prefix, std::initializer_list<int64_t> starts) {
  BundleWriter writer(prefix);
  for (const int64_t start : starts) {
    const auto number = static_cast<float>(start);
    writer.add(str("part", start), Tensor::of<float>({number, number + 1}));
  }
  writer.finish();
  std::map<std::string, std::string, std::less<>> entries;
  read_table(read_file(prefix + ".index"), [&](std::string_view key, std::string_view value) {
    entries[std::string(key)] = value;
  });
  tensorflow::BundleEntryProto whole;
  whole.set_dtype(tensorflow::DT_FLOAT);
  whole.mutable_shape()->add_dim()->set_size(4);
  for (const int64_t start : starts) {
    auto& extent = *whole.add_slices()->add_extent();
    extent.set_start(start);
    extent.set_length(2);
    entries[slice_key("w", std::vector<Extent>{{start, 2}})] = entries.at(str("part", start));
  }
  entries["w"] = whole.SerializeAsString();
  write_file(prefix + ".index", encode_table(entries));
}

// As many elements as the whole do not make the whole.
TEST(BundleReader, RefusesPartsThatOverlap) {
  const TemporaryFolder folder;
  save_parts(folder / "good", {2, 0});
  EXPECT_TRUE(BundleReader(folder / "good").read("w").same_bits(Tensor::of<float>({0, 1, 2, 3})));
  save_parts(folder / "bad", {0, 1});
  expect_error(
      Code::kDataLoss, [&] { BundleReader(folder / "bad").read("w"); }, "`w`", "overlap");
}

TEST(BundleReader, RefusesPartsSaidTwice) {
  const TemporaryFolder folder;
  save_parts(folder / "m", {0});
  std::map<std::string, std::string, std::less<>> entries;
  read_table(read_file(folder / "m.index"), [&](std::string_view key, std::string_view value) {
    entries[std::string(key)] = value;
  });
  tensorflow::BundleEntryProto whole;
  ASSERT_TRUE(whole.ParseFromString(entries.at("w")));
  const tensorflow::TensorSliceProto part = whole.slices(0);
  *whole.add_slices() = part;
  entries["w"] = whole.SerializeAsString();
  write_file(folder / "m.index", encode_table(entries));
  expect_error(
      Code::kDataLoss, [&] { BundleReader(folder / "m").read("w"); }, "`w`", "overlap");
}

// Checkpoints of many programs, where the data folder is at hand (THALWEG_DATA).
TEST(BundleReader, ReadsCheckpointsFoundInTheWild) {
  const char* const data = std::getenv("THALWEG_DATA");
  if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
  const std::string folder = join_path(data, "checkpoints");
  const std::pair<const char*, size_t> expected[] = {
      {"bert_lite_tf2/bert_lite_tf2.ckpt", 0},  // with Snappy blocks
      {"mnist_softmax_regression/regression.ckpt", 2},
      {"mnist_quantization_aware/model.ckpt-46900", 0},
      {"embedding/embedding.ckpt", 0},
      {"taxi_estimator/model.ckpt-1000", 0},
      {"profiler/ckpt", 0}};
  for (const auto& [name, count] : expected) {
    const BundleReader reader(join_path(folder, name));
    EXPECT_GT(reader.names().size(), 0u) << name;
    if (count != 0) {
      EXPECT_EQ(reader.names().size(), count) << name;
    }
    for (const std::string& tensor : reader.names()) {
      EXPECT_EQ(reader.read(tensor).shape(), reader.find(tensor)->shape) << name << " " << tensor;
    }
  }
  const BundleReader softmax(join_path(folder, "mnist_softmax_regression/regression.ckpt"));
  EXPECT_EQ(softmax.read(softmax.names()[0]).shape(), (Shape{784, 10}));
}

}  // namespace
}  // namespace thalweg
