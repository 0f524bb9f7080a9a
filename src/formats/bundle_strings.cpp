#include "formats/bundle_strings.h"

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "formats/varint.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

static_assert(std::endian::native == std::endian::little);

// Lengths are checksummed as u32, or as u64 when they need it, though stored as varints.
uint32_t crc_of_length(uint32_t crc, uint64_t length) {
  if (length > std::numeric_limits<uint32_t>::max()) return crc32c(crc, &length, sizeof(length));
  const uint32_t narrow = static_cast<uint32_t>(length);
  return crc32c(crc, &narrow, sizeof(narrow));
}

}  // namespace

StoredStrings encode_strings(std::span<const std::string> values) {
  StoredStrings stored{{}, 0};
  for (const std::string& value : values) {
    append_varint(stored.bytes, value.size());
    stored.crc = crc_of_length(stored.crc, value.size());
  }
  const uint32_t masked = mask_crc(stored.crc);
  stored.bytes.append(reinterpret_cast<const char*>(&masked), sizeof(masked));
  stored.crc = crc32c(stored.crc, &masked, sizeof(masked));
  for (const std::string& value : values) {
    stored.bytes += value;
    stored.crc = crc32c(stored.crc, value.data(), value.size());
  }
  return stored;
}

uint32_t decode_strings(std::string_view bytes, std::span<std::string> values) {
  std::vector<uint64_t> lengths(values.size());
  uint32_t crc = 0;
  for (uint64_t& length : lengths) {
    const auto value = take_varint(bytes);
    if (!value) throw data_loss("the lengths of its strings are cut short");
    length = *value;
    crc = crc_of_length(crc, length);
  }
  uint32_t masked = 0;
  if (bytes.size() < sizeof(masked)) throw data_loss("the lengths of its strings are cut short");
  std::memcpy(&masked, bytes.data(), sizeof(masked));
  bytes.remove_prefix(sizeof(masked));
  if (masked != mask_crc(crc)) throw data_loss("the checksum of its string lengths is wrong");
  crc = crc32c(crc, &masked, sizeof(masked));
  for (size_t i = 0; i < values.size(); ++i) {
    if (lengths[i] > bytes.size()) throw data_loss("its strings are cut short");
    values[i] = bytes.substr(0, lengths[i]);
    bytes.remove_prefix(lengths[i]);
    crc = crc32c(crc, values[i].data(), values[i].size());
  }
  if (!bytes.empty()) throw data_loss(bytes.size(), " bytes are left over behind its strings");
  return crc;
}

}  // namespace thalweg
