// Reductions by segment of rows that are looked up: embedding bags.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/row_count.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/segments.h"

namespace thalweg {
namespace {

using Context = GradientContext;

void check_ids(const ShapeContext& c) {
  const Shape indices = c.with_rank(1, 1), ids = c.with_rank(2, 1);
  if (!indices.is_compatible_with(ids)) {
    throw c.error("`indices` has shape ", indices, ", `segment_ids` has ", ids,
                  "; they must be the same");
  }
}

// `count`: the input with the size of the first dimension, or -1.
template <int kCount>
void rows_shape(ShapeContext& c) {
  check_ids(c);
  const Shape data = c.with_rank_at_least(0, 1);
  int64_t rows = kUnknownDim;
  if (kCount >= 0) {
    c.with_rank(kCount, 0);
    rows = known_scalar(c, kCount).value_or(kUnknownDim);
    if (rows < kUnknownDim) throw c.error("`", c.input_name(kCount), "` is negative");
  }
  c.set_output(0, data.has_rank() ? Shape{rows}.concat(data.slice(1)) : Shape::unknown());
}

void unique_rows_shape(ShapeContext& c) {
  rows_shape<-1>(c);
  c.with_rank(3, 0);
  c.set_output(1, Shape::unknown_of_rank(1));
}

template <const char* kGradOp>
void forward_gradient(Context& c) {
  c.set(0, add_op(kGradOp, {c.grad(), c.input(1), c.input(2), row_count(c.input(0))}));
}

// The gradient is linear in what flows in, and leads back through the forward op.
template <const char* kForwardOp>
void backward_gradient(Context& c) {
  c.set(0, add_op(kForwardOp, {c.grad(), c.input(1), c.input(2), row_count(c.input(0))}));
}

constexpr char kSumGrad[] = "SparseSegmentSumGrad";
constexpr char kMeanGrad[] = "SparseSegmentMeanGrad";
constexpr char kSqrtNGrad[] = "SparseSegmentSqrtNGrad";
constexpr char kSum[] = "SparseSegmentSumWithNumSegments";
constexpr char kMean[] = "SparseSegmentMeanWithNumSegments";
constexpr char kSqrtN[] = "SparseSegmentSqrtNWithNumSegments";

constexpr const char* kData = "data: T | A table, `[rows, ...]`.";
constexpr const char* kIndices = "indices: Tidx | Rows of it, `[n]`.";
constexpr const char* kIds =
    "segment_ids: Tsegmentids | The segment of each, none negative and in rising order, `[n]`.";
constexpr const char* kCount = "num_segments: Tnumsegments | How many segments, a scalar.";
constexpr const char* kGrad = "grad: T | The gradient of the segments, `[segments, ...]`.";
constexpr const char* kResult = "output: T | `[segments, ...]`; zeros for one without rows.";
constexpr const char* kNumber = "T: numbertype | Element type.";
constexpr const char* kFloat = "T: {bfloat16, half, float, double} | Element type.";
constexpr const char* kIndexType = "Tidx: {int32, int64} = int32 | Type of the indices.";
constexpr const char* kIdType = "Tsegmentids: {int32, int64} = int32 | Type of the ids.";
constexpr const char* kCountType = "Tnumsegments: {int32, int64} = int32 | Type of `num_segments`.";
constexpr const char* kSparse =
    "sparse_gradient: bool = false | Kept for graph files; gradients are dense.";

constexpr OpDef bag(std::string_view name, const char* types, std::string_view doc,
                    GradientFunction gradient) {
  return {.name = name,
          .inputs = {kData, kIndices, kIds},
          .outputs = {kResult},
          .attrs = {types, kIndexType, kIdType, kSparse},
          .doc = doc,
          .shape = rows_shape<-1>,
          .gradient = gradient};
}

constexpr OpDef counted(std::string_view name, const char* types, std::string_view doc,
                        GradientFunction gradient) {
  return {.name = name,
          .inputs = {kData, kIndices, kIds, kCount},
          .outputs = {kResult},
          .attrs = {types, kIndexType, kCountType, kIdType, kSparse},
          .doc = doc,
          .shape = rows_shape<3>,
          .gradient = gradient};
}

constexpr OpDef backward(std::string_view name, std::string_view doc, GradientFunction gradient) {
  return {.name = name,
          .inputs = {kGrad, kIndices, kIds, "output_dim0: int32 | Rows of the table, a scalar."},
          .outputs = {"output: T | The gradient of the table, `[rows, ...]`."},
          .attrs = {kFloat, kIndexType, kIdType},
          .doc = doc,
          .shape = rows_shape<3>,
          .gradient = gradient};
}

constexpr OpDef backward_v2(std::string_view name, std::string_view doc) {
  return {
      .name = name,
      .inputs = {kGrad, kIndices, kIds, "dense_output_dim0: int32 | Rows of the table, a scalar."},
      .outputs = {"output: T | The gradient of the rows that are in use, `[m, ...]`.",
                  "sorted_unique_indices: Tidx | Which they are, in rising order, `[m]`."},
      .attrs = {kFloat, kIndexType, kIdType},
      .doc = doc,
      .shape = unique_rows_shape,
      .no_gradient = "TensorFlow has none; that of the first version has"};
}

constexpr OpDef kOps[] = {
    bag("SparseSegmentSum", kNumber, "Sums by segment of rows that are looked up.",
        forward_gradient<kSumGrad>),
    bag("SparseSegmentMean", kFloat, "Means by segment of rows that are looked up.",
        forward_gradient<kMeanGrad>),
    bag("SparseSegmentSqrtN", kFloat,
        "Sums by segment of rows that are looked up, divided by the root of their number.",
        forward_gradient<kSqrtNGrad>),
    counted(kSum, kNumber, "SparseSegmentSum with the number of segments told.",
            forward_gradient<kSumGrad>),
    counted(kMean, kFloat, "SparseSegmentMean with the number of segments told.",
            forward_gradient<kMeanGrad>),
    counted(kSqrtN, kFloat, "SparseSegmentSqrtN with the number of segments told.",
            forward_gradient<kSqrtNGrad>),
    backward(kSumGrad, "Gradient of SparseSegmentSum by the table.", backward_gradient<kSum>),
    backward(kMeanGrad, "Gradient of SparseSegmentMean by the table.", backward_gradient<kMean>),
    backward(kSqrtNGrad, "Gradient of SparseSegmentSqrtN by the table.", backward_gradient<kSqrtN>),
    backward_v2("SparseSegmentSumGradV2", "Gradient of SparseSegmentSum, of rows in use alone."),
    backward_v2("SparseSegmentMeanGradV2", "Gradient of SparseSegmentMean, of rows in use alone."),
    backward_v2("SparseSegmentSqrtNGradV2",
                "Gradient of SparseSegmentSqrtN, of rows in use alone."),
};

}  // namespace

std::span<const OpDef> sparse_segments_ops() { return kOps; }

Output sparse_segment_sum(Output data, Output indices, Output ids, const SegmentOptions& options) {
  return add_op("SparseSegmentSum", {data, indices, ids}, {}, options.name);
}
Output sparse_segment_mean(Output data, Output indices, Output ids, const SegmentOptions& options) {
  return add_op("SparseSegmentMean", {data, indices, ids}, {}, options.name);
}
Output sparse_segment_sqrt_n(Output data, Output indices, Output ids,
                             const SegmentOptions& options) {
  return add_op("SparseSegmentSqrtN", {data, indices, ids}, {}, options.name);
}

}  // namespace thalweg
