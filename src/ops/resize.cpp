// Ops that give images another size. Each is linear in the images, so that its gradient op spreads
// what flows into a cell over the cells it was mixed from, and the gradient of that is the op
// again.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/image.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// {height, width} as far as input `i` tells them.
Shape size_of_input(const ShapeContext& c, int i) {
  Shape size = requested_shape(c, i);
  if (!size.has_rank()) return Shape::unknown_of_rank(2);
  if (size.rank() != 2) {
    throw c.error("`", c.input_name(i), "` must hold height and width, got ", size.rank(),
                  " numbers");
  }
  for (int64_t dim : size.dims()) {
    if (dim == 0) throw c.error("`", c.input_name(i), "` must be positive, got ", size);
  }
  return size;
}

// Images keep their batch and channels and get the size of input 1.
void resize_shape(ShapeContext& c) {
  const Node& node = c.node();
  if (node.find_attr("half_pixel_centers") != nullptr && c.attr<bool>("half_pixel_centers") &&
      c.attr<bool>("align_corners")) {
    throw c.error("half_pixel_centers and align_corners exclude each other; set one of them");
  }
  const Shape images = c.with_rank(0, 4);
  const Shape size = size_of_input(c, 1);
  for (int axis : {1, 2}) {
    if (images[axis] == 0) throw c.error("images of shape ", images, " have no cells to resize");
  }
  c.set_output(0, Shape{images[0], size[0], size[1], images[3]});
}

// Inputs 2 and 3 of ScaleAndTranslate and its gradient.
void check_scale_and_translation(const ShapeContext& c) {
  for (int i : {2, 3}) {
    const Shape pair = c.with_rank(i, 1);
    if (pair[0] != kUnknownDim && pair[0] != 2) {
      throw c.error("`", c.input_name(i), "` must hold two numbers, got shape ", pair);
    }
  }
}

void scale_and_translate_shape(ShapeContext& c) {
  check_scale_and_translation(c);
  resize_shape(c);
}

// Shaped as the original image, input 1; what flows in has its batch and channels.
void resize_grad_shape(ShapeContext& c) {
  const Shape grads = c.with_rank(0, 4);
  Shape image = c.with_rank(1, 4);
  for (int axis : {0, 3}) {
    if (grads[axis] == kUnknownDim) continue;
    if (image[axis] != kUnknownDim && image[axis] != grads[axis]) {
      throw c.error("`grads` is ", grads, ", the original image ", image,
                    "; batch and channels must be equal");
    }
    image.set_dim(axis, grads[axis]);
  }
  c.set_output(0, image);
}

void scale_and_translate_grad_shape(ShapeContext& c) {
  check_scale_and_translation(c);
  resize_grad_shape(c);
}

Output height_and_width(Output images) { return strided_slice(shape_of(images), {1}, {3}); }

AttrMap sampling(const GradientContext& c) {
  return {{"align_corners", c.attr<bool>("align_corners")},
          {"half_pixel_centers", c.attr<bool>("half_pixel_centers")}};
}

void nearest_gradient(GradientContext& c) {
  c.set(0,
        add_op("ResizeNearestNeighborGrad", {c.grad(), height_and_width(c.input(0))}, sampling(c)));
}

void nearest_grad_gradient(GradientContext& c) {
  c.set(0, add_op("ResizeNearestNeighbor", {c.grad(), height_and_width(c.input(0))}, sampling(c)));
}

void bilinear_gradient(GradientContext& c) {
  if (!is_floating(c.input(0).dtype())) return;
  c.set(0, add_op("ResizeBilinearGrad", {c.grad(), c.input(0)}, sampling(c)));
}

void bilinear_grad_gradient(GradientContext& c) {
  c.set(0, add_op("ResizeBilinear", {c.grad(), height_and_width(c.input(0))}, sampling(c)));
}

