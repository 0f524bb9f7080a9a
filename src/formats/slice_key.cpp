#include "formats/slice_key.h"

#include <array>

namespace thalweg {
namespace {

// Unsigned: the number of bytes, then the bytes, high ones first.
void append_unsigned_code(std::string& out, uint64_t value) {
  std::string bytes;
  for (; value != 0; value >>= 8) bytes.insert(bytes.begin(), static_cast<char>(value));
  out += static_cast<char>(bytes.size());
  out += bytes;
}

// The name with 00 and ff escaped, so that the end mark 00 01 sorts before any longer name.
void append_string_code(std::string& out, std::string_view text) {
  for (char c : text) {
    out += c;
    if (c == '\x00') out += '\xff';
    if (c == '\xff') out += '\x00';
  }
  out += '\x00';
  out += '\x01';
}

// Signed: n bytes hold a sign and 7n - 1 bits, high ones first. The top n + 1 bits are n ones and a
// zero for numbers >= 0 and their complement for negative ones, so that more bytes sort outwards on
// both sides.
void append_signed_code(std::string& out, int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  int length = 1;
  while (length < 10 && (magnitude >> (7 * length - 1)) != 0) ++length;
  std::array<uint8_t, 10> bytes{};
  for (int i = 0; i < length; ++i) {
    // Past 64 bits the sign goes on.
    const int shift = 8 * (length - 1 - i);
    bytes[i] = static_cast<uint8_t>(shift < 64 ? value >> shift : (value < 0 ? -1 : 0));
  }
  for (int bit = 0; bit < length; ++bit) bytes[bit / 8] ^= static_cast<uint8_t>(0x80 >> (bit % 8));
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(length));
}

}  // namespace

std::string slice_key(std::string_view name, std::span<const Extent> extents) {
  std::string key;
  append_unsigned_code(key, 0);
  append_string_code(key, name);
  append_unsigned_code(key, extents.size());
  for (const Extent& extent : extents) {
    append_signed_code(key, extent.start);
    append_signed_code(key, extent.length);
  }
  return key;
}

}  // namespace thalweg
