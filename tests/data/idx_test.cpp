#include "thalweg/data/idx.h"

#include <zlib.h>

#include "data_testing.h"

namespace thalweg::data {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string result;
  for (const int value : values) result += static_cast<char>(value);
  return result;
}

std::string gzip(const std::string& text) {
  z_stream zip{};
  EXPECT_EQ(deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&zip, text.size()), '\0');
  zip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zip.avail_in = static_cast<uInt>(text.size());
  zip.next_out = reinterpret_cast<Bytef*>(result.data());
  zip.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&zip, Z_FINISH), Z_STREAM_END);
  result.resize(zip.total_out);
  deflateEnd(&zip);
  return result;
}

/// Two images of 1 x 3, and their labels.
const std::string kImages =
    bytes({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255});
const std::string kLabels = bytes({0, 0, 8, 1, 0, 0, 0, 2, 7, 9});

class IdxTest : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& content) {
    put_file(folder_ / name, content);
    return folder_ / name;
  }
  void expect_failure(Code code, const std::string& content, const std::string& words) {
    const std::string path = put("bad", content);
    expect_error(
        code, [&] { read_idx_tensor(path); }, path, words);
  }
  TemporaryFolder folder_;
};

TEST_F(IdxTest, ReadsPlainAndGzipWhateverTheName) {
  EXPECT_EQ(read_idx_tensor(put("a", kImages)).to_string(),
            "uint8[2, 1, 3] [[[1, 2, 3]], [[4, 5, 255]]]");
  EXPECT_EQ(read_idx_tensor(put("b", gzip(kImages))).to_string(),
            "uint8[2, 1, 3] [[[1, 2, 3]], [[4, 5, 255]]]");
  EXPECT_EQ(read_idx_tensor(put("c.gz", kLabels)).to_string(), "uint8[2] [7, 9]");
}

TEST_F(IdxTest, ReadsGzipFilesJoinedEndToEnd) {
  EXPECT_EQ(read_idx_tensor(put("a", gzip(kImages.substr(0, 18)) + gzip(kImages.substr(18))))
                .num_elements(),
            6);
}

TEST_F(IdxTest, ReadsBigEndianTypes) {
  EXPECT_EQ(
      read_idx_tensor(put("a", bytes({0, 0, 0x0B, 1, 0, 0, 0, 2, 1, 2, 0xFF, 0xFE}))).to_string(),
      "int16[2] [258, -2]");
  EXPECT_EQ(read_idx_tensor(put("a", bytes({0, 0, 0x0C, 1, 0, 0, 0, 1, 0, 1, 0, 0}))).to_string(),
            "int32[1] [65536]");
  EXPECT_EQ(
      read_idx_tensor(put("a", bytes({0, 0, 0x0D, 1, 0, 0, 0, 1, 0x3F, 0x80, 0, 0}))).to_string(),
      "float32[1] [1]");
  EXPECT_EQ(read_idx_tensor(put("a", bytes({0, 0, 9, 1, 0, 0, 0, 0}))).shape(), Shape{0});
}

TEST_F(IdxTest, SaysWhatIsWrongWithAFile) {
  expect_failure(Code::kDataLoss, "", "ends inside its idx header");
  expect_failure(Code::kDataLoss, kImages.substr(0, 9), "ends inside its idx header");
  expect_failure(Code::kInvalidArgument, "label,pixel0\n1,2\n", "is no idx file");
  expect_failure(Code::kInvalidArgument, bytes({0, 0, 8, 0}), "rank 0");
  expect_failure(Code::kInvalidArgument, bytes({0, 0, 8, 9}), "rank 9");
  expect_failure(Code::kInvalidArgument, bytes({0, 0, 7, 1}), "is no idx file");
  expect_failure(Code::kDataLoss, kImages.substr(0, 20),
                 "shorter than its header says: uint8[2, 1, 3]");
  expect_failure(Code::kDataLoss, kImages + "x", "longer than its header says");
  expect_failure(Code::kDataLoss, bytes({0, 0, 0x0E, 2, 255, 255, 255, 255, 255, 255, 255, 255}),
                 "shorter");
  expect_failure(Code::kDataLoss, gzip(bytes({0, 0, 8, 1, 255, 255, 255, 255})), "at most");
  expect_failure(Code::kDataLoss, gzip(kImages.substr(0, 20)), "found 4 bytes");
  expect_error(
      Code::kNotFound, [&] { read_idx_tensor(folder_ / "none"); }, "none");
  expect_error(
      Code::kInvalidArgument, [&] { read_idx_tensor(folder_.path()); }, folder_.path());
}

TEST_F(IdxTest, FindsEveryTruncationAndFlippedBitOfAGzipFile) {
  const std::string good = gzip(kImages);
  for (size_t size = 2; size < good.size(); ++size) {
    const std::string path = put("cut", good.substr(0, size));
    expect_error(
        Code::kDataLoss, [&] { read_idx_tensor(path); }, path);
  }
  const Tensor expected = read_idx_tensor(put("good", good));
  size_t found = 0;
  for (size_t i = 10; i < good.size();
       ++i) {  // after the gzip header, which holds times and names that matter to nobody
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const std::string path = put("flipped", bad);
      try {  // a few bits only pad the last byte
        EXPECT_TRUE(read_idx_tensor(path).same_bits(expected)) << "byte " << i << ", bit " << bit;
      } catch (const Error&) {
        ++found;
      }
    }
  }
  EXPECT_GE(found, 8 * (good.size() - 11));
}

TEST_F(IdxTest, PairsImagesAndLabels) {
  const std::string images = put("images", kImages);
  const Dataset dataset = read_idx(images, put("labels", gzip(kLabels)));
  EXPECT_EQ(to_string(dataset.spec()), "features uint8[1, 3], label int64[]");
  EXPECT_EQ(dataset.iterate({.index = 1}).next()->at(1).item<int64_t>(), 9);
  const std::string three = put("three", bytes({0, 0, 8, 1, 0, 0, 0, 3, 7, 9, 1}));
  expect_error(
      Code::kInvalidArgument, [&] { read_idx(images, three); }, "holds 2 examples", "3 labels");
  expect_error(
      Code::kInvalidArgument, [&] { read_idx(three, images); }, images, "wrong way round");
}

TEST_F(IdxTest, FindsTheFilesOfAFolder) {
  put("train-images-idx3-ubyte.gz", gzip(kImages));
  put("train-labels.idx1-ubyte", kLabels);
  EXPECT_EQ(read_idx_folder(folder_.path(), Split::kTrain).size(), 2);
  expect_error(
      Code::kNotFound, [&] { read_idx_folder(folder_.path(), Split::kTest); }, folder_.path(),
      "no images for testing", "t10k-images-idx3-ubyte,", "t10k-images-idx3-ubyte.gz",
      "t10k-labels-idx1-ubyte");
  put("t10k-images-idx3-ubyte", kImages);
  expect_error(
      Code::kNotFound, [&] { read_idx_folder(folder_.path(), Split::kTest); },
      "no labels for testing", "t10k-labels-idx1-ubyte.gz");
  expect_error(
      Code::kNotFound, [&] { read_idx_folder(folder_ / "none", Split::kTrain); }, "no such folder");
  expect_error(
      Code::kInvalidArgument,
      [&] { read_idx_folder(folder_ / "train-labels.idx1-ubyte", Split::kTrain); }, "is a file");
}

}  // namespace
}  // namespace thalweg::data
