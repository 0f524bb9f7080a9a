#include <cstring>

#include "ops/int_constant.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

// Up to this size a constant is written out, so that whoever reads the graph sees its values.
constexpr int64_t kLargestWrittenOut = 64;

Output filled(Graph& graph, const Tensor& scalar, const Shape& shape, const ArrayOptions& options) {
  if (shape.num_elements() > kLargestWrittenOut)
    return fill(shape, constant(graph, scalar), options);
  Tensor value = Tensor::zeros(scalar.dtype(), shape);
  if (const size_t bytes = element_size(scalar.dtype()); bytes != 0) {
    auto* cell = static_cast<char*>(value.mutable_raw());
    for (int64_t i = 0; i < value.num_elements(); ++i, cell += bytes)
      std::memcpy(cell, scalar.raw(), bytes);
  }
  return constant(graph, value, options);
}

}  // namespace

Output constant(Graph& graph, const Tensor& value, const ArrayOptions& options) {
  return graph
      .add("Const", {}, {{"dtype", value.dtype()}, {"value", value}}, {.name = options.name})
      .output();
}

Output scalar_like(const Output& like, double value) {
  return constant(like.graph(), Tensor(value).cast(like.dtype()));
}

Output placeholder(Graph& graph, DType dtype, const Shape& shape, const ArrayOptions& options) {
  return graph.add("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}, {.name = options.name})
      .output();
}

Output placeholder_with_default(const Output& value, const Shape& shape,
                                const ArrayOptions& options) {
  return value.graph()
      .add("PlaceholderWithDefault", {value}, {{"shape", shape}}, {.name = options.name})
      .output();
}

Output identity(const Output& x, const ArrayOptions& options) {
  return x.graph().add("Identity", {x}, {}, {.name = options.name}).output();
}

Output stop_gradient(const Output& x, const ArrayOptions& options) {
  return x.graph().add("StopGradient", {x}, {}, {.name = options.name}).output();
}

Output shape_of(const Output& x, DType out_type, const ArrayOptions& options) {
  return x.graph().add("Shape", {x}, {{"out_type", out_type}}, {.name = options.name}).output();
}

Output rank_of(const Output& x, const ArrayOptions& options) {
  return x.graph().add("Rank", {x}, {}, {.name = options.name}).output();
}

Output size_of(const Output& x, DType out_type, const ArrayOptions& options) {
  return x.graph().add("Size", {x}, {{"out_type", out_type}}, {.name = options.name}).output();
}

Output reshape(const Output& x, const IntVector& shape, const ArrayOptions& options) {
  return x.graph().add("Reshape", {x, shape.in(x.graph())}, {}, {.name = options.name}).output();
}

Output expand_dims(const Output& x, int64_t axis, const ArrayOptions& options) {
  const Output dim = int_constant(x.graph(), axis);
  return x.graph().add("ExpandDims", {x, dim}, {}, {.name = options.name}).output();
}

Output squeeze(const Output& x, std::vector<int64_t> axes, const ArrayOptions& options) {
  return x.graph()
      .add("Squeeze", {x}, {{"squeeze_dims", std::move(axes)}}, {.name = options.name})
      .output();
}

Output fill(const IntVector& dims, const Output& value, const ArrayOptions& options) {
  return value.graph()
      .add("Fill", {dims.in(value.graph()), value}, {}, {.name = options.name})
      .output();
}

Output range(const Output& start, const Output& limit, const Output& delta,
             const ArrayOptions& options) {
  return start.graph().add("Range", {start, limit, delta}, {}, {.name = options.name}).output();
}

Output range(Graph& graph, int64_t start, int64_t limit, int64_t delta, DType dtype,
             const ArrayOptions& options) {
  const auto number = [&](int64_t value) { return constant(graph, Tensor(value).cast(dtype)); };
  return range(number(start), number(limit), number(delta), options);
}

Output zeros_like(const Output& x, const ArrayOptions& options) {
  return x.graph().add("ZerosLike", {x}, {}, {.name = options.name}).output();
}

Output ones_like(const Output& x, const ArrayOptions& options) {
  return x.graph().add("OnesLike", {x}, {}, {.name = options.name}).output();
}

Output zeros(Graph& graph, DType dtype, const Shape& shape, const ArrayOptions& options) {
  return filled(graph, Tensor::zeros(dtype, Shape{}), shape, options);
}

Output ones(Graph& graph, DType dtype, const Shape& shape, const ArrayOptions& options) {
  return filled(graph, Tensor(1.0).cast(dtype), shape, options);
}

}  // namespace thalweg
