// Ragged tensors, given as row splits and flat values, and counts of integers in rows.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/sparse_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using Context = GradientContext;

void range_shape(ShapeContext& c) {
  int64_t rows = kUnknownDim;  // the length of the vectors
  bool all_scalars = true;
  for (int i = 0; i < 3; ++i) {
    const Shape& x = c.input(i);
    if (x.rank() > 1)
      throw c.error("`", c.input_name(i), "` must be a scalar or a vector, got ", x);
    all_scalars = all_scalars && x.rank() == 0;
    if (x.rank() != 1 || x[0] == kUnknownDim) continue;
    if (rows != kUnknownDim && rows != x[0]) {
      throw c.error("`starts`, `limits` and `deltas` have ", rows, " and ", x[0],
                    " entries; vectors must have as many");
    }
    rows = x[0];
  }
  if (all_scalars) rows = 1;
  c.set_output(0, Shape{add_dims(rows, 1)});
  c.set_output(1, Shape{kUnknownDim});
}

void gather_shape(ShapeContext& c) {
  const int params = static_cast<int>(c.attr<int64_t>("PARAMS_RAGGED_RANK"));
  const int outputs = static_cast<int>(c.attr<int64_t>("OUTPUT_RAGGED_RANK"));
  for (int i = 0; i < params; ++i) c.with_rank(i, 1);
  const Shape values = c.with_rank_at_least(params, 1);
  const Shape& indices = c.input(params + 1);
  if (indices.has_rank() && outputs != params + indices.rank() - 1) {
    throw c.error("`OUTPUT_RAGGED_RANK` is ", outputs, ", expected ", params + indices.rank() - 1,
                  " for indices of shape ", indices);
  }
  for (int i = 0; i < outputs; ++i) c.set_output(i, Shape{kUnknownDim});
  c.set_output(outputs, values.has_rank() ? Shape{kUnknownDim}.concat(values.slice(1)) : values);
}

void to_sparse_shape(ShapeContext& c) {
  const int ragged = static_cast<int>(c.attr<int64_t>("RAGGED_RANK"));
  for (int i = 0; i < ragged; ++i) c.with_rank(i, 1);
  const Shape values = c.with_rank_at_least(ragged, 1);
  const int64_t rank = values.has_rank() ? values.rank() + ragged : kUnknownDim;
  const int64_t count = values.is_fully_defined() ? values.num_elements() : kUnknownDim;
  c.set_output(0, Shape{count, rank});
  c.set_output(1, Shape{count});
  c.set_output(2, Shape{rank});
}

void to_sparse_gradient(Context& c) {
  if (!c.grad(1)) return;
  const int values = c.num_inputs() - 1;
  c.set(values, reshape(c.grad(1), shape_of(c.input(values))));
}

void to_tensor_shape(ShapeContext& c) {
  const auto dims = c.constant_ints(0);
  if (c.input(0).rank() == 0 || !dims) return c.set_output(0, Shape::unknown());
  std::vector<int64_t> shape;
  for (int64_t dim : *dims) shape.push_back(dim < 0 ? kUnknownDim : dim);
  c.set_output(0, Shape(shape));
}

void set_counts(ShapeContext& c, int64_t rank) {
  c.set_output(0, Shape{kUnknownDim, rank});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{rank});
}

void dense_count_shape(ShapeContext& c) {
  const Shape& values = c.input(0);
  if (values.has_rank() && (values.rank() < 1 || values.rank() > 2))
    throw c.error("`values` must be a vector or a matrix, got shape ", values);
  set_counts(c, values.has_rank() ? values.rank() : kUnknownDim);
}

void sparse_count_shape(ShapeContext& c) {
  rows::check_sparse(c, 0, 1, 2);
  const Shape rank = c.with_rank(2, 1);
  if (rank[0] != kUnknownDim && rank[0] != 1 && rank[0] != 2)
    throw c.error("`dense_shape` must have 1 or 2 entries, got shape ", rank);
  set_counts(c, c.with_rank(2, 1)[0]);
}

void ragged_count_shape(ShapeContext& c) {
  c.with_rank(0, 1);
  c.with_rank(1, 1);
  set_counts(c, 2);
}

constexpr std::string_view kCountsJump = "counts of integers have none";
constexpr const char* kAny = "T: type | Element type.";
constexpr const char* kSplitsType = "Tsplits: {int32, int64} = int64 | Type of the splits.";
constexpr const char* kWeights =
    "weights: output_type | Of the shape of `values`, or empty: 1 each.";
constexpr const char* kMinLength =
    "minlength: int >= -1 = -1 | Counts are made for at least as many numbers; -1: for those met.";
constexpr const char* kMaxLength =
    "maxlength: int >= -1 = -1 | Numbers from here on are passed over; -1: none are.";
constexpr const char* kBinary = "binary_output: bool | Whether a number occurs: 1.";
constexpr const char* kCountType =
    "output_type: {int32, int64, float, double} | Type of the counts.";