void bicubic_gradient(GradientContext& c) {
  const Output images = c.input(0);
  if (!is_floating(images.dtype())) return;
  const Output wide = images.dtype() == kFloat64 ? images : cast(images, kFloat32);
  c.set(0, cast(add_op("ResizeBicubicGrad", {c.grad(), wide}, sampling(c)), images.dtype()));
}

void bicubic_grad_gradient(GradientContext& c) {
  c.set(0, add_op("ResizeBicubic", {c.grad(), height_and_width(c.input(0))}, sampling(c)));
}

AttrMap kernel_attrs(const GradientContext& c) {
  return {{"kernel_type", c.attr<std::string>("kernel_type")},
          {"antialias", c.attr<bool>("antialias")}};
}

void scale_and_translate_gradient(GradientContext& c) {
  const Output images = c.input(0);
  if (!is_floating(images.dtype())) return;
  c.set(0, cast(add_op("ScaleAndTranslateGrad",
                       {c.grad(), cast(images, kFloat32), c.input(2), c.input(3)}, kernel_attrs(c)),
                images.dtype()));
}

void scale_and_translate_grad_gradient(GradientContext& c) {
  c.set(0,
        add_op("ScaleAndTranslate",
               {c.grad(), height_and_width(c.input(0)), c.input(2), c.input(3)}, kernel_attrs(c)));
}

constexpr char kImages[] = "images: T | `[batch, height, width, channels]`.";
constexpr char kSize[] = "size: int32 | `{height, width}` of the result.";
constexpr char kResized[] = "resized_images: float | `[batch, size[0], size[1], channels]`.";
constexpr char kGrads[] = "grads: float | `[batch, height, width, channels]`: what flows back.";
constexpr char kOriginal[] = "original_image: T | What was resized; only its shape matters.";
constexpr char kSpread[] = "output: T | Shaped as original_image.";
constexpr char kCorners[] =
    "align_corners: bool = false | Whether the centres of corner cells fall on each other.";
constexpr char kHalf[] =
    "half_pixel_centers: bool = false | Whether cells are sampled at their centres.";
constexpr char kNumbers[] =
    "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16} | Element type.";
constexpr char kFloats[] = "T: {float, bfloat16, half, double} | Type of the images.";
constexpr char kKernel[] =
    "kernel_type: string = 'lanczos3' | lanczos1, lanczos3, lanczos5, gaussian, box, triangle, "
    "keyscubic or mitchellcubic.";
constexpr char kAntialias[] =
    "antialias: bool = true | Whether the kernel widens as the image shrinks.";
constexpr char kScale[] = "scale: float | `{vertical, horizontal}` factors.";
constexpr char kTranslation[] =
    "translation: float | `{vertical, horizontal}` shift in cells of the result.";

