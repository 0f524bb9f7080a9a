#include "train/display_width.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace thalweg::train {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks of combining marks and invisible characters that names are likely to hold.
constexpr Range kNoWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

// Unicode's East Asian Width W and F, by block.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26AA, 0x26AB},
    {0x26BD, 0x26BE},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F900, 0x1F9FF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}};

template <size_t N>
bool contains(const Range (&ranges)[N], char32_t c) {
  const Range* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                        [](char32_t x, const Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

// The character at the beginning, removed from `text`. A byte that is no UTF-8 stands for itself.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80             ? 1
                        : (lead & 0xE0) == 0xC0 ? 2
                        : (lead & 0xF0) == 0xE0 ? 3
                        : (lead & 0xF8) == 0xF0 ? 4
                                                : 1;
  char32_t c = lead;
  size_t used = 1;
  if (length > 1 && length <= text.size()) {
    char32_t value = lead & (0xFFU >> (length + 1));
    while (used < length && (byte(used) & 0xC0) == 0x80) {
      value = (value << 6) | (byte(used++) & 0x3FU);
    }
    if (used == length) {
      c = value;
    } else {
      used = 1;
    }
  }
  text.remove_prefix(used);
  return c;
}

int width_of(char32_t c) {
  if (c < 0x20 || c == 0x7F || contains(kNoWidth, c)) return 0;
  return contains(kWide, c) ? 2 : 1;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) width += width_of(take_character(text));
  return width;
}

std::string_view fit_columns(std::string_view text, int columns) {
  std::string_view rest = text;
  int width = 0;
  while (!rest.empty()) {
    std::string_view next = rest;
    width += width_of(take_character(next));
    if (width > columns) break;
    rest = next;
  }
  return text.substr(0, text.size() - rest.size());
}

}  // namespace thalweg::train
