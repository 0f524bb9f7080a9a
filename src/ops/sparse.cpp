// Sparse tensors, given as indices, values and a shape: what changes where their entries lie.
#include "thalweg/ops/sparse.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/sparse_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using rows::check_sparse;
using rows::kSparseAny;
using rows::kSparseIndices;
using rows::kSparseShape;
using rows::kSparseValues;
using Context = GradientContext;

void to_dense_shape(ShapeContext& c) {
  if (c.input(0).rank() > 2) throw c.error("`sparse_indices` has shape ", c.input(0));
  if (c.input(2).rank() > 1) throw c.error("`sparse_values` has shape ", c.input(2));
  c.with_rank(3, 0);
  c.set_output(0, requested_shape(c, 1));
}

void to_dense_gradient(Context& c) {
  const int rank = c.input(0).shape().rank();
  if (rank < 0)
    throw unimplemented(c.node(), ": its gradient needs to know the rank of `sparse_indices`");
  const Output g = c.grad();
  // Index vectors of a vector may be given as numbers.
  const Output vectors = rank == 2 ? c.input(0) : reshape(c.input(0), {-1, 1});
  const Output values = gather_nd(g, vectors);
  const Output sum = reduce_sum(values);
  if (c.input(2).shape().rank() < 0)
    throw unimplemented(c.node(), ": its gradient needs to know the rank of `sparse_values`");
  c.set(2, c.input(2).shape().rank() == 0 ? sum : values);
  c.set(3, reduce_sum(g) - sum);
}

void reshape_shape(ShapeContext& c) {
  const Shape indices = c.with_rank(0, 2), to = c.with_rank(2, 1);
  c.with_rank(1, 1);
  c.set_output(0, Shape{indices[0], to[0]});
  c.set_output(1, to);
}

void reorder_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.set_output(0, c.with_rank(0, 2));
  c.set_output(1, c.with_rank(1, 1));
}

// The entries' numbers, reordered as they were, tell where each came from.
void reorder_gradient(Context& c) {
  if (!c.grad(1)) return;
  Graph& graph = c.graph();
  const Output zero = constant(graph, Tensor(int64_t{0})),
               one = constant(graph, Tensor(int64_t{1}));
  const Output numbers = range(zero, size_of(c.input(1), kInt64), one);
  const Node& ordered = graph.add("SparseReorder", {c.input(0), numbers, c.input(2)});
  c.set(1, gather(c.grad(1), invert_permutation(ordered.output(1))));
}

void set_sparse(ShapeContext& c, int first, int64_t rank) {
  c.set_output(first, Shape{kUnknownDim, rank});
  c.set_output(first + 1, Shape{kUnknownDim});
  c.set_output(first + 2, Shape{rank});
}

void concat_shape(ShapeContext& c) {
  const int count = c.num_inputs() / 3;
  int64_t rank = kUnknownDim;
  for (int i = 0; i < count; ++i) {
    check_sparse(c, i, count + i, 2 * count + i);
    const int64_t columns = c.with_rank(i, 2)[1];
    if (rank != kUnknownDim && columns != kUnknownDim && rank != columns)
      throw c.error("the tensors have ", rank, " and ", columns, " dimensions");
    if (columns != kUnknownDim) rank = columns;
  }
  set_sparse(c, 0, rank);
}

void split_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  check_sparse(c, 1, 2, 3);
  const int64_t rank = c.with_rank(1, 2)[1];
  const int count = c.num_outputs() / 3;
  for (int i = 0; i < count; ++i) {
    c.set_output(i, Shape{kUnknownDim, rank});
    c.set_output(count + i, Shape{kUnknownDim});
    c.set_output(2 * count + i, Shape{rank});
  }
}

void slice_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.with_rank(3, 1);
  c.with_rank(4, 1);
  set_sparse(c, 0, c.with_rank(0, 2)[1]);
}

void slice_gradient(Context& c) {
  if (!c.grad(1)) return;
  c.set(1, add_op("SparseSliceGrad", {c.grad(1), c.input(0), c.input(3), c.output(0)}));
}

