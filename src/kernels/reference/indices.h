// Checks of indices that only a run can see.
#pragma once

#include "kernels/reference/elements.h"

namespace thalweg::reference {

/// The coordinates of element `flat` of a row-major tensor.
Ints coordinates(const Shape& shape, int64_t flat);

/// An index input of any integer type and shape, read when the kernel runs.
class IndexInput {
 public:
  IndexInput(const KernelRequest& request, int input);
  const Shape& shape() const { return shape_; }
  Ints read(const KernelContext& context) const { return values_.read(context); }
  /// The error for an element of this input that does not fit a dimension of `size`:
  /// "indices[0, 2] is 999, outside [0, 3) ...".
  Error out_of_range(int64_t flat, int64_t value, int64_t size, std::string_view of) const;

 private:
  std::string name_;
  Shape shape_;
  IntsInput values_;
};

/// Index vectors [..., k] into a tensor.
class IndexVectors {
 public:
  IndexVectors(const KernelRequest& request, int input) : indices_(request, input) {}
  /// For each vector the number of the slice that it names, of those that tensor[k:] divides the
  /// tensor into.
  Ints slices(const KernelContext& context, const Shape& tensor) const;
  int depth() const { return static_cast<int>(indices_.shape().dim(-1)); }

 private:
  IndexInput indices_;
};

}  // namespace thalweg::reference
