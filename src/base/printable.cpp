#include "thalweg/base/printable.h"

#include <cstdint>

namespace thalweg {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Bytes of the character at the beginning of `text`, and which one it is; 0 when it is none.
size_t decode(std::string_view text, uint32_t& character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    character = first;
    return 1;
  }
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  character = first & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    character = character << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
  return character < kLeast[size] || character > 0x10FFFF || is_surrogate ? 0 : size;
}

void append_byte(std::string& out, unsigned char byte) {
  out += "\\x";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

bool turns_direction(uint32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t c = 0;
    const size_t size = decode(text, c);
    if (size == 0) {
      append_byte(out, static_cast<unsigned char>(text[0]));
    } else if (c == '\n') {
      out += keep_lines ? "\n" : "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c < 0x20 || c == 0x7F) {
      append_byte(out, static_cast<unsigned char>(c));
    } else if ((c >= 0x80 && c < 0xA0) || turns_direction(c)) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kHex[c >> shift & 15];
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  uint32_t ignored = 0;
  while (!bytes.empty()) {
    const size_t size = decode(bytes, ignored);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printable_lines(std::string_view text) { return escaped(text, true); }

}  // namespace thalweg
