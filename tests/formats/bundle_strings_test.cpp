#include "formats/bundle_strings.h"

#include <array>

#include "hex.h"
#include "testing.h"
#include "thalweg/base/crc32c.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::from_hex;
using testing::to_hex;

TEST(BundleStrings, AreWrittenAsTensorFlowDoes) {
  const std::array<std::string, 2> values = {"ab", "c"};
  const StoredStrings stored = encode_strings(values);
  EXPECT_EQ(to_hex(stored.bytes), "02 01 03 71 7c 67 61 62 63");
  EXPECT_EQ(mask_crc(stored.crc), 0x5FD830D5u);
}

TEST(BundleStrings, ComeBackWithTheirChecksum) {
  const std::array<std::string, 4> values = {"", std::string(300, 'x'), std::string("a\0b", 3),
                                             "\xff"};
  const StoredStrings stored = encode_strings(values);
  std::array<std::string, 4> read;
  EXPECT_EQ(decode_strings(stored.bytes, read), stored.crc);
  EXPECT_EQ(read, values);
}

TEST(BundleStrings, EveryCutIsSeen) {
  const std::array<std::string, 2> values = {"ab", "c"};
  const std::string bytes = encode_strings(values).bytes;
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::array<std::string, 2> read;
    expect_error(Code::kDataLoss,
                 [&] { decode_strings(std::string_view(bytes).substr(0, size), read); });
  }
  std::array<std::string, 2> read;
  expect_error(
      Code::kDataLoss, [&] { decode_strings(bytes + "x", read); }, "left over");
}

TEST(BundleStrings, DoNotBelieveALengthWithoutItsChecksum) {
  std::array<std::string, 2> read;
  expect_error(
      Code::kDataLoss, [&] { decode_strings(from_hex("03 01 03 71 7c 67 61 62 63 64"), read); },
      "lengths");
  // 2^64 - 1, and a varint that never ends
  expect_error(Code::kDataLoss, [&] {
    decode_strings(from_hex("ff ff ff ff ff ff ff ff ff 01 01 03 71 7c 67 61"), read);
  });
  expect_error(
      Code::kDataLoss, [&] { decode_strings(std::string(40, '\xff'), read); }, "cut short");
}

}  // namespace
}  // namespace thalweg
