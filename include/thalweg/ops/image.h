// Building nodes that work on images: resizing, cropping, colour.
//
// Images are `[batch, height, width, channels]` unless said otherwise. Each function adds the op of
// the same name with TensorFlow's meaning; src/ops/resize.cpp, crop.cpp, colour.cpp and
// codec.cpp document them in full. All throw invalid_argument, with the node, when shapes or types
// cannot be right.
#pragma once

#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

/// Where the samples of a resized image lie. With neither option, output cell i samples the input
/// at i * in / out: TensorFlow 1's default.
struct ResizeOptions {
  bool align_corners = false;       // the centres of the corner cells fall on each other
  bool half_pixel_centers = false;  // cells are areas, sampled at their centres; TensorFlow 2's way
  std::string name = {};
};
/// `images` at the new {height, width}. Nearest keeps the dtype, the others give float32.
Output resize_nearest_neighbor(Output images, const IntVector& size, ResizeOptions options = {});
Output resize_bilinear(Output images, const IntVector& size, ResizeOptions options = {});
Output resize_bicubic(Output images, const IntVector& size, ResizeOptions options = {});

struct ResizeAreaOptions {
  bool align_corners = false;
  std::string name = {};
};
/// Each cell is the mean of the area of `images` that it covers.
Output resize_area(Output images, const IntVector& size, ResizeAreaOptions options = {});

struct ScaleAndTranslateOptions {
  std::string kernel_type = "lanczos3";  // lanczos1, lanczos5, gaussian, box, triangle, keyscubic,
                                         // mitchellcubic
  bool antialias = true;                 // widen the kernel when shrinking
  std::string name = {};
};
/// Samples `images` at (x - translation) / scale with a kernel; `scale` and `translation` are
/// float32 {vertical, horizontal}.
Output scale_and_translate(Output images, const IntVector& size, Output scale, Output translation,
                           ScaleAndTranslateOptions options = {});

struct CropAndResizeOptions {
  std::string method = "bilinear";  // or "nearest"
  float extrapolation_value = 0;    // for samples outside the image
  std::string name = {};
};
/// Crops `[boxes, crop height, crop width, channels]`: box i is boxes[i] = {y1, x1, y2, x2} of
/// image box_ind[i], with 0 at the centre of the first and 1 at the centre of the last cell.
Output crop_and_resize(Output image, Output boxes, Output box_ind, const IntVector& crop_size,
                       CropAndResizeOptions options = {});

struct ImageOptions {
  std::string name = {};
};
/// Colours in the last dimension, each in [0, 1].
Output rgb_to_hsv(Output images, ImageOptions options = {});
Output hsv_to_rgb(Output images, ImageOptions options = {});
/// (x - mean) * factor + mean for each image and channel; at least `[height, width, channels]`.
Output adjust_contrast(Output images, Output contrast_factor, ImageOptions options = {});
/// Turns the hue by `delta` of the colour circle; the last dimension is RGB.
Output adjust_hue(Output images, Output delta, ImageOptions options = {});
/// Multiplies the saturation by `scale`, and keeps it in [0, 1].
Output adjust_saturation(Output images, Output scale, ImageOptions options = {});
/// `images` with the outlines of `boxes` `[batch, boxes, 4]` drawn in `colors` `[n, channels]`.
Output draw_bounding_boxes(Output images, Output boxes, Output colors, ImageOptions options = {});

struct NonMaxSuppressionOptions {
  float iou_threshold = 0.5f;      // boxes that overlap a better one by more are dropped
  float score_threshold = -1e30f;  // boxes of lower scores are dropped
  std::string name = {};
};
/// The indices (int32) of the best of `boxes` `[n, 4]` that do not overlap, best first, at most
/// `max_output_size`. TensorFlow's NonMaxSuppressionV3.
Output non_max_suppression(Output boxes, Output scores, int64_t max_output_size,
                           NonMaxSuppressionOptions options = {});

}  // namespace thalweg
