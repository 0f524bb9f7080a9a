#include "formats/slice_copy.h"

#include <algorithm>
#include <array>

namespace thalweg {
namespace {

bool fits(const Tensor& part, std::span<const Extent> extents, const Tensor& whole) {
  if (part.dtype() != whole.dtype() || part.rank() != whole.rank() ||
      extents.size() != static_cast<size_t>(whole.rank())) {
    return false;
  }
  for (int i = 0; i < whole.rank(); ++i) {
    const Extent& extent = extents[static_cast<size_t>(i)];
    const int64_t length = extent.length < 0 ? whole.dim(i) : extent.length;
    if (extent.start < 0 || length != part.dim(i) || length > whole.dim(i) ||
        extent.start > whole.dim(i) - length) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool copy_slice(const Tensor& part, std::span<const Extent> extents, Tensor& whole) {
  if (!fits(part, extents, whole)) return false;
  if (part.num_elements() == 0) return true;
  const int rank = whole.rank();
  const int64_t run = rank == 0 ? 1 : part.dim(-1);  // elements that lie side by side in both
  visit_dtype(whole.dtype(), [&]<class T>(TypeTag<T>) {
    const std::span<const T> from = part.data<T>();
    const std::span<T> to = whole.mutable_data<T>();
    std::array<int64_t, Shape::kMaxRank> index{};  // of the run's first element in `part`
    for (int64_t done = 0; done < part.num_elements(); done += run) {
      int64_t place = 0;
      for (int i = 0; i < rank; ++i) {
        place = place * whole.dim(i) + extents[static_cast<size_t>(i)].start +
                index[static_cast<size_t>(i)];
      }
      std::copy_n(from.begin() + done, run, to.begin() + place);
      for (int i = rank - 2; i >= 0; --i) {
        if (++index[static_cast<size_t>(i)] < part.dim(i)) break;
        index[static_cast<size_t>(i)] = 0;
      }
    }
  });
  return true;
}

}  // namespace thalweg
