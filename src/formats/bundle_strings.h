// How a checkpoint stores string tensors: the lengths, a checksum of the lengths, then all bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace thalweg {

struct StoredStrings {
  std::string bytes;
  uint32_t crc;  // of the entry, not masked: over the lengths as fixed-width integers, their
                 // checksum, and the bytes
};
StoredStrings encode_strings(std::span<const std::string> values);

/// Fills `values` from `bytes` and returns the entry's checksum, not masked, to compare. Throws
/// data_loss when lengths or their checksum are wrong.
uint32_t decode_strings(std::string_view bytes, std::span<std::string> values);

}  // namespace thalweg
