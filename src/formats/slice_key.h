// The keys under which a checkpoint stores the parts of a partitioned tensor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace thalweg {

/// Part of one dimension; a length of -1 means all of it.
struct Extent {
  int64_t start = 0;
  int64_t length = -1;
};

/// TensorFlow's ordered code of (0, name, rank, start and length of each dimension), which sorts as
/// the parts do.
std::string slice_key(std::string_view name, std::span<const Extent> extents);

}  // namespace thalweg
