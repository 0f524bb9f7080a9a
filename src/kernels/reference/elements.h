// Moving elements whatever they are, and reading small integer inputs: what array kernels share.
//
// A move needs an element's size only, so one loop serves all dtypes of a size. Most moves are one
// idea: the place of an element is a sum of offsets, one for each dimension, and a table by
// coordinate holds each dimension's offsets.
#pragma once

#include <cstdint>
#include <vector>

#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

using Ints = std::vector<int64_t>;

/// A small integer input (a shape, axes, paddings), read when the kernel runs, in row-major order.
class IntsInput {
 public:
  IntsInput(const KernelRequest& request, int input);
  Ints read(const KernelContext& context) const;
  /// Of a scalar, or a vector with one entry.
  int64_t read_one(const KernelContext& context) const { return read(context).at(0); }

 private:
  int input_;
  DType dtype_;
  int64_t count_;
};

/// An output whose shape is sure only when the kernel runs, because it depends on values.
class OutputPlace {
 public:
  OutputPlace(const KernelRequest& request, int output);
  /// Memory for a result of `shape`: the plan's own when it knew the shape, else a new tensor that
  /// is handed to the context. Throws invalid_argument when it knew another shape.
  void* memory(KernelContext& context, const Shape& shape) const;

 private:
  int output_;
  DType dtype_;
  Shape shape_;
};

/// Offsets by coordinate, one table for each dimension.
using Offsets = std::vector<Ints>;

/// Elements between neighbours along each dimension of a row-major tensor.
Ints row_major_strides(const Shape& shape);
/// {begin, begin + stride, ...}: `count` offsets.
Ints evenly(int64_t begin, int64_t stride, int64_t count);
/// The tables of a whole row-major tensor.
Offsets dense_offsets(const Shape& shape);

/// Calls f(n, offset) for each combination of coordinates in row-major order: n counts them,
/// `offset` is the sum of their offsets. Nothing when a table is empty; once when there are no
/// tables.
template <class F>
void for_each_offset(const Offsets& offsets, F&& f) {
  const size_t rank = offsets.size();
  std::vector<size_t> at(rank, 0);
  for (const Ints& table : offsets) {
    if (table.empty()) return;
  }
  for (int64_t n = 0;; ++n) {
    int64_t offset = 0;
    for (size_t i = 0; i < rank; ++i) offset += offsets[i][at[i]];
    f(n, offset);
    size_t axis = rank;
    while (axis > 0 && ++at[axis - 1] == offsets[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

/// to[n] = from[offset n].
void gather_elements(DType dtype, const Offsets& offsets, const void* from, void* to);
/// to[offset n] = from[n].
void scatter_elements(DType dtype, const Offsets& offsets, const void* from, void* to);
/// to[i] = from[i]; both may be the same.
void copy_elements(DType dtype, const void* from, void* to, int64_t count);
/// to[i] = *value.
void fill_elements(DType dtype, const void* value, void* to, int64_t count);
/// Zeros, false, empty strings.
void zero_elements(DType dtype, void* to, int64_t count);
/// The place of element `i`.
const void* element_at(DType dtype, const void* data, int64_t i);
void* element_at(DType dtype, void* data, int64_t i);

/// Whether a kernel can move elements of this type (all but resources).
bool has_elements(DType dtype);

/// Axis in [-rank, rank) made non-negative. Throws invalid_argument.
size_t place_axis(int64_t axis, size_t rank);

}  // namespace thalweg::reference
