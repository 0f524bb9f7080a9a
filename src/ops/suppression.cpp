// Non-maximum suppression: of boxes that overlap, only the one with the best score is kept.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/image.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

// Boxes [n, 4] (or overlaps [n, n]), scores [n], and scalars after them.
void check_boxes(const ShapeContext& c, bool is_overlaps) {
  const Shape boxes = c.with_rank(0, 2), scores = c.with_rank(1, 1);
  if (!is_overlaps && boxes[1] != kUnknownDim && boxes[1] != 4) {
    throw c.error("`boxes` must have shape [boxes, 4], got ", boxes);
  }
  if (boxes[0] != kUnknownDim && scores[0] != kUnknownDim && boxes[0] != scores[0]) {
    throw c.error("there are ", boxes[0], " boxes, but ", scores[0], " scores");
  }
  if (is_overlaps && boxes[0] != kUnknownDim && boxes[1] != kUnknownDim && boxes[0] != boxes[1]) {
    throw c.error("`overlaps` must be square, got ", boxes);
  }
  for (int i = 2; i < c.num_inputs(); ++i) c.with_rank(i, 0);
}

template <bool kIsOverlaps>
void indices_shape(ShapeContext& c) {
  check_boxes(c, kIsOverlaps);
  c.set_output(0, Shape{kUnknownDim});
}

// Version 4 has indices and their number, version 5 scores between them.
void padded_shape(ShapeContext& c) {
  check_boxes(c, false);
  int64_t size = kUnknownDim;
  if (c.attr<bool>("pad_to_max_output_size")) {
    if (const auto most = known_scalar(c, 2)) {
      if (*most < 0) throw c.error("`max_output_size` must not be negative, got ", *most);
      size = *most;
    }
  }
  const int last = c.num_outputs() - 1;
  for (int i = 0; i < last; ++i) c.set_output(i, Shape{size});
  c.set_output(last, Shape{});
}

void combined_shape(ShapeContext& c) {
  const Shape boxes = c.with_rank(0, 4), scores = c.with_rank(1, 3);
  for (int i = 2; i < 6; ++i) c.with_rank(i, 0);
  if (boxes[3] != kUnknownDim && boxes[3] != 4) {
    throw c.error("`boxes` must have shape [batch, boxes, classes or 1, 4], got ", boxes);
  }
  for (int axis : {0, 1}) {
    if (boxes[axis] != kUnknownDim && scores[axis] != kUnknownDim && boxes[axis] != scores[axis]) {
      throw c.error("boxes of shape ", boxes, " and scores of shape ", scores,
                    " disagree in dimension ", axis);
    }
  }
  if (boxes[2] != kUnknownDim && boxes[2] != 1 && scores[2] != kUnknownDim &&
      boxes[2] != scores[2]) {
    throw c.error("boxes of shape ", boxes, " are for ", boxes[2], " classes, scores of shape ",
                  scores, " for ", scores[2]);
  }
  int64_t size = kUnknownDim;
  const auto per_class = known_scalar(c, 2), total = known_scalar(c, 3);
  if (total && !c.attr<bool>("pad_per_class")) size = *total;
  if (total && per_class && c.attr<bool>("pad_per_class") && scores[2] != kUnknownDim) {
    size = std::min(*total, checked_multiply(*per_class, scores[2]));
  }
  const int64_t batch = boxes[0] != kUnknownDim ? boxes[0] : scores[0];
  c.set_output(0, Shape{batch, size, 4});
  c.set_output(1, Shape{batch, size});
  c.set_output(2, Shape{batch, size});
  c.set_output(3, Shape{batch});
}

constexpr char kReason[] =
    "which boxes stay does not change with a small change of boxes or scores";
constexpr char kBoxes[] = "boxes: T | `[boxes, 4]`: two opposite corners {y1, x1, y2, x2}.";
constexpr char kScores[] = "scores: T | `[boxes]`.";
constexpr char kMost[] = "max_output_size: int32 | A scalar: how many boxes are kept at most.";
constexpr char kOverlap[] =
    "iou_threshold: T_threshold | A scalar in [0, 1]: boxes whose intersection with a better one "
    "is more of their union are dropped.";
constexpr char kLeast[] = "score_threshold: T_threshold | A scalar: lower scores are dropped.";
constexpr char kIndices[] = "selected_indices: int32 | The boxes kept, best first.";
constexpr char kType[] = "T: {half, float} = float | Type of boxes and scores.";
constexpr char kThreshold[] = "T_threshold: {half, float} = float | Type of thresholds.";
constexpr char kPad[] =
    "pad_to_max_output_size: bool = false | Whether outputs are filled up with zeros.";
