// CRC-32C (Castagnoli), the checksum of TFRecord files and checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace thalweg {

/// Continues `crc` (0 to start) over `size` bytes.
uint32_t crc32c(uint32_t crc, const void* data, size_t size);
inline uint32_t crc32c(std::string_view bytes) { return crc32c(0, bytes.data(), bytes.size()); }

/// TensorFlow stores checksums rotated and offset, so that a checksum of data that holds checksums
/// stays sound.
constexpr uint32_t mask_crc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }
constexpr uint32_t unmask_crc(uint32_t masked) {
  const uint32_t rotated = masked - 0xA282EAD8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace thalweg
