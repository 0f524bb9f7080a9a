#include "thalweg/base/crc32c.h"

#include <array>
#include <cstring>

#include "base/crc32c_table.h"

namespace thalweg {
namespace {

// kTables[k][b]: the remainder of byte b followed by k zero bytes, so that eight bytes go in one
// step.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

using Extend = uint32_t (*)(uint32_t state, const unsigned char* p, size_t size);

uint32_t extend_by_table(uint32_t state, const unsigned char* p, size_t size) {
  for (; size >= 8; p += 8, size -= 8) {
    uint32_t next = 0;
    for (size_t i = 0; i < 4; ++i) next ^= kTables[7 - i][((state >> (8 * i)) ^ p[i]) & 0xFF];
    for (size_t i = 4; i < 8; ++i) next ^= kTables[7 - i][p[i]];
    state = next;
  }
  for (; size > 0; ++p, --size) state = (state >> 8) ^ kTables[0][(state ^ *p) & 0xFF];
  return state;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t extend_by_sse(uint32_t state, const unsigned char* p,
                                                         size_t size) {
  uint64_t wide = state;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  state = static_cast<uint32_t>(wide);
  for (; size > 0; ++p, --size) state = __builtin_ia32_crc32qi(state, *p);
  return state;
}
#endif

Extend choose_extend() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return extend_by_sse;
#endif
  return extend_by_table;
}

}  // namespace

uint32_t internal::crc32c_by_table(uint32_t crc, const void* data, size_t size) {
  return ~extend_by_table(~crc, static_cast<const unsigned char*>(data), size);
}

uint32_t crc32c(uint32_t crc, const void* data, size_t size) {
  static const Extend extend = choose_extend();
  return ~extend(~crc, static_cast<const unsigned char*>(data), size);
}

}  // namespace thalweg
