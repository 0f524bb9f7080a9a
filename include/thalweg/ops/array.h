// Building nodes that make tensors, feed them, and change their shape or the order of their
// elements.
//
// Each function adds the op of the same name in CamelCase (ConcatV2, PadV2, ... without the version
// suffix) with TensorFlow's meaning; src/ops/array.cpp documents them in full. All throw
// invalid_argument, with the node, when shapes or types cannot be right.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

/// What these functions take last: `{.name = "hidden"}`.
struct ArrayOptions {
  std::string name = {};
};

/// A constant: `constant(g, Tensor::of<float>({1, 2}))`, `constant(g, 0.5f)`.
Output constant(Graph& graph, const Tensor& value, const ArrayOptions& options = {});
/// A scalar constant of the dtype and in the graph of `like`.
Output scalar_like(const Output& like, double value);
/// A tensor that every run must feed. Unknown dimensions take any size.
Output placeholder(Graph& graph, DType dtype, const Shape& shape = Shape::unknown(),
                   const ArrayOptions& options = {});
/// A tensor that a run may feed; `value` otherwise. `shape` must admit the value's.
Output placeholder_with_default(const Output& value, const Shape& shape,
                                const ArrayOptions& options = {});
Output identity(const Output& x, const ArrayOptions& options = {});
/// `x`; no gradient flows back through it.
Output stop_gradient(const Output& x, const ArrayOptions& options = {});

/// The shape as a vector `[rank]`, the rank, and the number of elements; `out_type` is int32 or
/// int64.
Output shape_of(const Output& x, DType out_type = kInt32, const ArrayOptions& options = {});
Output rank_of(const Output& x, const ArrayOptions& options = {});
Output size_of(const Output& x, DType out_type = kInt32, const ArrayOptions& options = {});

/// The same elements under another shape; one dimension may be -1: what is left.
Output reshape(const Output& x, const IntVector& shape, const ArrayOptions& options = {});
/// Dimension i of the result is dimension perm[i] of `x`; without `perm` the order is reversed.
Output transpose(const Output& x, const IntVector& perm = {}, const ArrayOptions& options = {});
/// A new dimension of size 1 before `axis` of the result, in [-1 - rank, rank].
Output expand_dims(const Output& x, int64_t axis, const ArrayOptions& options = {});
/// Drops the dimensions `axes`, which must be of size 1; without axes, all of size 1.
Output squeeze(const Output& x, std::vector<int64_t> axes = {}, const ArrayOptions& options = {});

/// Joins along an existing dimension. One value is handed through.
Output concat(const std::vector<Output>& values, int64_t axis, const ArrayOptions& options = {});
/// `count` equal pieces.
std::vector<Output> split(const Output& x, int64_t count, int64_t axis,
                          const ArrayOptions& options = {});
/// Pieces of the given sizes, one of which may be -1: what is left.
std::vector<Output> split_v(const Output& x, const std::vector<int64_t>& sizes, int64_t axis,
                            const ArrayOptions& options = {});
/// Joins values of one shape along a new dimension.
Output pack(const std::vector<Output>& values, int64_t axis = 0, const ArrayOptions& options = {});
inline Output stack(const std::vector<Output>& values, int64_t axis = 0,
                    const ArrayOptions& options = {}) {
  return pack(values, axis, options);
}
/// The slices along a dimension of known size, without that dimension.
std::vector<Output> unpack(const Output& x, int64_t axis = 0, const ArrayOptions& options = {});
inline std::vector<Output> unstack(const Output& x, int64_t axis = 0,
                                   const ArrayOptions& options = {}) {
  return unpack(x, axis, options);
}

/// Cells {before, after} each dimension.
using Paddings = std::vector<std::pair<int64_t, int64_t>>;
/// Puts `value` around `x`.
Output pad(const Output& x, const Paddings& paddings, double value = 0,
           const ArrayOptions& options = {});
/// Puts mirrored elements around `x`; mode "REFLECT" leaves the border element out, "SYMMETRIC"
/// repeats it.
Output mirror_pad(const Output& x, const Paddings& paddings, std::string mode = "REFLECT",
                  const ArrayOptions& options = {});
/// Repeats `x` multiples[i] times along dimension i.
Output tile(const Output& x, const IntVector& multiples, const ArrayOptions& options = {});
/// NumPy broadcasting to a given shape.
Output broadcast_to(const Output& x, const IntVector& shape, const ArrayOptions& options = {});
/// Reverses the order along `axes`.
Output reverse(const Output& x, const IntVector& axes, const ArrayOptions& options = {});

/// `dims` filled with a scalar.
Output fill(const IntVector& dims, const Output& value, const ArrayOptions& options = {});
/// start, start + delta, ... before `limit`.
Output range(const Output& start, const Output& limit, const Output& delta,
             const ArrayOptions& options = {});
Output range(Graph& graph, int64_t start, int64_t limit, int64_t delta = 1, DType dtype = kInt32,
             const ArrayOptions& options = {});
Output zeros_like(const Output& x, const ArrayOptions& options = {});
Output ones_like(const Output& x, const ArrayOptions& options = {});
Output zeros(Graph& graph, DType dtype, const Shape& shape, const ArrayOptions& options = {});
Output ones(Graph& graph, DType dtype, const Shape& shape, const ArrayOptions& options = {});

}  // namespace thalweg