constexpr const char* kValueType = "T: {int32, int64} | Type of the numbers.";

constexpr OpDef count(std::string_view name, const Specs& inputs, std::string_view doc,
                      ShapeFunction shape) {
  return {.name = name,
          .inputs = inputs,
          .outputs = {"output_indices: int64 | Row and number of each count, `[m, rank]`.",
                      "output_values: output_type | The counts, `[m]`.",
                      "output_dense_shape: int64 | The dense shape, `[rank]`."},
          .attrs = {kValueType, kMinLength, kMaxLength, kBinary, kCountType},
          .doc = doc,
          .shape = shape,
          .no_gradient = kCountsJump};
}

constexpr OpDef kOps[] = {
    {.name = "RaggedRange",
     .inputs = {"starts: T | The first number of each row, `[rows]` or a scalar.",
                "limits: T | Where each stops, itself left out.", "deltas: T | The step, not 0."},
     .outputs = {"rt_nested_splits: Tsplits | Where rows begin, `[rows + 1]`.",
                 "rt_dense_values: T | The numbers of all rows."},
     .attrs = {"T: {bfloat16, float, double, int32, int64} = int32 | Element type.", kSplitsType},
     .doc = "A row of evenly spaced numbers for each start.",
     .shape = range_shape,
     .no_gradient = "TensorFlow has none"},
    {.name = "RaggedGather",
     .inputs = {"params_nested_splits: PARAMS_RAGGED_RANK * Tsplits | Where rows begin, from the "
                "outermost dimension.",
                "params_dense_values: Tvalues | The values of all rows.",
                "indices: Tindices | Outermost rows, of any shape."},
     .outputs = {"output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits | Where the result's rows "
                 "begin.",
                 "output_dense_values: Tvalues | The values of its rows."},
     .attrs = {"Tvalues: type | Element type.", "Tindices: {int32, int64} | Type of the indices.",
               kSplitsType, "PARAMS_RAGGED_RANK: int >= 1 | Ragged dimensions of the table.",
               "OUTPUT_RAGGED_RANK: int >= 0 | Ragged dimensions of the result."},
     .doc = "Rows of a ragged tensor. An index out of range is an error.",
     .shape = gather_shape,
     .no_gradient = "rows are gathered whole; gather from the dense values to differentiate"},
    {.name = "RaggedTensorToSparse",
     .inputs = {"rt_nested_splits: RAGGED_RANK * Tsplits | Where rows begin, from the outermost "
                "dimension.",
                "rt_dense_values: T | The values of all rows."},
     .outputs = {"sparse_indices: int64 | Where the values lie, `[n, rank]`.",
                 "sparse_values: T | The values, `[n]`.",
                 "sparse_dense_shape: int64 | The dense shape, as wide as the longest rows."},
     .attrs = {"RAGGED_RANK: int >= 1 | Ragged dimensions.", kAny, kSplitsType},
     .doc = "A ragged tensor as a sparse one.",
     .shape = to_sparse_shape,
     .gradient = to_sparse_gradient},
    {.name = "RaggedTensorToTensor",
     .inputs =
         {"shape: Tshape | The dense shape; -1: as wide as the longest rows; a scalar -1: all "
          "of it.",
          "values: T | The values of all rows.",
          "default_value: T | What fills shorter rows, broadcast to an inner value.",
          "row_partition_tensors: num_row_partition_tensors * Tindex | How values form rows, "
          "from the outermost dimension."},
     .outputs = {"result: T | The dense tensor; longer rows are cut."},
     .attrs = {kAny, "Tindex: {int64, int32} | Type of the partitions.",
               "Tshape: {int64, int32} | Type of `shape`.",
               "num_row_partition_tensors: int >= 1 | How many partitions.",
               "row_partition_types: list(string) | What each is: FIRST_DIM_SIZE, VALUE_ROWIDS or "
               "ROW_SPLITS."},
     .doc = "A ragged tensor as a dense one.",
     .shape = to_tensor_shape,
     .no_gradient = "shorter rows are filled; take RaggedTensorToSparse to differentiate"},
    count("DenseCountSparseOutput",
          {"values: T | Numbers, none negative, `[n]` or `[rows, n]`.", kWeights},
          "How often each number occurs (in each row), as a sparse tensor.", dense_count_shape),
    count("SparseCountSparseOutput",
          {"indices: int64 | Where the numbers lie, `[n, rank]`.",
           "values: T | Numbers, none negative, `[n]`.",
           "dense_shape: int64 | The dense shape, `[1]` or `[2]`.", kWeights},
          "How often each number of a sparse tensor occurs (in each row).", sparse_count_shape),
    count("RaggedCountSparseOutput",
          {"splits: int64 | Where rows begin, `[rows + 1]`.",
           "values: T | Numbers, none negative, `[n]`.", kWeights},
          "How often each number occurs in each row of a ragged tensor.", ragged_count_shape),
};

}  // namespace

std::span<const OpDef> ragged_ops() { return kOps; }

}  // namespace thalweg