void slice_grad_shape(ShapeContext& c) {
  const Shape indices = c.with_rank(1, 2);
  check_sparse(c, 3, 0, 2);
  if (!c.with_rank(3, 2).slice(1).is_compatible_with(indices.slice(1))) {
    throw c.error("`output_indices` has shape ", c.input(3), ", `input_indices` has ", indices,
                  "; they must have as many columns");
  }
  c.set_output(0, indices.slice(0, 1));
}

void fill_shape(ShapeContext& c) {
  check_sparse(c, 0, 1, 2);
  c.with_rank(3, 0);
  const Shape indices = c.with_rank(0, 2);
  const auto dense = c.constant_ints(2);
  if (dense && dense->empty()) throw c.error("`dense_shape` is empty: there are no rows");
  const bool known = dense && (*dense)[0] >= 0;
  c.set_output(0, Shape{kUnknownDim, indices[1]});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{known ? (*dense)[0] : kUnknownDim});
  c.set_output(3, indices.slice(0, 1));
}

void fill_gradient(Context& c) {
  if (!c.grad(1)) return;
  const Node& node = c.graph().add("SparseFillEmptyRowsGrad", {c.output(3), c.grad(1)});
  c.set(1, node.output(0));
  c.set(3, node.output(1));
}

void fill_grad_shape(ShapeContext& c) {
  c.with_rank(1, 1);
  c.set_output(0, c.with_rank(0, 1));
  c.set_output(1, Shape{});
}

constexpr std::string_view kNoEntries = "TensorFlow has none: entries move as their indices say";
constexpr const char* kOutIndices = "output_indices: int64 | Where the entries lie, `[n, rank]`.";
constexpr const char* kOutValues = "output_values: T | The entries, `[n]`.";
constexpr const char* kOutShape = "output_shape: int64 | The dense shape, `[rank]`.";
constexpr const char* kInIndices = "input_indices: int64 | Where the entries lie, `[n, rank]`.";
constexpr const char* kInValues = "input_values: T | The entries, `[n]`.";
constexpr const char* kInShape = "input_shape: int64 | The dense shape, `[rank]`.";

