#include <vector>

#include "formats/slice_key.h"
#include "thalweg/base/error.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

int64_t number(std::string_view text, std::string_view slice) {
  int64_t value = 0;
  if (text.empty() || text.size() > 18) throw invalid_argument("`", slice, "` is no slice");
  for (char c : text) {
    if (c < '0' || c > '9') throw invalid_argument("`", slice, "` is no slice");
    value = value * 10 + (c - '0');
  }
  return value;
}

std::vector<Extent> parse_slice(std::string_view slice, const Shape& shape) {
  const size_t space = slice.rfind(' ');
  std::vector<Extent> extents;
  for (const std::string& part : split(slice.substr(space == slice.npos ? 0 : space + 1), ':')) {
    const size_t comma = part.find(',');
    if (part == "-") {
      extents.push_back({0, -1});
    } else if (comma != std::string::npos) {
      extents.push_back({number(std::string_view(part).substr(0, comma), slice),
                         number(std::string_view(part).substr(comma + 1), slice)});
    } else {
      throw invalid_argument("`", slice, "` is no slice");
    }
  }
  if (static_cast<int>(extents.size()) != shape.rank()) {
    throw invalid_argument("slice `", slice, "` has ", extents.size(), " dimensions, the tensor ",
                           shape);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    Extent& extent = extents[static_cast<size_t>(i)];
    if (extent.length < 0) extent = {0, shape[i]};
    if (extent.start > shape[i] || extent.length > shape[i] - extent.start) {
      throw invalid_argument("slice `", slice, "` does not fit into ", shape);
    }
  }
  return extents;
}

}  // namespace

Tensor read_slice(const BundleReader& checkpoint, std::string_view name, std::string_view slice) {
  const Tensor whole = checkpoint.read(name);
  if (slice.empty()) return whole;
  const std::vector<Extent> extents = parse_slice(slice, whole.shape());
  std::vector<int64_t> dims;
  for (const Extent& extent : extents) dims.push_back(extent.length);
  Tensor part(whole.dtype(), Shape(std::span<const int64_t>(dims)));
  if (part.num_elements() == 0) return part;
  visit_element(whole.dtype(), [&]<class T>(TypeTag<T>) {
    const std::span<const T> from = whole.data<T>();
    const std::span<T> to = part.mutable_data<T>();
    std::vector<int64_t> index(dims.size(), 0);
    for (T& out : to) {
      int64_t offset = 0;
      for (size_t d = 0; d < dims.size(); ++d) {
        offset = offset * whole.shape()[static_cast<int>(d)] + extents[d].start + index[d];
      }
      out = from[static_cast<size_t>(offset)];
      for (size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
    }
  });
  return part;
}

}  // namespace thalweg
