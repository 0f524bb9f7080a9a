// Arithmetic on sparse tensors: sums, products, reductions, softmax.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/matrix_product.h"
#include "ops/reduction_shape.h"
#include "ops/sparse_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using rows::check_sparse;
using Context = GradientContext;

void sparse_matmul_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  const Shape b = c.with_rank(3, 2);
  const bool adjoint_a = c.attr<bool>("adjoint_a"), adjoint_b = c.attr<bool>("adjoint_b");
  const auto dims = c.constant_ints(2);
  Shape a{kUnknownDim, kUnknownDim};
  if (dims && dims->size() == 2) a = Shape(std::span<const int64_t>(*dims));
  if (!Shape{a[adjoint_a ? 0 : 1]}.is_compatible_with(Shape{b[adjoint_b ? 1 : 0]})) {
    throw c.error("inner dimensions differ: a is ", a, adjoint_a ? " (adjoint)" : "", ", b is ", b,
                  adjoint_b ? " (adjoint)" : "");
  }
  c.set_output(0, Shape{a[adjoint_a ? 1 : 0], b[adjoint_b ? 0 : 1]});
}

// Column `i` of index vectors.
Output column(Output indices, int64_t i) {
  return strided_slice(indices, {0, i}, {0, i + 1}, {1, 1},
                       {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2});
}

void matmul_gradient(Context& c) {
  const Output indices = c.input(0), b = c.input(3), g = c.grad();
  const bool adjoint_a = c.attr<bool>("adjoint_a"), adjoint_b = c.attr<bool>("adjoint_b");
  const Output by_b = add_op("SparseTensorDenseMatMul", {indices, c.input(1), c.input(2), g},
                             {{"adjoint_a", !adjoint_a}, {"adjoint_b", false}});
  c.set(3, adjoint_b ? transpose(by_b, {1, 0}) : by_b);
  const Output result_rows = gather(g, column(indices, adjoint_a ? 1 : 0));
  const Output b_rows =
      gather(adjoint_b ? transpose(b, {1, 0}) : b, column(indices, adjoint_a ? 0 : 1));
  c.set(1, reduce_sum(result_rows * b_rows, {1}));
}

void product_gradient(Context& c) {
  const Output a = cast(c.input(0), kFloat32), b = cast(c.input(1), kFloat32);
  const auto [by_a, by_b] =
      product_gradients(a, b, c.grad(), c.attr<bool>("transpose_a"), c.attr<bool>("transpose_b"));
  c.set(0, cast(by_a, c.input(0).dtype()));
  c.set(1, cast(by_b, c.input(1).dtype()));
}

void add_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  check_sparse(c, 3, 4, 5);
  c.with_rank(6, 0);
  const Shape rank = c.with_rank(2, 1).merge(c.with_rank(5, 1));
  c.set_output(0, Shape{kUnknownDim}.concat(rank));
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, rank);
}

void add_gradient(Context& c) {
  if (!c.grad(1)) return;
  const Node& node =
      c.graph().add("SparseAddGrad", {c.grad(1), c.input(0), c.input(3), c.output(0)});
  c.set(1, node.output(0));
  c.set(4, node.output(1));
}

void add_grad_shape(ShapeContext& c) {
  const Shape gradient = c.with_rank(0, 1), sums = c.with_rank(3, 2);
  if (!gradient.is_compatible_with(sums.slice(0, 1))) {
    throw c.error("`backprop_val_grad` has shape ", gradient, ", `sum_indices` has ", sums,
                  "; each sum needs a gradient");
  }
  for (int i : {1, 2}) {
    if (const Shape indices = c.with_rank(i, 2);
        !indices.slice(1).is_compatible_with(sums.slice(1))) {
      throw c.error("`", c.input_name(i), "` has shape ", indices, ", `sum_indices` has ", sums,
                    "; they must have as many columns");
    }
  }
  c.set_output(0, c.with_rank(1, 2).slice(0, 1));
  c.set_output(1, c.with_rank(2, 2).slice(0, 1));
}

void dense_add_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  const Shape dense = requested_shape(c, 2);
  if (!dense.is_compatible_with(c.input(3)))
    throw c.error("`b` has shape ", c.input(3), ", the sparse tensor ", dense);
  c.set_output(0, dense.merge(c.input(3)));
}

void reduce_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.set_output(0, reduced_shape(c, requested_shape(c, 2), 3, c.attr<bool>("keep_dims")));
}

void reduce_sparse_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.set_output(0, Shape{kUnknownDim, kUnknownDim});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{kUnknownDim});
}

// Each entry gets the gradient of the cell that it was summed into.
void reduce_gradient(Context& c) {
  const Output indices = c.input(0), shape = c.input(2);
  const Output ones = ones_like(shape);
  // The shape with reduced dimensions of size 1.
  const Output rank = cast(size_of(shape), kInt32);
  const Output axes = reshape(floor_mod(c.input(3), rank), {-1, 1});
  const Output updates = gather(ones, reshape(cast(zeros_like(axes), kInt32), {-1}));
  const Output kept = tensor_scatter_update(shape, axes, updates);
  const Output scale = floor_div(shape, kept);
  c.set(1, gather_nd(reshape(c.grad(), kept), floor_div(indices, scale)));
}