constexpr char kValid[] = "valid_outputs: int32 | A scalar: the number of boxes kept.";

constexpr OpDef kSuppressionOps[] = {
    {.name = "NonMaxSuppression",
     .inputs = {"boxes: float | `[boxes, 4]`: two opposite corners {y1, x1, y2, x2}.",
                "scores: float | `[boxes]`.", kMost},
     .outputs = {kIndices},
     .attrs = {"iou_threshold: float = 0.5 | Boxes that overlap a better one more are dropped."},
     .doc = "The best boxes that do not overlap, by their scores.",
     .shape = indices_shape<false>,
     .no_gradient = kReason},
    {.name = "NonMaxSuppressionV2",
     .inputs = {kBoxes, kScores, kMost, kOverlap},
     .outputs = {kIndices},
     .attrs = {kType, kThreshold},
     .doc = "NonMaxSuppression with the threshold as an input.",
     .shape = indices_shape<false>,
     .no_gradient = kReason},
    {.name = "NonMaxSuppressionV3",
     .inputs = {kBoxes, kScores, kMost, kOverlap, kLeast},
     .outputs = {kIndices},
     .attrs = {kType, kThreshold},
     .doc = "NonMaxSuppressionV2 of boxes whose score is above a threshold.",
     .shape = indices_shape<false>,
     .no_gradient = kReason},
    {.name = "NonMaxSuppressionV4",
     .inputs = {kBoxes, kScores, kMost, kOverlap, kLeast},
     .outputs = {kIndices, kValid},
     .attrs = {kType, kThreshold, kPad},
     .doc = "NonMaxSuppressionV3 whose result may have a fixed size.",
     .shape = padded_shape,
     .no_gradient = kReason},
    {.name = "NonMaxSuppressionV5",
     .inputs = {kBoxes, kScores, kMost,
                "iou_threshold: T | A scalar in [0, 1]: boxes that overlap a better one more are "
                "dropped.",
                "score_threshold: T | A scalar: lower scores are dropped.",
                "soft_nms_sigma: T | A scalar: above 0 scores decay with overlap instead."},
     .outputs = {kIndices, "selected_scores: T | The scores of the boxes kept.", kValid},
     .attrs = {kType, kPad},
     .doc = "NonMaxSuppressionV4, or soft suppression (Bodla et al. 2017): a better box multiplies "
            "the score of one that overlaps it by exp(-iou^2 / (2 sigma)).",
     .shape = padded_shape,
     .no_gradient = kReason},
    {.name = "NonMaxSuppressionWithOverlaps",
     .inputs = {"overlaps: float | `[boxes, boxes]`.", "scores: float | `[boxes]`.", kMost,
                "overlap_threshold: float | A scalar.", "score_threshold: float | A scalar."},
     .outputs = {kIndices},
     .attrs = {},
     .doc = "NonMaxSuppressionV3 with the overlaps given.",
     .shape = indices_shape<true>,
     .no_gradient = kReason},
    {.name = "CombinedNonMaxSuppression",
     .inputs = {"boxes: float | `[batch, boxes, classes or 1, 4]`.",
                "scores: float | `[batch, boxes, classes]`.",
                "max_output_size_per_class: int32 | A scalar.", "max_total_size: int32 | A scalar.",
                "iou_threshold: float | A scalar in [0, 1].", "score_threshold: float | A scalar."},
     .outputs = {"nmsed_boxes: float | `[batch, detections, 4]`, best first, then zeros.",
                 "nmsed_scores: float | `[batch, detections]`.",
                 "nmsed_classes: float | `[batch, detections]`.",
                 "valid_detections: int32 | `[batch]`: detections before the zeros."},
     .attrs = {"pad_per_class: bool = false | Whether there are no more detections than classes "
               "times the size of each.",
               "clip_boxes: bool = true | Whether boxes are clipped to [0, 1]."},
     .doc = "Non-maximum suppression for each class and image, the best of all classes together.",
     .shape = combined_shape,
     .no_gradient = kReason},
};

}  // namespace

std::span<const OpDef> suppression_ops() { return kSuppressionOps; }

Output non_max_suppression(Output boxes, Output scores, int64_t max_output_size,
                           NonMaxSuppressionOptions options) {
  return add_op(
      "NonMaxSuppressionV3",
      {boxes, scores, int_constant(boxes.graph(), max_output_size),
       scalar_like(boxes, options.iou_threshold), scalar_like(boxes, options.score_threshold)},
      {}, options.name);
}

}  // namespace thalweg
