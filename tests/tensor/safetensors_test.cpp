#include "thalweg/tensor/safetensors.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "testing.h"
#include "thalweg/base/file.h"

namespace thalweg::testing {
namespace {

std::string file_of(const std::string& header, const std::string& data, uint64_t length) {
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}
std::string file_of(const std::string& header, const std::string& data) {
  return file_of(header, data, header.size());
}

class Safetensors : public ::testing::Test {
 protected:
  template <class... Words>
  void expect_refused(const std::string& bytes, const Words&... words) {
    write_file(path_, bytes);
    expect_error(
        Code::kDataLoss, [&] { SafetensorsReader reader(path_); }, words...);
  }
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "model.safetensors";
};

TEST_F(Safetensors, KeepsTensorsAndNotes) {
  const Tensor half = Tensor::of<BFloat16>({BFloat16(1.5f), BFloat16(-2)});
  write_safetensors(path_,
                    {{"b", half},
                     {"a", Tensor::of<float>({1, 2, 3, 4}, {2, 2})},
                     {"flag", Tensor(true)},
                     {"none", Tensor::zeros(kInt64, {0})}},
                    {{"format", "thalweg"}});
  const SafetensorsReader reader(path_);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"a", "b", "flag", "none"}));
  EXPECT_EQ(reader.metadata().at("format"), "thalweg");
  EXPECT_TRUE(reader.read("a").same_bits(Tensor::of<float>({1, 2, 3, 4}, {2, 2})));
  EXPECT_TRUE(reader.read("b").same_bits(half));
  EXPECT_TRUE(reader.read("flag").same_bits(Tensor(true)));
  EXPECT_EQ(reader.entry("none").shape, (Shape{0}));
  expect_error(
      Code::kNotFound, [&] { reader.read("flap"); }, "did you mean 'flag'");
}

TEST_F(Safetensors, WritesTheSameBytesWideElementsFirst) {
  write_safetensors(path_, {{"a", Tensor(true)}, {"z", Tensor(1.0)}});
  const std::string bytes = read_file(path_);
  EXPECT_LT(bytes.find("\"z\""), bytes.find("\"a\""));
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
}

// The reference writer sorts by its own numbers of the element types, then by name.
TEST_F(Safetensors, WritesInTheOrderOfTheReference) {
  write_safetensors(path_, {{"a", Tensor(1.0f)},
                            {"b", Tensor(uint32_t{1})},
                            {"c", Tensor(int32_t{1})},
                            {"d", Tensor(1.0f)},
                            {"e", Tensor(int64_t{1})},
                            {"f", Tensor(1.0)}});
  const std::string bytes = read_file(path_);
  size_t last = 0;
  for (const char* name : {"\"e\"", "\"f\"", "\"a\"", "\"d\"", "\"b\"", "\"c\""}) {
    const size_t at = bytes.find(name);
    EXPECT_GT(at, last) << name;
    last = at;
  }
}

TEST_F(Safetensors, SaysWhatIsWrong) {
  const std::string one = R"("a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]})";
  expect_refused(file_of("{" + one + ", " + one + "}", "1234"), "names 'a' twice");
  expect_refused("\x89HDF\r\n\x1a\n........", "HDF5");
  expect_refused("PK\x03\x04.............", "ZIP");
  expect_refused(std::string("\x80\x02}q\x00.........", 14), "pickle");
  expect_refused(file_of("{}", "", uint64_t{1} << 60), "claims 1152921504606846976 bytes");
  expect_refused(
      file_of("{" + one + R"(, "b": {"dtype": "F32", "shape": [1], "data_offsets": [2, 6]}})",
              "123456"),
      "overlap");
  expect_refused(
      file_of("{" + one + R"(, "b": {"dtype": "U8", "shape": [1], "data_offsets": [5, 6]}})",
              "123456"),
      "hole");
  expect_refused(file_of("{" + one + "}", "12345678"), "take 4 bytes", "holds 8");
  expect_refused(
      file_of(R"({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 4]}})", "1234"),
      "needs 12 bytes");
  expect_refused(
      file_of(
          R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]}})",
          "1234"),
      "too large");
  expect_refused(file_of(R"({"a": {"dtype": "F33", "shape": [], "data_offsets": [0, 4]}})", "1234"),
                 "F33");
  expect_refused(file_of(R"({"a": )", ""), "no JSON");
}

TEST_F(Safetensors, RefusesElementTypesItLacksOnlyWhenTheyAreWanted) {
  write_file(path_, file_of(R"({"a": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]},)"
                            R"( "b": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]}})",
                            "123"));
  const SafetensorsReader reader(path_);
  EXPECT_EQ(reader.read("b").at(0), '3');
  expect_error(
      Code::kUnimplemented, [&] { reader.read("a"); }, "F8_E4M3");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        write_safetensors(path_, {{"s", Tensor("text")}});
      },
      "cast");
}

TEST_F(Safetensors, SurvivesTruncationAtEveryByte) {
  write_safetensors(path_, {{"a", Tensor::of<float>({1, 2})}});
  const std::string whole = read_file(path_);
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_THROW(SafetensorsReader reader(path_), Error) << size;
  }
}

TEST_F(Safetensors, ReadsFilesOfOthers) {
  const char* const data = std::getenv("THALWEG_DATA");
  if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
  const SafetensorsReader t5(join_path(data, "safetensors/tiny_t5.safetensors"));
  EXPECT_EQ(t5.names().size(), 47U);
  for (const std::string& name : t5.names()) EXPECT_EQ(t5.read(name).dtype(), kFloat32);
  EXPECT_EQ(SafetensorsReader(join_path(data, "safetensors/dfdx_mnist.safetensors")).names().size(),
            8U);
  EXPECT_EQ(SafetensorsReader(join_path(data, "safetensors/djl_list.safetensors")).names().size(),
            2U);
}

}  // namespace
}  // namespace thalweg::testing
