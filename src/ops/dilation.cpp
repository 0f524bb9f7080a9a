// Grey-scale morphological dilation: a convolution with max for sum and sum for product.
#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/ops/convolution.h"

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

Shape dilated(const ShapeContext& c) {
  Shape shape = c.with_rank(0, 4);
  const Shape filter = c.with_rank(1, 3);
  if (shape[3] != kUnknownDim && filter[2] != kUnknownDim && shape[3] != filter[2]) {
    throw c.error("the input ", shape, " has ", shape[3], " channels, the filter ", filter,
                  " is for ", filter[2]);
  }
  const Ints& strides = c.attr<Ints>("strides");
  const Ints& rates = c.attr<Ints>("rates");
  for (const Ints* list : {&strides, &rates}) {
    if (list->size() != 4 || list->front() != 1 || list->back() != 1) {
      throw c.error("`strides` and `rates` must have 4 entries, 1 for batch and channels, got ",
                    *list);
    }
  }
  for (int axis : {1, 2}) {
    const auto at = static_cast<size_t>(axis);
    shape.set_dim(axis, make_window(shape[axis], filter[axis - 1], strides[at], rates[at],
                                    c.attr<std::string>("padding"))
                            .output);
  }
  if (shape[3] == kUnknownDim) shape.set_dim(3, filter[2]);
  return shape;
}

void dilation_shape(ShapeContext& c) { c.set_output(0, dilated(c)); }

template <int kLike>
void backprop_shape(ShapeContext& c) {
  const Shape expected = dilated(c), backprop = c.with_rank(2, 4);
  if (!backprop.is_compatible_with(expected)) {
    throw c.error("`out_backprop` is ", backprop, ", but the dilation gives ", expected);
  }
  c.set_output(0, c.with_rank(kLike, kLike == 0 ? 4 : 3));
}

void dilation_gradient(GradientContext& c) {
  AttrMap attrs = c.node().attrs();
  attrs.erase("T");
  c.set(0, add_op("Dilation2DBackpropInput", {c.input(0), c.input(1), c.grad()}, attrs));
  c.set(1, add_op("Dilation2DBackpropFilter", {c.input(0), c.input(1), c.grad()}, attrs));
}

constexpr char kInput[] = "input: T | `[batch, height, width, channels]`.";
constexpr char kFilter[] = "filter: T | `[height, width, channels]`.";
constexpr char kBackprop[] = "out_backprop: T | The gradient of the dilation's output.";
constexpr char kType[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} "
    "| Element type.";
constexpr char kStrides[] =
    "strides: list(int) >= 4 | Steps of the window; 1 for batch and channels.";
constexpr char kRates[] =
    "rates: list(int) >= 4 | Distance of the filter's cells; 1 for batch and channels.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID'} | SAME: output = ceil(input / stride); VALID: no padding.";

constexpr OpDef kDilationOps[] = {
    {.name = "Dilation2D",
     .inputs = {kInput, kFilter},
     .outputs = {"output: T | `[batch, rows, columns, channels]`."},
     .attrs = {kType, kStrides, kRates, kPadding},
     .doc = "The largest of input + filter under a sliding window, for each channel; padding never "
            "wins.",
     .shape = dilation_shape,
     .gradient = dilation_gradient},
    {.name = "Dilation2DBackpropInput",
     .inputs = {kInput, kFilter, kBackprop},
     .outputs = {"in_backprop: T | Shaped as input."},
     .attrs = {kType, kStrides, kRates, kPadding},
     .doc =
         "The gradient of Dilation2D by its input: each window's goes to its first largest cell.",
     .shape = backprop_shape<0>,
     .no_gradient = "TensorFlow defines none"},
    {.name = "Dilation2DBackpropFilter",
     .inputs = {kInput, kFilter, kBackprop},
     .outputs = {"filter_backprop: T | Shaped as filter."},
     .attrs = {kType, kStrides, kRates, kPadding},
     .doc = "The gradient of Dilation2D by its filter.",
     .shape = backprop_shape<1>,
     .no_gradient = "TensorFlow defines none"},
};

}  // namespace

std::span<const OpDef> dilation_ops() { return kDilationOps; }

Output dilation2d(Output input, Output filter, Dilation2dOptions options) {
  const auto list = [](const Ints& pair, std::string_view option) -> Ints {
    if (pair.size() == 2) return {1, pair[0], pair[1], 1};
    throw invalid_argument("`", option, "` takes {height, width}, got ", pair);
  };
  return add_op("Dilation2D", {input, filter},
                {{"strides", list(options.strides, "strides")},
                 {"rates", list(options.rates, "rates")},
                 {"padding", options.padding}},
                options.name);
}

}  // namespace thalweg
