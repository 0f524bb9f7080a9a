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

// Calls visit(from, to, count) for each run of elements that lie side by side in part and whole.
template <class F>
void for_each_run(std::span<const Extent> extents, const Shape& whole, F visit) {
  const int rank = whole.rank();
  std::array<int64_t, Shape::kMaxRank> lengths{};
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    const int64_t length = extents[static_cast<size_t>(i)].length;
    lengths[static_cast<size_t>(i)] = length < 0 ? whole[i] : length;
    elements *= lengths[static_cast<size_t>(i)];
  }
  if (elements == 0) return;
  const int64_t run = rank == 0 ? 1 : lengths[static_cast<size_t>(rank - 1)];
  std::array<int64_t, Shape::kMaxRank> index{};  // of the run's first element in the part
  for (int64_t done = 0; done < elements; done += run) {
    int64_t place = 0;
    for (int i = 0; i < rank; ++i) {
      place =
          place * whole[i] + extents[static_cast<size_t>(i)].start + index[static_cast<size_t>(i)];
    }
    visit(done, place, run);
    for (int i = rank - 2; i >= 0; --i) {
      if (++index[static_cast<size_t>(i)] < lengths[static_cast<size_t>(i)]) break;
      index[static_cast<size_t>(i)] = 0;
    }
  }
}

}  // namespace

bool copy_slice(const Tensor& part, std::span<const Extent> extents, Tensor& whole) {
  if (!fits(part, extents, whole)) return false;
  if (part.num_elements() == 0) return true;
  visit_element(whole.dtype(), [&]<class T>(TypeTag<T>) {
    const std::span<const T> from = part.data<T>();
    const std::span<T> to = whole.mutable_data<T>();
    for_each_run(extents, whole.shape(), [&](int64_t begin, int64_t place, int64_t run) {
      std::copy_n(from.begin() + begin, run, to.begin() + place);
    });
  });
  return true;
}

bool mark_slice(std::span<const Extent> extents, const Shape& whole, std::vector<bool>& marks) {
  bool is_free = true;
  for_each_run(extents, whole, [&](int64_t, int64_t place, int64_t run) {
    const auto begin = marks.begin() + place;
    is_free = is_free && std::find(begin, begin + run, true) == begin + run;
    std::fill_n(begin, run, true);
  });
  return is_free;
}

}  // namespace thalweg