constexpr OpDef kOps[] = {
    {.name = "SparseToDense",
     .inputs = {"sparse_indices: Tindices | Where the entries lie, `[n, rank]`; of a vector `[n]`, "
                "or a scalar.",
                "output_shape: Tindices | The dense shape, `[rank]`.",
                "sparse_values: T | The entries, `[n]`, or one for all.",
                "default_value: T | What stands elsewhere, a scalar."},
     .outputs = {"dense: T | Of shape `output_shape`."},
     .attrs = {"validate_indices: bool = true | Whether the indices must rise, none twice.",
               kSparseAny, "Tindices: {int32, int64} | Type of the indices."},
     .doc = "A sparse tensor made dense.",
     .shape = to_dense_shape,
     .gradient = to_dense_gradient},
    {.name = "SparseReshape",
     .inputs = {kInIndices, kInShape,
                "new_shape: int64 | The new shape; one entry may be -1 and is then what is left."},
     .outputs = {kOutIndices, kOutShape},
     .attrs = {},
     .doc = "The same entries under another dense shape.",
     .shape = reshape_shape,
     .no_gradient = "indices are integers"},
    {.name = "SparseReorder",
     .inputs = {kInIndices, kInValues, kInShape},
     .outputs = {kOutIndices, kOutValues},
     .attrs = {kSparseAny},
     .doc = "The entries in row-major order.",
     .shape = reorder_shape,
     .gradient = reorder_gradient},
    {.name = "SparseConcat",
     .inputs = {"indices: N * int64 | Where the entries of each lie.",
                "values: N * T | The entries.",
                "shapes: N * int64 | The dense shapes, the same but along `concat_dim`."},
     .outputs = {kOutIndices, kOutValues, kOutShape},
     .attrs = {"concat_dim: int | The dimension, in `[-rank, rank)`.", "N: int >= 2 | How many.",
               kSparseAny},
     .doc = "Joins sparse tensors along a dimension; the entries come in row-major order.",
     .shape = concat_shape,
     .no_gradient = kNoEntries},
    {.name = "SparseSplit",
     .inputs = {"split_dim: int64 | The dimension, a scalar.", kSparseIndices, kSparseValues,
                kSparseShape},
     .outputs = {"output_indices: num_split * int64 | Where the entries of each lie.",
                 "output_values: num_split * T | The entries.",
                 "output_shape: num_split * int64 | The dense shapes."},
     .attrs = {"num_split: int >= 1 | How many; the first have one more where it is not even.",
               kSparseAny},
     .doc = "Splits a sparse tensor along a dimension.",
     .shape = split_shape,
     .no_gradient = kNoEntries},
    {.name = "SparseSlice",
     .inputs = {kSparseIndices, kSparseValues, kSparseShape,
                "start: int64 | The first position, `[rank]`.",
                "size: int64 | The size, `[rank]`."},
     .outputs = {kOutIndices, kOutValues, kOutShape},
     .attrs = {kSparseAny},
     .doc = "A block of a sparse tensor; what goes past the end is left out.",
     .shape = slice_shape,
     .gradient = slice_gradient},
    {.name = "SparseSliceGrad",
     .inputs = {"backprop_val_grad: T | Gradient of the block's entries, `[m]`.",
                "input_indices: int64 | Where the entries lay, `[n, rank]`.",
                "input_start: int64 | The block's first position, `[rank]`.",
                "output_indices: int64 | Where the block's entries lie, `[m, rank]`."},
     .outputs = {"val_grad: T | Gradient of the entries, `[n]`."},
     .attrs = {"T: numbertype | Element type."},
     .doc = "Gradient of SparseSlice by the entries.",
     .shape = slice_grad_shape,
     .no_gradient = "TensorFlow has none"},
    {.name = "SparseFillEmptyRows",
     .inputs = {kSparseIndices, kSparseValues, "dense_shape: int64 | The dense shape, `[rank]`.",
                "default_value: T | What an empty row gets, a scalar."},
     .outputs = {kOutIndices, kOutValues,
                 "empty_row_indicator: bool | Which rows were empty, `[rows]`.",
                 "reverse_index_map: int64 | Where each entry went, `[n]`."},
     .attrs = {kSparseAny},
     .doc = "Gives rows without entries one at their first place; the entries come row by row.",
     .shape = fill_shape,
     .gradient = fill_gradient},
    {.name = "SparseFillEmptyRowsGrad",
     .inputs = {"reverse_index_map: int64 | Where each entry went, `[n]`.",
                "grad_values: T | Gradient of the filled tensor's entries."},
     .outputs = {"d_values: T | Gradient of the entries, `[n]`.",
                 "d_default_value: T | Gradient of the default, a scalar."},
     .attrs = {"T: numbertype | Element type."},
     .doc = "Gradient of SparseFillEmptyRows.",
     .shape = fill_grad_shape,
     .no_gradient = "TensorFlow has none"},
};

}  // namespace

std::span<const OpDef> sparse_ops() { return kOps; }

SparseTensor sparse_reorder(const SparseTensor& x, const SparseOptions& options) {
  const Node& node = x.values.graph().add("SparseReorder", {x.indices, x.values, x.shape}, {},
                                          {.name = options.name});
  return {node.output(0), node.output(1), x.shape};
}

SparseTensor sparse_reshape(const SparseTensor& x, const IntVector& shape,
                            const SparseOptions& options) {
  const Node& node = x.values.graph().add("SparseReshape",
                                          {x.indices, x.shape, shape.in(x.values.graph(), kInt64)},
                                          {}, {.name = options.name});
  return {node.output(0), x.values, node.output(1)};
}

Output sparse_to_dense(const SparseTensor& x, Output default_value, const SparseOptions& options) {
  return add_op("SparseToDense", {x.indices, x.shape, x.values, default_value}, {}, options.name);
}

Output sparse_matmul(const SparseTensor& a, Output b, const SparseMatmulOptions& options) {
  return add_op("SparseTensorDenseMatMul", {a.indices, a.values, a.shape, b},
                {{"adjoint_a", options.adjoint_a}, {"adjoint_b", options.adjoint_b}}, options.name);
}

}  // namespace thalweg