void softmax_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.set_output(0, c.with_rank(1, 1));
}

void softmax_gradient(Context& c) {
  const Output indices = c.input(0), shape = c.input(2), y = c.output(), g = c.grad();
  const Output last = constant(c.graph(), Tensor::of<int32_t>({-1}));
  const Output sums =
      add_op("SparseReduceSum", {indices, g * y, shape, last}, {{"keep_dims", true}});
  c.set(1, add_op("SparseDenseCwiseAdd", {indices, g, shape, -sums}) * y);
}

void cwise_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.set_output(0, c.with_rank(1, 1));
}

// The entries of `dense` that broadcast to the sparse ones, and where they lie in it.
struct Partner {
  Output indices;
  Output values;
};

Partner partner_of(const Context& c) {
  const Output indices = c.input(0), shape = c.input(2), dense = c.input(3);
  const Output dense_shape = shape_of(dense, kInt64);
  const Output missing = size_of(shape) - size_of(dense_shape);
  const Output one = constant(c.graph(), Tensor(int64_t{1}));
  const Output padded = concat({fill(reshape(missing, {1}), one), dense_shape}, 0);
  const Output scaled = floor_div(indices, floor_div(shape, padded));
  const Output zero = constant(c.graph(), Tensor(int32_t{0}));
  const Output own = slice(scaled, pack({zero, missing}), {-1, -1});
  return {own, gather_nd(dense, own)};
}

template <bool kDivide>
void cwise_gradient(Context& c) {
  const Output x = c.input(1), dense = c.input(3), g = c.grad();
  const Partner partner = partner_of(c);
  c.set(1, kDivide ? g / partner.values : g * partner.values);
  const Output by_dense = kDivide ? g * (-x / square(partner.values)) : g * x;
  c.set(3, scatter_nd(partner.indices, by_dense, shape_of(dense, kInt64)));
}

void extreme_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  check_sparse(c, 3, 4, 5);
  c.set_output(0, Shape{kUnknownDim}.concat(c.with_rank(2, 1).merge(c.with_rank(5, 1))));
  c.set_output(1, Shape{kUnknownDim});
}

constexpr const char* kNumber = "T: numbertype | Element type.";
constexpr const char* kAIndices = "a_indices: int64 | Where the entries of a lie, `[n, rank]`.";
constexpr const char* kAValues = "a_values: T | The entries of a, `[n]`.";
constexpr const char* kAShape = "a_shape: int64 | The dense shape of a, `[rank]`.";
constexpr const char* kBIndices = "b_indices: int64 | Where the entries of b lie, `[m, rank]`.";
constexpr const char* kBValues = "b_values: T | The entries of b, `[m]`.";
constexpr const char* kBShape = "b_shape: int64 | The dense shape of b, the same.";
constexpr const char* kInIndices = "input_indices: int64 | Where the entries lie, `[n, rank]`.";
constexpr const char* kInValues = "input_values: T | The entries, `[n]`.";
constexpr const char* kInShape = "input_shape: int64 | The dense shape, `[rank]`.";
constexpr const char* kAxes = "reduction_axes: int32 | Axes, each in [-rank, rank).";
constexpr const char* kKeepDims = "keep_dims: bool = false | Keep reduced dimensions, with size 1.";
constexpr const char* kSpIndices = "sp_indices: int64 | Where the entries lie, `[n, rank]`.";
constexpr const char* kSpValues = "sp_values: T | The entries, `[n]`.";
constexpr const char* kSpShape = "sp_shape: int64 | The dense shape, `[rank]`.";

constexpr OpDef reduce(std::string_view name, std::string_view doc, GradientFunction gradient,
                       std::string_view no_gradient) {
  return {.name = name,
          .inputs = {kInIndices, kInValues, kInShape, kAxes},
          .outputs = {"output: T | The dense result; 0 where there is no entry."},
          .attrs = {kKeepDims, kNumber},
          .doc = doc,
          .shape = reduce_shape,
          .gradient = gradient,
          .no_gradient = no_gradient};
}

constexpr OpDef reduce_sparse(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {kInIndices, kInValues, kInShape, kAxes},
          .outputs = {"output_indices: int64 | Where the results lie.",
                      "output_values: T | The results.", "output_shape: int64 | The dense shape."},
          .attrs = {kKeepDims, kNumber},
          .doc = doc,
          .shape = reduce_sparse_shape,
          .no_gradient = "TensorFlow has none"};
}

constexpr OpDef cwise(std::string_view name, std::string_view doc, GradientFunction gradient,
                      std::string_view no_gradient) {
  return {.name = name,
          .inputs = {kSpIndices, kSpValues, kSpShape,
                     "dense: T | A tensor that broadcasts to the dense shape."},
          .outputs = {"output: T | The entries, `[n]`."},
          .attrs = {kNumber},
          .doc = doc,
          .shape = cwise_shape,
          .gradient = gradient,
          .no_gradient = no_gradient};
}

