// Cropping boxes out of images, and drawing them in.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/image.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// The number of boxes, from `boxes` [boxes, 4] and `box_ind` [boxes].
int64_t number_of_boxes(const ShapeContext& c, int boxes_input, int index_input) {
  const Shape boxes = c.with_rank(boxes_input, 2);
  const Shape indices = c.with_rank(index_input, 1);
  if (boxes[1] != kUnknownDim && boxes[1] != 4) {
    throw c.error("`boxes` must have shape [boxes, 4], got ", boxes);
  }
  if (boxes[0] != kUnknownDim && indices[0] != kUnknownDim && boxes[0] != indices[0]) {
    throw c.error("there are ", boxes[0], " boxes, but ", indices[0],
                  " entries of `box_ind`, which names the image of each");
  }
  return boxes[0] != kUnknownDim ? boxes[0] : indices[0];
}

void crop_shape(ShapeContext& c) {
  const Shape image = c.with_rank(0, 4);
  const int64_t boxes = number_of_boxes(c, 1, 2);
  Shape size = requested_shape(c, 3);
  if (!size.has_rank()) size = Shape::unknown_of_rank(2);
  if (size.rank() != 2 || size[0] == 0 || size[1] == 0) {
    throw c.error("`crop_size` must hold a positive height and width, got ", size);
  }
  c.set_output(0, Shape{boxes, size[0], size[1], image[3]});
}

void crop_grad_image_shape(ShapeContext& c) {
  c.with_rank(0, 4);
  number_of_boxes(c, 1, 2);
  Shape image = requested_shape(c, 3);
  if (!image.has_rank()) image = Shape::unknown_of_rank(4);
  if (image.rank() != 4) {
    throw c.error("`image_size` must hold 4 numbers, got ", image.rank());
  }
  c.set_output(0, image);
}

void crop_grad_boxes_shape(ShapeContext& c) {
  c.with_rank(0, 4);
  c.with_rank(1, 4);
  c.set_output(0, Shape{number_of_boxes(c, 2, 3), 4});
}

void crop_gradient(GradientContext& c) {
  const Output image = c.input(0);
  const auto& method = c.attr<std::string>("method");
  if (is_floating(image.dtype())) {
    c.set(0, add_op("CropAndResizeGradImage", {c.grad(), c.input(1), c.input(2), shape_of(image)},
                    {{"T", image.dtype()}, {"method", method}}));
  }
  // The nearest cell stays the nearest when a box moves a little.
  if (method == "bilinear") {
    c.set(1, add_op("CropAndResizeGradBoxes", {c.grad(), image, c.input(1), c.input(2)}));
  }
}

void draw_shape(ShapeContext& c) {
  const Shape boxes = c.with_rank(1, 3);
  if (boxes[2] != kUnknownDim && boxes[2] != 4) {
    throw c.error("`boxes` must have shape [batch, boxes, 4], got ", boxes);
  }
  if (c.num_inputs() > 2) c.with_rank(2, 2);
  const Shape images = c.with_rank(0, 4);
  if (boxes[0] != kUnknownDim && images[0] != kUnknownDim && boxes[0] != images[0]) {
    throw c.error("there are ", images[0], " images, but boxes for ", boxes[0]);
  }
  c.set_output(0, images);
}

constexpr char kImage[] = "image: T | `[batch, height, width, channels]`.";
constexpr char kBoxes[] =
    "boxes: float | `[boxes, 4]`: {y1, x1, y2, x2}, 0 at the centre of the first and 1 at that of "
    "the last cell.";
constexpr char kIndex[] = "box_ind: int32 | `[boxes]`: the image of each box.";
constexpr char kGrads[] = "grads: float | `[boxes, crop height, crop width, channels]`.";
constexpr char kMethod[] = "method: {'bilinear', 'nearest'} = 'bilinear' | How cells are sampled.";
constexpr char kNumbers[] =
    "T: {uint8, uint16, int8, int16, int32, int64, half, float, double} | Type of the image.";
constexpr char kDrawn[] =
    "boxes: float | `[batch, boxes, 4]`: {y1, x1, y2, x2} as parts of height and width.";

constexpr OpDef kCropOps[] = {
    {.name = "CropAndResize",
     .inputs = {kImage, kBoxes, kIndex, "crop_size: int32 | `{height, width}` of the crops."},
     .outputs = {"crops: float | `[boxes, crop height, crop width, channels]`."},
     .attrs = {kNumbers, kMethod, "extrapolation_value: float = 0 | Of samples outside the image."},
     .doc = "Boxes out of images, each at one size. A box may be flipped and may reach outside.",
     .shape = crop_shape,
     .gradient = crop_gradient},
    {.name = "CropAndResizeGradImage",
     .inputs = {kGrads, kBoxes, kIndex, "image_size: int32 | The shape of the image, 4 numbers."},
     .outputs = {"output: T | `image_size`."},
     .attrs = {"T: {float, half, double} | Type of the image.", kMethod},
     .doc = "The gradient of CropAndResize by its image.",
     .shape = crop_grad_image_shape,
     .no_gradient = "TensorFlow defines none"},
    {.name = "CropAndResizeGradBoxes",
     .inputs = {kGrads, kImage, kBoxes, kIndex},
     .outputs = {"output: float | `[boxes, 4]`."},
     .attrs = {kNumbers, "method: {'bilinear'} = 'bilinear' | How cells were sampled."},
     .doc = "The gradient of CropAndResize by its boxes.",
     .shape = crop_grad_boxes_shape,
     .no_gradient = "TensorFlow defines none"},
    {.name = "DrawBoundingBoxes",
     .inputs = {"images: T | `[batch, height, width, channels]`.", kDrawn},
     .outputs = {"output: T | The images with the outlines of the boxes."},
     .attrs = {"T: {float, half} = float | Element type."},
     .doc = "Draws boxes, one cell wide, in colours of a fixed table.",
     .shape = draw_shape,
     .no_gradient = "TensorFlow defines none"},
    {.name = "DrawBoundingBoxesV2",
     .inputs = {"images: T | `[batch, height, width, channels]`.", kDrawn,
                "colors: float | `[n, channels]`, taken in turn; of size 0: a fixed table."},
     .outputs = {"output: T | The images with the outlines of the boxes."},
     .attrs = {"T: {float, half} = float | Element type."},
     .doc = "Draws boxes, one cell wide, in the colours given.",
     .shape = draw_shape,
     .no_gradient = "TensorFlow defines none"},
};

}  // namespace

std::span<const OpDef> crop_ops() { return kCropOps; }

Output crop_and_resize(Output image, Output boxes, Output box_ind, const IntVector& crop_size,
                       CropAndResizeOptions options) {
  return add_op("CropAndResize", {image, boxes, box_ind, crop_size.in(image.graph())},
                {{"method", options.method}, {"extrapolation_value", options.extrapolation_value}},
                options.name);
}

Output draw_bounding_boxes(Output images, Output boxes, Output colors, ImageOptions options) {
  return add_op("DrawBoundingBoxesV2", {images, boxes, colors}, {}, options.name);
}

}  // namespace thalweg
