// Reductions of slices that belong together. Gradients lead each slice back from its segment.
#include "thalweg/ops/segments.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/segment_sum.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

int64_t known_segments(const ShapeContext& c, int i) {
  c.with_rank(i, 0);
  const auto count = known_scalar(c, i);
  if (count && *count < 0) throw c.error("`num_segments` is ", *count, ", it must not be negative");
  return count.value_or(kUnknownDim);
}

// One id for each row; the number of segments is the last input, or unknown.
void sorted_shape(ShapeContext& c) {
  const Shape data = c.with_rank_at_least(0, 1);
  const Shape ids = c.with_rank(1, 1);
  const int64_t segments = c.num_inputs() > 2 ? known_segments(c, 2) : kUnknownDim;
  if (!data.has_rank()) return c.set_output(0, Shape::unknown());
  if (!data.slice(0, 1).is_compatible_with(ids)) {
    throw c.error("`segment_ids` has shape ", ids, ", expected one id for each row of `data`, ",
                  data);
  }
  c.set_output(0, Shape{segments}.concat(data.slice(1)));
}

// Ones that broadcast with rows: as `ids`, with dimensions of size 1 for those of a slice.
Output like_slices(Output x, Output rows) {
  if (rows.shape().has_rank() && x.shape().has_rank()) {
    for (int i = x.shape().rank(); i < rows.shape().rank(); ++i) x = expand_dims(x, -1);
    return x;
  }
  const Output one = constant(x.graph(), Tensor(int32_t{1}));
  return reshape(x, concat({shape_of(x), fill(reshape(rank_of(rows) - rank_of(x), {1}), one)}, 0));
}

// What leads from slices to segments and back, whether ids are sorted or not.
class Segments {
 public:
  explicit Segments(const Context& c) : c_(c), ids_(c.input(1)), sorted_(c.num_inputs() == 2) {}

  Output reduce(const char* sorted, const char* unsorted, Output data) const {
    return sorted_ ? add_op(sorted, {data, ids_}) : add_op(unsorted, {data, ids_, c_.input(2)});
  }
  Output sum(Output data) const { return reduce("SegmentSum", "UnsortedSegmentSum", data); }
  // For each slice the row of its segment; zeros where the slice was dropped.
  Output spread(Output rows) const {
    if (sorted_) return gather(rows, ids_);
    const Output zero = scalar_like(ids_, 0);
    const Output spread = gather(rows, maximum(ids_, zero));
    return select(like_slices(greater_equal(ids_, zero), spread), spread, zeros_like(spread));
  }

 private:
  const Context& c_;
  Output ids_;
  bool sorted_;
};

void mean_gradient(Context& c) {
  const Output ids = c.input(1);
  const Output ones = like_slices(cast(ones_like(ids), c.grad().dtype()), c.input(0));
  const Segments segments(c);
  c.set(0, segments.spread(c.grad() / segments.sum(ones)));
}

// As of Prod: the product of the others, found by division where nothing is zero.
void prod_gradient(Context& c) {
  const Segments segments(c);
  const Output data = c.input(0);
  const Output is_zero = equal(data, 0.0);
  const Output zeros = segments.sum(cast(is_zero, data.dtype()));
  const Output grad = select(greater(zeros, 1.0), 0.0, c.grad());
  const Output others = select(is_zero, 1.0, data);
  const Output product = segments.reduce("SegmentProd", "UnsortedSegmentProd", others);
  const Output slope =
      select(is_zero, segments.spread(product), segments.spread(c.output()) / others);
  c.set(0, segments.spread(grad) * slope);
}

// Slices equal to the extreme share its gradient in equal parts.
void extreme_gradient(Context& c) {
  const Segments segments(c);
  const Output chosen = equal(c.input(0), segments.spread(c.output()));
  const Output number = segments.sum(cast(chosen, c.grad().dtype()));
  // A segment without any would divide by zero, though nothing of it is spread.
  const Output share = c.grad() / maximum(number, 1.0);
  c.set(0, select(chosen, segments.spread(share), 0.0));
}

constexpr const char* kData = "data: T | Rows, `[rows, ...]`.";
constexpr const char* kSortedIds =
    "segment_ids: Tindices | The segment of each row, none negative and in rising order, `[rows]`.";
constexpr const char* kSlices = "data: T | A tensor.";
constexpr const char* kAnyIds =
    "segment_ids: Tindices | The segment of each slice, of a shape that starts that of `data`. "
    "Negative: nowhere.";
constexpr const char* kCount = "num_segments: Tnumsegments | How many segments, a scalar.";
constexpr const char* kResult = "output: T | `[segments, ...]`.";
constexpr const char* kNumber = "T: numbertype | Element type.";
constexpr const char* kIndex = "Tindices: {int32, int64} | Type of the ids.";
constexpr const char* kCountType = "Tnumsegments: {int32, int64} = int32 | Type of `num_segments`.";

