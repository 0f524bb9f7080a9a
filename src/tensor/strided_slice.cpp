#include "thalweg/tensor/strided_slice.h"

#include <algorithm>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using MaybeInt = std::optional<int64_t>;

bool has_bit(int64_t mask, size_t i) {
  return i < 64 && ((static_cast<uint64_t>(mask) >> i) & 1) != 0;
}

// The one element that entry `index` of dimension `axis` names.
SliceRange single(MaybeInt index, int64_t dim, size_t axis) {
  if (!index || dim == kUnknownDim) return {.begin = index.value_or(0), .stride = 1, .size = 1};
  const int64_t position = *index < 0 ? *index + dim : *index;
  if (position < 0 || position >= dim) {
    throw invalid_argument("slice index ", *index, " is out of range for dimension ", axis,
                           " of size ", dim);
  }
  return {.begin = position, .stride = 1, .size = 1};
}

// Positions are clamped to where a walk in the stride's direction may start or stop: [0, dim]
// forwards, [-1, dim - 1] backwards.
SliceRange range(MaybeInt begin, MaybeInt end, MaybeInt stride, bool from_first, bool to_last,
                 int64_t dim) {
  if (dim == kUnknownDim || !stride || !(begin || from_first) || !(end || to_last)) return {};
  const int64_t low = *stride > 0 ? 0 : -1;
  const int64_t high = *stride > 0 ? dim : dim - 1;
  const auto place = [&](int64_t i) { return std::clamp(i < 0 ? i + dim : i, low, high); };
  const int64_t first = from_first ? (*stride > 0 ? low : high) : place(*begin);
  const int64_t last = to_last ? (*stride > 0 ? high : low) : place(*end);
  const int64_t interval = last - first;
  const bool empty = interval == 0 || (interval < 0) != (*stride < 0);
  return {.begin = first,
          .stride = *stride,
          .size = empty ? 0 : interval / *stride + (interval % *stride != 0 ? 1 : 0)};
}

}  // namespace

ResolvedSlice resolve_strided_slice(const Shape& input, std::span<const MaybeInt> begin,
                                    std::span<const MaybeInt> end,
                                    std::span<const MaybeInt> strides,
                                    const StridedSliceMasks& masks) {
  const size_t entries = begin.size();
  if (end.size() != entries || strides.size() != entries) {
    throw invalid_argument("begin, end and strides must be of one length, got ", entries, ", ",
                           end.size(), " and ", strides.size());
  }
  // An entry is an ellipsis first, a new axis second, and only else about a dimension of the input.
  size_t ellipses = 0;
  size_t named = 0;
  for (size_t i = 0; i < entries; ++i) {
    if (has_bit(masks.ellipsis, i)) {
      ++ellipses;
    } else if (!has_bit(masks.new_axis, i)) {
      ++named;
    }
  }
  if (ellipses > 1)
    throw invalid_argument("only one ellipsis is allowed in a slice, got ", ellipses);
  const auto rank = static_cast<size_t>(input.rank());
  if (named > rank) {
    throw invalid_argument("a slice with ", named, " entries does not fit shape ", input, " of ",
                           rank, " dimensions");
  }

  ResolvedSlice result;
  std::vector<int64_t> dims;
  const auto take_whole_dimensions = [&](size_t count) {
    for (; count > 0; --count) {
      const int64_t dim = input[static_cast<int>(result.ranges.size())];
      result.ranges.push_back({.begin = 0, .stride = 1, .size = dim});
      dims.push_back(dim);
    }
  };
  for (size_t i = 0; i < entries; ++i) {
    if (has_bit(masks.ellipsis, i)) {
      take_whole_dimensions(rank - named);
      continue;
    }
    if (has_bit(masks.new_axis, i)) {
      dims.push_back(1);
      continue;
    }
    const size_t axis = result.ranges.size();
    const int64_t dim = input[static_cast<int>(axis)];
    if (strides[i] && *strides[i] == 0)
      throw invalid_argument("the stride of dimension ", axis, " is 0");
    if (has_bit(masks.shrink_axis, i)) {
      if (strides[i] && *strides[i] < 0) {
        throw invalid_argument("dimension ", axis, " is shrunk to one element with stride ",
                               *strides[i], "; the stride must be positive there");
      }
      result.ranges.push_back(single(begin[i], dim, axis));
      continue;
    }
    result.ranges.push_back(
        range(begin[i], end[i], strides[i], has_bit(masks.begin, i), has_bit(masks.end, i), dim));
    dims.push_back(result.ranges.back().size);
  }
  if (ellipses == 0)
    take_whole_dimensions(rank - named);  // an ellipsis at the end goes without saying
  result.shape = Shape(dims);
  return result;
}

}  // namespace thalweg
