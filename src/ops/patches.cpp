// Ops that cut images into overlapping patches. A patch holds the cells under a sliding window, so
// that patches are a convolution with a filter of zeros and ones for each channel, and their
// gradient is that of this convolution.
#include <numeric>

#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/space.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

const Ints& window_attr(const ShapeContext& c, std::string_view name, int rank) {
  const Ints& list = c.attr<Ints>(name);
  if (static_cast<int>(list.size()) != rank || list.front() != 1 || list.back() != 1) {
    throw c.error("`", name, "` must have ", rank, " entries, 1 for batch and channels, got ",
                  list);
  }
  return list;
}

template <int kRank>
void patches_shape(ShapeContext& c) {
  Shape shape = c.with_rank(0, kRank);
  const Ints& sizes = window_attr(c, "ksizes", kRank);
  const Ints& strides = window_attr(c, "strides", kRank);
  const Ints rates = kRank == 4 ? window_attr(c, "rates", kRank) : Ints(kRank, 1);
  int64_t cells = 1;
  for (int axis = 1; axis + 1 < kRank; ++axis) {
    const auto at = static_cast<size_t>(axis);
    const Window window =
        make_window(shape[axis], sizes[at], strides[at], rates[at], c.attr<std::string>("padding"));
    shape.set_dim(axis, window.output);
    cells = checked_multiply(cells, sizes[at]);
  }
  shape.set_dim(kRank - 1, multiply_dims(shape[kRank - 1], cells));
  c.set_output(0, shape);
}

// With the channels in the batch there is one filter for all: cell k of the window goes to output
// channel k.
template <int kRank>
void patches_gradient(GradientContext& c) {
  Graph& graph = c.graph();
  const Output images = c.input(0);
  const auto spatial = static_cast<size_t>(kRank - 2);
  const Ints& sizes = c.attr<Ints>("ksizes");
  const int64_t cells = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies());
  Tensor ones = Tensor::zeros(kFloat64, Shape{cells, cells});
  for (int64_t k = 0; k < cells; ++k) {
    ones.mutable_data<double>()[static_cast<size_t>(k * cells + k)] = 1;
  }
  Ints filter_shape(sizes.begin() + 1, sizes.end());
  filter_shape.push_back(cells);
  const Output filter = constant(graph, ones.cast(images.dtype()).reshape(Shape(filter_shape)));

  // [batch, spatial..., cells * channels] to [batch * channels, spatial..., cells].
  const auto part = [](Output shape, int64_t begin, int64_t end) {
    return strided_slice(shape, {begin}, {end});
  };
  const auto number = [&](int64_t value) { return IntVector({value}).in(graph); };
  const Output in_shape = shape_of(images), out_shape = shape_of(c.grad());
  const Output batch = part(in_shape, 0, 1), channels = part(in_shape, kRank - 1, kRank);
  const Output windows = part(out_shape, 1, kRank - 1), space = part(in_shape, 1, kRank - 1);
  const auto count = number(cells);
  Output g = reshape(c.grad(), concat({batch, windows, count, channels}, 0));
  Ints to_front(static_cast<size_t>(kRank) + 1);
  std::iota(to_front.begin(), to_front.end(), 0);
  to_front.pop_back();
  to_front.insert(to_front.begin() + 1, kRank);
  g = reshape(transpose(g, to_front), concat({number(-1), windows, count}, 0));

  const Output total = add_op("Mul", {batch, channels});
  AttrMap attrs{{"strides", c.attr<Ints>("strides")}, {"padding", c.attr<std::string>("padding")}};
  if (kRank == 4) attrs["dilations"] = c.attr<Ints>("rates");
  g = add_op(kRank == 4 ? "Conv2DBackpropInput" : "Conv3DBackpropInputV2",
             {concat({total, space, number(1)}, 0), filter, g}, std::move(attrs));

  Ints to_back{0};
  for (size_t i = 0; i < spatial; ++i) to_back.push_back(static_cast<int64_t>(i) + 2);
  to_back.push_back(1);
  c.set(0, transpose(reshape(g, concat({batch, channels, space}, 0)), to_back));
}

constexpr char kStrides[] =
    "strides: list(int) >= 4 | Steps between patches; 1 for batch and channels.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID'} | SAME: patches reach over the edge, where they hold 0; VALID: "
    "they do not.";

constexpr OpDef kPatchOps[] = {
    {.name = "ExtractImagePatches",
     .inputs = {"images: T | `[batch, height, width, channels]`."},
     .outputs = {"patches: T | `[batch, rows, columns, height * width of a patch * channels]`."},
     .attrs = {"ksizes: list(int) >= 4 | Size of a patch; 1 for batch and channels.", kStrides,
               "rates: list(int) >= 4 | Distance of a patch's cells; 1 for batch and channels.",
               "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
               "uint32, uint64, bool} | Element type.",
               kPadding},
     .doc = "The patches of images, each flattened in row order into one cell.",
     .shape = patches_shape<4>,
     .gradient = patches_gradient<4>},
    {.name = "ExtractVolumePatches",
     .inputs = {"input: T | `[batch, depth, height, width, channels]`."},
     .outputs = {"patches: T | `[batch, planes, rows, columns, cells of a patch * channels]`."},
     .attrs = {"ksizes: list(int) >= 5 | Size of a patch; 1 for batch and channels.",
               "strides: list(int) >= 5 | Steps between patches; 1 for batch and channels.",
               "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
               "uint32, uint64} | Element type.",
               kPadding},
     .doc = "The patches of volumes, each flattened in row order into one cell.",
     .shape = patches_shape<5>,
     .gradient = patches_gradient<5>},
};

// {1, values..., 1}, of `count` values.
Ints framed(const Ints& values, size_t count, std::string_view option) {
  if (values.size() != count) {
    throw invalid_argument("`", option, "` takes ", count, " numbers, got ", values);
  }
  Ints list{1};
  list.insert(list.end(), values.begin(), values.end());
  list.push_back(1);
  return list;
}

}  // namespace

std::span<const OpDef> patch_ops() { return kPatchOps; }

Output extract_image_patches(Output images, const Ints& sizes, PatchOptions options) {
  return add_op("ExtractImagePatches", {images},
                {{"ksizes", framed(sizes, 2, "sizes")},
                 {"strides", framed(options.strides, 2, "strides")},
                 {"rates", framed(options.rates, 2, "rates")},
                 {"padding", options.padding}},
                options.name);
}

Output extract_volume_patches(Output input, const Ints& sizes, PatchOptions options) {
  return add_op("ExtractVolumePatches", {input},
                {{"ksizes", framed(sizes, 3, "sizes")},
                 {"strides", framed(options.strides, 3, "strides")},
                 {"padding", options.padding}},
                options.name);
}

}  // namespace thalweg