constexpr OpDef sorted(std::string_view name, std::string_view doc, GradientFunction gradient) {
  return {.name = name,
          .inputs = {kData, kSortedIds},
          .outputs = {kResult},
          .attrs = {kNumber, kIndex},
          .doc = doc,
          .shape = sorted_shape,
          .gradient = gradient};
}

constexpr OpDef sorted_v2(std::string_view name, std::string_view doc, GradientFunction gradient) {
  return {.name = name,
          .inputs = {kData, kSortedIds, kCount},
          .outputs = {kResult},
          .attrs = {kNumber, kIndex, kCountType},
          .doc = doc,
          .shape = sorted_shape,
          .gradient = gradient};
}

constexpr OpDef unsorted(std::string_view name, std::string_view doc, GradientFunction gradient) {
  return {.name = name,
          .inputs = {kSlices, kAnyIds, kCount},
          .outputs = {kResult},
          .attrs = {kNumber, kIndex, kCountType},
          .doc = doc,
          .shape = unsorted_segments_shape,
          .gradient = gradient};
}

constexpr OpDef kOps[] = {
    sorted("SegmentSum", "Sums rows by segment; 0 over nothing.", segment_sum_gradient),
    sorted("SegmentMean", "Means of rows by segment; 0 over nothing.", mean_gradient),
    sorted("SegmentProd", "Products of rows by segment; 1 over nothing.", prod_gradient),
    sorted("SegmentMin", "Least elements of rows by segment; 0 over nothing.", extreme_gradient),
    sorted("SegmentMax", "Largest elements of rows by segment; 0 over nothing.", extreme_gradient),
    sorted_v2("SegmentSumV2", "SegmentSum with the number of segments told.", segment_sum_gradient),
    sorted_v2("SegmentProdV2", "SegmentProd with the number of segments told.", prod_gradient),
    sorted_v2("SegmentMinV2",
              "SegmentMin with the number of segments told; the highest number "
              "over nothing.",
              extreme_gradient),
    sorted_v2("SegmentMaxV2",
              "SegmentMax with the number of segments told; the lowest number over "
              "nothing.",
              extreme_gradient),
    unsorted("UnsortedSegmentProd",
             "Products of slices by segment; 1 over nothing. An id of `num_segments` or more is an "
             "error.",
             prod_gradient),
    unsorted("UnsortedSegmentMin",
             "Least elements of slices by segment; the highest number over nothing. An id of "
             "`num_segments` or more is an error.",
             extreme_gradient),
    unsorted("UnsortedSegmentMax",
             "Largest elements of slices by segment; the lowest number over nothing. An id of "
             "`num_segments` or more is an error.",
             extreme_gradient),
};

}  // namespace

void unsorted_segments_shape(ShapeContext& c) {
  const Shape& data = c.input(0);
  const Shape& ids = c.input(1);
  const int64_t segments = known_segments(c, 2);
  if (!data.has_rank() || !ids.has_rank()) return c.set_output(0, Shape::unknown());
  if (ids.rank() > data.rank() || !ids.is_compatible_with(data.slice(0, ids.rank()))) {
    throw c.error("`segment_ids` has shape ", ids, ", which does not start the shape of `data`, ",
                  data);
  }
  c.set_output(0, Shape{segments}.concat(data.slice(ids.rank())));
}

void segment_sum_gradient(GradientContext& c) { c.set(0, Segments(c).spread(c.grad())); }

std::span<const OpDef> segments_ops() { return kOps; }

Output segment_sum(Output data, Output ids, const SegmentOptions& options) {
  return add_op("SegmentSum", {data, ids}, {}, options.name);
}
Output segment_mean(Output data, Output ids, const SegmentOptions& options) {
  return add_op("SegmentMean", {data, ids}, {}, options.name);
}
Output segment_prod(Output data, Output ids, const SegmentOptions& options) {
  return add_op("SegmentProd", {data, ids}, {}, options.name);
}
Output segment_min(Output data, Output ids, const SegmentOptions& options) {
  return add_op("SegmentMin", {data, ids}, {}, options.name);
}
Output segment_max(Output data, Output ids, const SegmentOptions& options) {
  return add_op("SegmentMax", {data, ids}, {}, options.name);
}
Output unsorted_segment_prod(Output data, Output ids, Output num_segments,
                             const SegmentOptions& options) {
  return add_op("UnsortedSegmentProd", {data, ids, num_segments}, {}, options.name);
}
Output unsorted_segment_min(Output data, Output ids, Output num_segments,
                            const SegmentOptions& options) {
  return add_op("UnsortedSegmentMin", {data, ids, num_segments}, {}, options.name);
}
Output unsorted_segment_max(Output data, Output ids, Output num_segments,
                            const SegmentOptions& options) {
  return add_op("UnsortedSegmentMax", {data, ids, num_segments}, {}, options.name);
}

}  // namespace thalweg
