#include "formats/slice_key.h"

#include <limits>
#include <vector>

#include "every_dtype.h"
#include "formats/slice_copy.h"
#include "hex.h"
#include "testing.h"

namespace thalweg {
namespace {

using testing::to_hex;

std::string key(std::string_view name, std::vector<Extent> extents) {
  return to_hex(slice_key(name, extents));
}

TEST(SliceKey, IsTensorFlowsOrderedCode) {
  EXPECT_EQ(key("w", {{0, 5}, {0, -1}}), "00 77 00 01 01 02 80 85 80 7f");
  // Both seen in a checkpoint by TensorFlow 2.21.
  EXPECT_EQ(key("wide", {{0, -1}, {64, 6}}), "00 77 69 64 65 00 01 01 02 80 7f c0 40 86");
  EXPECT_EQ(key("wide", {{0, 2}, {0, 64}}), "00 77 69 64 65 00 01 01 02 80 82 80 c0 40");
}

TEST(SliceKey, EscapesTheBytesThatDelimit) {
  EXPECT_EQ(key(std::string_view("a\0b\xff", 4), {}), "00 61 00 ff 62 ff 00 00 01 00");
}

TEST(SliceKey, LongerNumbersTakeMoreBytesAndSortOutwards) {
  const auto code = [](int64_t value) {
    return slice_key("", std::vector<Extent>{{value, 0}}).substr(5);
  };
  EXPECT_EQ(code(63).size(), 2u);  // with the length's byte
  EXPECT_EQ(code(64).size(), 3u);
  EXPECT_EQ(code(8191).size(), 3u);
  EXPECT_EQ(code(8192).size(), 4u);
  EXPECT_EQ(code(std::numeric_limits<int64_t>::max()).size(), 11u);
  const int64_t rising[] = {std::numeric_limits<int64_t>::min(),
                            -1000000,
                            -8193,
                            -8192,
                            -65,
                            -64,
                            -1,
                            0,
                            1,
                            63,
                            64,
                            8191,
                            8192,
                            1048575,
                            1048576,
                            int64_t{1} << 40,
                            std::numeric_limits<int64_t>::max()};
  for (size_t i = 1; i < std::size(rising); ++i)
    EXPECT_LT(code(rising[i - 1]), code(rising[i])) << rising[i];
}

TEST(CopySlice, PutsAPartIntoItsPlace) {
  Tensor whole = Tensor::zeros(kInt32, {2, 3, 2});
  const std::vector<Extent> middle = {{0, -1}, {1, 1}, {1, 1}};
  EXPECT_TRUE(copy_slice(Tensor::of<int32_t>({7, 8}, {2, 1, 1}), middle, whole));
  EXPECT_TRUE(
      whole.same_bits(Tensor::of<int32_t>({0, 0, 0, 7, 0, 0, 0, 0, 0, 8, 0, 0}, {2, 3, 2})));
}

TEST(CopySlice, TakesScalarsAndEmptyParts) {
  Tensor scalar = Tensor::zeros(kInt64, {});
  EXPECT_TRUE(copy_slice(Tensor(int64_t{5}), {}, scalar));
  EXPECT_EQ(scalar.item<int64_t>(), 5);
  Tensor row = Tensor::zeros(kFloat32, {2});
  EXPECT_TRUE(copy_slice(Tensor(kFloat32, {0}), std::vector<Extent>{{2, 0}}, row));
}

TEST(CopySlice, MovesEveryElementType) {
  for (const DType dtype : testing::number_dtypes()) {
    const Tensor part = testing::pattern(dtype, {1, 2});
    Tensor whole = testing::pattern(dtype, {2, 2});
    EXPECT_TRUE(copy_slice(part, std::vector<Extent>{{1, 1}, {0, 2}}, whole));
    EXPECT_TRUE(whole.rows(1, 2).same_bits(part)) << to_string(dtype);
  }
}

TEST(MarkSlice, TellsWhatWasMarkedBefore) {
  const Shape whole{2, 3};
  std::vector<bool> marks(6, false);
  EXPECT_TRUE(mark_slice(std::vector<Extent>{{0, -1}, {1, 2}}, whole, marks));
  EXPECT_EQ(marks, (std::vector<bool>{false, true, true, false, true, true}));
  EXPECT_TRUE(mark_slice(std::vector<Extent>{{0, 1}, {0, 1}}, whole, marks));
  EXPECT_TRUE(mark_slice(std::vector<Extent>{{0, 1}, {3, 0}}, whole, marks));
  EXPECT_FALSE(mark_slice(std::vector<Extent>{{1, 1}, {0, 2}}, whole, marks));
}

TEST(CopySlice, RefusesWhatDoesNotFit) {
  Tensor whole = Tensor::zeros(kFloat32, {4});
  const Tensor part = Tensor::of<float>({1, 2});
  EXPECT_FALSE(copy_slice(part, std::vector<Extent>{{3, 2}}, whole));   // past the end
  EXPECT_FALSE(copy_slice(part, std::vector<Extent>{{-1, 2}}, whole));  // before the start
  EXPECT_FALSE(copy_slice(part, std::vector<Extent>{{0, 3}}, whole));   // of another length
  EXPECT_FALSE(copy_slice(part, std::vector<Extent>{{0, -1}}, whole));
  EXPECT_FALSE(copy_slice(part, {}, whole));
  EXPECT_FALSE(copy_slice(part.cast(kFloat64), std::vector<Extent>{{0, 2}}, whole));
  EXPECT_FALSE(
      copy_slice(part, std::vector<Extent>{{std::numeric_limits<int64_t>::max(), 2}}, whole));
}

}  // namespace
}  // namespace thalweg
