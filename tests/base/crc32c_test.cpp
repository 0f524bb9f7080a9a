#include "thalweg/base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

#include "base/crc32c_table.h"

namespace thalweg {
namespace {

// One bit at a time, straight from the definition.
uint32_t crc_by_definition(const std::string& bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

std::string counted(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7);
  return bytes;
}

TEST(Crc32c, MatchesPublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46DD794Eu);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32c, MatchesTheDefinitionAtEveryLengthAndAlignment) {
  const std::string bytes = counted(100);
  for (size_t begin = 0; begin < 9; ++begin) {
    for (size_t size = 0; begin + size <= bytes.size(); ++size) {
      const uint32_t expected = crc_by_definition(bytes.substr(begin, size));
      ASSERT_EQ(crc32c(0, bytes.data() + begin, size), expected) << begin << " " << size;
      ASSERT_EQ(internal::crc32c_by_table(0, bytes.data() + begin, size), expected)
          << begin << " " << size;
    }
  }
}

TEST(Crc32c, ContinuesOverPieces) {
  const std::string bytes = counted(50);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const uint32_t head = crc32c(0, bytes.data(), cut);
    EXPECT_EQ(crc32c(head, bytes.data() + cut, bytes.size() - cut), crc32c(bytes));
  }
}

TEST(Crc32c, MasksAsTensorFlowDoes) {
  const std::string length("\x18\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(mask_crc(crc32c(length)), 0x224B7FA3u);
  const std::string floats("\0\0\x80\x3f\0\0\0\x40", 8);
  EXPECT_EQ(mask_crc(crc32c(floats)), 0x35E53C59u);
}

TEST(Crc32c, UnmaskUndoesMask) {
  for (const uint32_t crc : {0u, 1u, 0xFFFFFFFFu, 0x12345678u, 0xA282EAD8u}) {
    EXPECT_EQ(unmask_crc(mask_crc(crc)), crc);
  }
}

}  // namespace
}  // namespace thalweg
