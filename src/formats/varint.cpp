#include "formats/varint.h"

namespace thalweg {

void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const uint64_t byte = static_cast<unsigned char>(bytes[i]);
    if (i == 9 && byte > 1) return std::nullopt;  // the tenth holds the 64th bit only
    value |= (byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace thalweg
