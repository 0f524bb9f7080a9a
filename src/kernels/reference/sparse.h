// A sparse tensor as its three inputs give it: indices `[n, rank]`, values `[n]`, shape `[rank]`.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/reference/elements.h"

namespace thalweg::reference {

/// What a run sees of it.
struct SparseIndices {
  Ints indices;  // n * rank
  Ints shape;    // rank
  int64_t count = 0;

  size_t rank() const { return shape.size(); }
  std::span<const int64_t> at(int64_t i) const {
    return {indices.data() + static_cast<size_t>(i) * rank(), rank()};
  }
  /// The entries in lexicographic order of their indices; equal ones keep theirs.
  Ints order() const {
    Ints result(static_cast<size_t>(count));
    std::iota(result.begin(), result.end(), 0);
    std::stable_sort(result.begin(), result.end(), [&](int64_t a, int64_t b) {
      return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
    });
    return result;
  }
  /// The place of entry i in the dense tensor, row-major.
  int64_t flat(int64_t i) const {
    int64_t result = 0;
    for (size_t d = 0; d < rank(); ++d) result = result * shape[d] + at(i)[d];
    return result;
  }
  int64_t volume() const {
    int64_t result = 1;
    for (int64_t dim : shape) result *= dim;
    return result;
  }
};

/// Its inputs, read when the kernel runs.
class SparseInput {
 public:
  SparseInput(const KernelRequest& request, int indices, int shape)
      : indices_(request, indices),
        shape_(request, shape),
        count_(request.inputs[static_cast<size_t>(indices)].shape[0]),
        columns_(request.inputs[static_cast<size_t>(indices)].shape[1]) {}

  /// Throws invalid_argument when an index is outside the shape.
  SparseIndices read(const KernelContext& context) const {
    SparseIndices result{indices_.read(context), shape_.read(context), count_};
    if (static_cast<int64_t>(result.rank()) != columns_) {
      throw invalid_argument("the indices have ", columns_, " columns, the shape ", result.shape,
                             " has ", result.rank(), " dimensions");
    }
    for (int64_t i = 0; i < count_; ++i) {
      for (size_t d = 0; d < result.rank(); ++d) {
        const int64_t index = result.at(i)[d];
        if (index < 0 || index >= result.shape[d]) {
          throw invalid_argument("indices[", i, ", ", d, "] is ", index, ", outside [0, ",
                                 result.shape[d], "), a dimension of shape ", result.shape);
        }
      }
    }
    return result;
  }

 private:
  IntsInput indices_;
  IntsInput shape_;
  int64_t count_;
  int64_t columns_;
};

/// Writes index vectors of `rank` entries as output i, `[n, rank]`.
inline void write_indices(KernelContext& context, const OutputPlace& place, const Ints& indices,
                          size_t rank) {
  const auto columns = static_cast<int64_t>(rank);
  const int64_t count = rank == 0 ? 0 : static_cast<int64_t>(indices.size()) / columns;
  auto* to = static_cast<int64_t*>(place.memory(context, Shape{count, columns}));
  std::copy(indices.begin(), indices.end(), to);
}

/// Writes integers as output i, a vector.
inline void write_vector(KernelContext& context, const OutputPlace& place, const Ints& values) {
  auto* to =
      static_cast<int64_t*>(place.memory(context, Shape{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), to);
}

inline std::vector<OutputPlace> output_places(const KernelRequest& request) {
  std::vector<OutputPlace> places;
  for (size_t i = 0; i < request.outputs.size(); ++i)
    places.emplace_back(request, static_cast<int>(i));
  return places;
}

}  // namespace thalweg::reference