constexpr OpDef kResizeOps[] = {
    {.name = "ResizeNearestNeighbor",
     .inputs = {kImages, kSize},
     .outputs = {"resized_images: T | `[batch, size[0], size[1], channels]`."},
     .attrs = {kNumbers, kCorners, kHalf},
     .doc = "Each cell takes the value of the nearest cell of the images.",
     .shape = resize_shape,
     .gradient = nearest_gradient},
    {.name = "ResizeNearestNeighborGrad",
     .inputs = {"grads: T | `[batch, height, width, channels]`: what flows back.",
                "size: int32 | `{height, width}` of what was resized."},
     .outputs = {"output: T | `[batch, size[0], size[1], channels]`."},
     .attrs = {"T: {uint8, int8, int32, half, float, double, bfloat16} | Element type.", kCorners,
               kHalf},
     .doc = "The gradient of ResizeNearestNeighbor: each cell gets the sum of those that took it.",
     .shape = resize_shape,
     .gradient = nearest_grad_gradient},
    {.name = "ResizeBilinear",
     .inputs = {kImages, kSize},
     .outputs = {kResized},
     .attrs = {kNumbers, kCorners, kHalf},
     .doc = "Each cell mixes the four nearest cells of the images, linearly in both directions.",
     .shape = resize_shape,
     .gradient = bilinear_gradient},
    {.name = "ResizeBilinearGrad",
     .inputs = {kGrads, kOriginal},
     .outputs = {kSpread},
     .attrs = {kFloats, kCorners, kHalf},
     .doc = "The gradient of ResizeBilinear by its images.",
     .shape = resize_grad_shape,
     .gradient = bilinear_grad_gradient},
    {.name = "ResizeBicubic",
     .inputs = {kImages, kSize},
     .outputs = {kResized},
     .attrs = {kNumbers, kCorners, kHalf},
     .doc = "Each cell mixes sixteen cells of the images by cubic convolution, with the parameter "
            "-0.75 and repeated borders; with half_pixel_centers -0.5 (Keys 1981) and weights that "
            "are normalised over what lies inside.",
     .shape = resize_shape,
     .gradient = bicubic_gradient},
    {.name = "ResizeBicubicGrad",
     .inputs = {kGrads, kOriginal},
     .outputs = {kSpread},
     .attrs = {"T: {float, double} | Type of the images.", kCorners, kHalf},
     .doc = "The gradient of ResizeBicubic by its images.",
     .shape = resize_grad_shape,
     .gradient = bicubic_grad_gradient},
    {.name = "ResizeArea",
     .inputs = {kImages, kSize},
     .outputs = {kResized},
     .attrs = {kNumbers, kCorners},
     .doc = "Each cell is the mean of the area of the images that it covers.",
     .shape = resize_shape,
     .no_gradient = "TensorFlow defines none; resize bilinearly where a gradient must flow"},
    {.name = "ScaleAndTranslate",
     .inputs = {kImages, kSize, kScale, kTranslation},
     .outputs = {kResized},
     .attrs = {kNumbers, kKernel, kAntialias},
     .doc = "Samples the images at (position - translation) / scale, each sample a mean of cells "
            "weighted by a kernel. Samples outside the images are 0.",
     .shape = scale_and_translate_shape,
     .gradient = scale_and_translate_gradient},
    {.name = "ScaleAndTranslateGrad",
     .inputs = {"grads: T | `[batch, height, width, channels]`: what flows back.", kOriginal,
                kScale, kTranslation},
     .outputs = {kSpread},
     .attrs = {"T: {float} | Element type.", kKernel, kAntialias},
     .doc = "The gradient of ScaleAndTranslate by its images.",
     .shape = scale_and_translate_grad_shape,
     .gradient = scale_and_translate_grad_gradient},
};

Output add_resize(std::string_view op, Output images, const IntVector& size,
                  const ResizeOptions& options) {
  return add_op(op, {images, size.in(images.graph())},
                {{"align_corners", options.align_corners},
                 {"half_pixel_centers", options.half_pixel_centers}},
                options.name);
}

}  // namespace

std::span<const OpDef> resize_ops() { return kResizeOps; }

Output resize_nearest_neighbor(Output images, const IntVector& size, ResizeOptions options) {
  return add_resize("ResizeNearestNeighbor", images, size, options);
}

Output resize_bilinear(Output images, const IntVector& size, ResizeOptions options) {
  return add_resize("ResizeBilinear", images, size, options);
}

Output resize_bicubic(Output images, const IntVector& size, ResizeOptions options) {
  return add_resize("ResizeBicubic", images, size, options);
}

Output resize_area(Output images, const IntVector& size, ResizeAreaOptions options) {
  return add_op("ResizeArea", {images, size.in(images.graph())},
                {{"align_corners", options.align_corners}}, options.name);
}

Output scale_and_translate(Output images, const IntVector& size, Output scale, Output translation,
                           ScaleAndTranslateOptions options) {
  return add_op("ScaleAndTranslate", {images, size.in(images.graph()), scale, translation},
                {{"kernel_type", options.kernel_type}, {"antialias", options.antialias}},
                options.name);
}

}  // namespace thalweg