constexpr OpDef extreme(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {kAIndices, kAValues, kAShape, kBIndices, kBValues, kBShape},
          .outputs = {"output_indices: int64 | Where the entries of either lie, in their order.",
                      "output_values: T | The results there."},
          .attrs = {kNumber},
          .doc = doc,
          .shape = extreme_shape,
          .no_gradient = "TensorFlow has none"};
}

constexpr OpDef kOps[] = {
    {.name = "SparseTensorDenseMatMul",
     .inputs = {"a_indices: Tindices | Where the entries of a lie, `[n, 2]`.", kAValues,
                "a_shape: int64 | Its dense shape, `[2]`.", "b: T | A matrix."},
     .outputs = {"product: T | Their product."},
     .attrs = {kNumber, "Tindices: {int32, int64} = int64 | Type of the indices.",
               "adjoint_a: bool = false | Whether a is transposed.",
               "adjoint_b: bool = false | Whether b is transposed."},
     .doc = "A sparse matrix times a dense one.",
     .shape = sparse_matmul_shape,
     .gradient = matmul_gradient},
    {.name = "SparseMatMul",
     .inputs = {"a: Ta | A matrix, perhaps with many zeros.", "b: Tb | Another."},
     .outputs = {"product: float | Their product."},
     .attrs = {"transpose_a: bool = false | Whether a is transposed.",
               "transpose_b: bool = false | Whether b is transposed.",
               "a_is_sparse: bool = false | Whether a has many zeros; changes no number.",
               "b_is_sparse: bool = false | Whether b has many zeros; changes no number.",
               "Ta: {float, bfloat16} = float | Type of a.",
               "Tb: {float, bfloat16} = float | Type of b."},
     .doc = "MatMul of matrices that may hold many zeros, in float32.",
     .shape = matmul_shape,
     .gradient = product_gradient},
    {.name = "SparseAdd",
     .inputs = {kAIndices, kAValues, kAShape, kBIndices, kBValues, kBShape,
                "thresh: Treal | Sums of lesser magnitude are left out, a scalar."},
     .outputs = {"sum_indices: int64 | Where the sums lie.", "sum_values: T | The sums.",
                 "sum_shape: int64 | The dense shape."},
     .attrs = {kNumber, "Treal: realnumbertype | Type of the threshold."},
     .doc = "The sum of two sparse tensors whose entries are in row-major order.",
     .shape = add_shape,
     .gradient = add_gradient},
    {.name = "SparseAddGrad",
     .inputs = {"backprop_val_grad: T | Gradient of the sums.", kAIndices, kBIndices,
                "sum_indices: int64 | Where the sums lie."},
     .outputs = {"a_val_grad: T | Gradient of a's entries, `[n]`.",
                 "b_val_grad: T | Gradient of b's entries, `[m]`."},
     .attrs = {kNumber},
     .doc = "Gradient of SparseAdd by the entries.",
     .shape = add_grad_shape,
     .no_gradient = "TensorFlow has none"},
    {.name = "SparseTensorDenseAdd",
     .inputs = {"a_indices: Tindices | Where the entries of a lie, `[n, rank]`.", kAValues,
                "a_shape: Tindices | Its dense shape, `[rank]`.", "b: T | A tensor of that shape."},
     .outputs = {"output: T | Their sum."},
     .attrs = {kNumber, "Tindices: {int32, int64} | Type of the indices."},
     .doc = "A dense tensor with the entries of a sparse one added.",
     .shape = dense_add_shape,
     .gradient =
         [](Context& c) {
           c.set(1, gather_nd(c.grad(), c.input(0)));
           c.set(3, c.grad());
         }},
    reduce("SparseReduceSum", "Sums of a sparse tensor over axes.", reduce_gradient, {}),
    reduce("SparseReduceMax", "Largest entries of a sparse tensor over axes.", nullptr,
           "TensorFlow has none"),
    reduce_sparse("SparseReduceSumSparse", "SparseReduceSum with a sparse result."),
    reduce_sparse("SparseReduceMaxSparse", "SparseReduceMax with a sparse result."),
    {.name = "SparseSoftmax",
     .inputs = {kSpIndices, kSpValues, kSpShape},
     .outputs = {"output: T | The results at the entries, `[n]`."},
     .attrs = {"T: {half, float, double} | Element type."},
     .doc = "Softmax over the entries along the last dimension; what has no entry stays out of it.",
     .shape = softmax_shape,
     .gradient = softmax_gradient},
    cwise("SparseDenseCwiseAdd", "Entries of a sparse tensor plus a dense one at their places.",
          nullptr, "TensorFlow has none: what is added where there is no entry is lost"),
    cwise("SparseDenseCwiseMul", "Entries of a sparse tensor times a dense one at their places.",
          cwise_gradient<false>, {}),
    cwise("SparseDenseCwiseDiv", "Entries of a sparse tensor by a dense one at their places.",
          cwise_gradient<true>, {}),
    extreme("SparseSparseMaximum", "The larger of two sparse tensors where either has an entry."),
    extreme("SparseSparseMinimum", "The lesser of two sparse tensors where either has an entry."),
};

}  // namespace

std::span<const OpDef> sparse_math_ops() { return kOps; }

}  // namespace thalweg
