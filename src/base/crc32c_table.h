// The checksum without special instructions: for machines that lack them, and to test against.
// Private to base.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thalweg::internal {

/// As crc32c().
uint32_t crc32c_by_table(uint32_t crc, const void* data, size_t size);

}  // namespace thalweg::internal
