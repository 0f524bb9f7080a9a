#include "thalweg/base/printable.h"

#include <gtest/gtest.h>

namespace thalweg {
namespace {

TEST(Printable, KeepsText) {
  for (const char* text : {"", "plain", "größe 数据 \xF0\x9F\x98\x80", "a\\n", "\xC2\xA0"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WritesOutControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc\rd\x1b[2J\x7f"), "a\\nb\\tc\\rd\\x1b[2J\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xC2\x9B"), "\\u009b");
  EXPECT_EQ(printable("a\xE2\x80\xAE"), "a\\u202e");
  EXPECT_EQ(printable_lines("a\nb\x1b"), "a\nb\\x1b");
}

TEST(Printable, WritesOutBytesThatAreNoText) {
  EXPECT_EQ(printable("gr\xF6\xDF"), "gr\\xf6\\xdf");
  EXPECT_EQ(printable("\xC0\x80"), "\\xc0\\x80") << "longer than needed";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80x"), "\\xf4\\x90\\x80\\x80x") << "beyond the last one";
  EXPECT_EQ(printable("\xE2\x82"), "\\xe2\\x82") << "cut short";
}

TEST(Utf8, IsToldFromOtherBytes) {
  EXPECT_TRUE(is_utf8("größe"));
  EXPECT_TRUE(is_utf8(""));
  for (const char* bytes : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bytes)) << printable(bytes);
  }
}

}  // namespace
}  // namespace thalweg
