// Ops that move blocks of cells between space on one side, and the batch or the channels on the
// other. Each undoes another, which is therefore its gradient.
#include "thalweg/ops/space.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

bool known(int64_t dim) { return dim != kUnknownDim; }

// The blocks of a node and the cells before and after each spatial dimension, as far as constants
// tell them. `count` is the number of spatial dimensions, -1 when unknown.
struct Blocks {
  int64_t count = -1;
  std::optional<std::vector<int64_t>> block;
  std::optional<std::vector<int64_t>> edges;
};

void learn_count(const ShapeContext& c, int i, int64_t dim, int64_t& count) {
  if (!known(dim)) return;
  if (count >= 0 && count != dim) {
    throw c.error("`", c.input_name(i), "` is for ", dim, " spatial dimensions, the block for ",
                  count);
  }
  count = dim;
}

Blocks read_blocks(const ShapeContext& c) {
  Blocks blocks;
  const bool is_nd = c.num_inputs() == 3;
  const int edges = is_nd ? 2 : 1;
  if (is_nd) {
    learn_count(c, 1, c.with_rank(1, 1)[0], blocks.count);
    blocks.block = constant_values(c, 1);
  } else {
    blocks.count = 2;
    blocks.block = std::vector<int64_t>(2, c.attr<int64_t>("block_size"));
  }
  const Shape pairs = c.with_rank(edges, 2);
  if (known(pairs[1]) && pairs[1] != 2) {
    throw c.error("`", c.input_name(edges), "` must hold pairs {before, after}, got shape ", pairs);
  }
  learn_count(c, edges, pairs[0], blocks.count);
  blocks.edges = constant_values(c, edges);
  for (const auto* values : {&blocks.block, &blocks.edges}) {
    const int64_t least = values == &blocks.block ? 1 : 0;
    for (int64_t value : *values ? **values : std::vector<int64_t>{}) {
      if (value < least) {
        throw c.error(values == &blocks.block ? "a block" : c.input_name(edges),
                      " must not be below ", least, ", got ", value);
      }
    }
  }
  return blocks;
}

Shape checked_input(const ShapeContext& c, const Blocks& blocks) {
  if (blocks.count < 0) return c.input(0);
  if (c.num_inputs() == 2) return c.with_rank(0, 4);
  return c.with_rank_at_least(0, static_cast<int>(blocks.count) + 1);
}

int64_t product(const std::vector<int64_t>& values) {
  int64_t result = 1;
  for (int64_t value : values) result = checked_multiply(result, value);
  return result;
}

void space_to_batch_shape(ShapeContext& c) {
  const Blocks blocks = read_blocks(c);
  Shape shape = checked_input(c, blocks);
  if (!shape.has_rank()) return c.set_output(0, Shape::unknown());
  if (blocks.count < 0) return c.set_output(0, Shape::unknown_of_rank(shape.rank()));
  shape.set_dim(0, blocks.block ? multiply_dims(shape[0], product(*blocks.block)) : kUnknownDim);
  for (int i = 0; i < blocks.count; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t size = shape[i + 1];
    if (!known(size) || !blocks.block || !blocks.edges) {
      shape.set_dim(i + 1, kUnknownDim);
      continue;
    }
    const int64_t padded =
        checked_add(size, checked_add((*blocks.edges)[2 * at], (*blocks.edges)[2 * at + 1]));
    if (padded % (*blocks.block)[at] != 0) {
      throw c.error("spatial dimension ", i, " has ", padded, " cells with its padding, which is ",
                    "no multiple of the block's ", (*blocks.block)[at], "; pad it by ",
                    (*blocks.block)[at] - padded % (*blocks.block)[at], " more");
    }
    shape.set_dim(i + 1, padded / (*blocks.block)[at]);
  }
  c.set_output(0, shape);
}

void batch_to_space_shape(ShapeContext& c) {
  const Blocks blocks = read_blocks(c);
  Shape shape = checked_input(c, blocks);
  if (!shape.has_rank()) return c.set_output(0, Shape::unknown());
  if (blocks.count < 0) return c.set_output(0, Shape::unknown_of_rank(shape.rank()));
  if (known(shape[0]) && blocks.block) {
    const int64_t cells = product(*blocks.block);
    if (shape[0] % cells != 0) {
      throw c.error("the batch of ", shape[0], " is no multiple of the ", cells,
                    " cells of a block");
    }
    shape.set_dim(0, shape[0] / cells);
  } else {
    shape.set_dim(0, kUnknownDim);
  }
  for (int i = 0; i < blocks.count; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t size = shape[i + 1];
    if (!known(size) || !blocks.block || !blocks.edges) {
      shape.set_dim(i + 1, kUnknownDim);
      continue;
    }
    const int64_t whole = checked_multiply(size, (*blocks.block)[at]);
    const int64_t cropped = checked_add((*blocks.edges)[2 * at], (*blocks.edges)[2 * at + 1]);
    if (cropped > whole) {
      throw c.error("spatial dimension ", i, " has ", whole, " cells, ", cropped,
                    " cannot be cropped");
    }
    shape.set_dim(i + 1, whole - cropped);
  }
  c.set_output(0, shape);
}

int64_t block_size(const ShapeContext& c) {
  const int64_t size = c.attr<int64_t>("block_size");
  if (size < 2) throw c.error("`block_size` must be at least 2, got ", size);
  return size;
}

void space_to_depth_shape(ShapeContext& c) {
  Shape shape = c.with_rank(0, 4);
  const ImageAxes axes = image_axes(c.attr<std::string>("data_format"));
  const int64_t block = block_size(c);
  for (int axis : {axes.height, axes.width}) {
    if (!known(shape[axis])) continue;
    if (shape[axis] % block != 0) {
      throw c.error("height and width of ", shape, " must be multiples of the block size ", block);
    }
    shape.set_dim(axis, shape[axis] / block);
  }
  shape.set_dim(axes.channels, multiply_dims(shape[axes.channels], checked_multiply(block, block)));
  c.set_output(0, shape);
}

void depth_to_space_shape(ShapeContext& c) {
  Shape shape = c.with_rank(0, 4);
  const ImageAxes axes = image_axes(c.attr<std::string>("data_format"));
  const int64_t block = block_size(c);
  for (int axis : {axes.height, axes.width}) {
    shape.set_dim(axis, multiply_dims(shape[axis], block));
  }
  const int64_t cells = checked_multiply(block, block);
  if (known(shape[axes.channels])) {
    if (shape[axes.channels] % cells != 0) {
      throw c.error("the ", shape[axes.channels], " channels must be a multiple of the ", cells,
                    " cells of a block");
    }
    shape.set_dim(axes.channels, shape[axes.channels] / cells);
  }
  c.set_output(0, shape);
}

void space_to_batch_nd_gradient(GradientContext& c) {
  c.set(0, add_op("BatchToSpaceND", {c.grad(), c.input(1), c.input(2)}));
}

void batch_to_space_nd_gradient(GradientContext& c) {
  c.set(0, add_op("SpaceToBatchND", {c.grad(), c.input(1), c.input(2)}));
}

void space_to_batch_gradient(GradientContext& c) {
  c.set(0, add_op("BatchToSpace", {c.grad(), c.input(1)},
                  {{"block_size", c.attr<int64_t>("block_size")}}));
}

void batch_to_space_gradient(GradientContext& c) {
  c.set(0, add_op("SpaceToBatch", {c.grad(), c.input(1)},
                  {{"block_size", c.attr<int64_t>("block_size")}}));
}

DepthOptions format_of(const GradientContext& c) {
  return {.data_format = c.attr<std::string>("data_format")};
}

void space_to_depth_gradient(GradientContext& c) {
  c.set(0, depth_to_space(c.grad(), c.attr<int64_t>("block_size"), format_of(c)));
}

void depth_to_space_gradient(GradientContext& c) {
  c.set(0, space_to_depth(c.grad(), c.attr<int64_t>("block_size"), format_of(c)));
}

constexpr char kType[] = "T: type | Element type.";
constexpr char kBlock[] = "block_shape: Tblock_shape | `[spatial]`: cells of a block, each >= 1.";
constexpr char kPaddings[] = "paddings: Tpaddings | `[spatial, 2]`: zeros before and after.";
constexpr char kCrops[] = "crops: Tcrops | `[spatial, 2]`: cells cut off before and after.";
constexpr char kBlockSize[] = "block_size: int >= 2 | Cells of a block in height and in width.";
constexpr char kFormat[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Order of the dimensions.";

constexpr OpDef kSpaceOps[] = {
    {.name = "SpaceToBatchND",
     .inputs = {"input: T | `[batch, spatial..., rest...]`.", kBlock, kPaddings},
     .outputs = {"output: T | `[batch * cells of a block, padded spatial / block..., rest...]`."},
     .attrs = {kType, "Tblock_shape: {int32, int64} = int32 | Type of block_shape.",
               "Tpaddings: {int32, int64} = int32 | Type of paddings."},
     .doc = "Pads, and moves the cells of each block into the batch: image b of block cell k is "
            "image k * batch + b of the result.",
     .shape = space_to_batch_shape,
     .gradient = space_to_batch_nd_gradient},
    {.name = "BatchToSpaceND",
     .inputs = {"input: T | `[batch, spatial..., rest...]`.", kBlock, kCrops},
     .outputs = {"output: T | `[batch / cells of a block, spatial * block - crops..., rest...]`."},
     .attrs = {kType, "Tblock_shape: {int32, int64} = int32 | Type of block_shape.",
               "Tcrops: {int32, int64} = int32 | Type of crops."},
     .doc = "The reverse of SpaceToBatchND.",
     .shape = batch_to_space_shape,
     .gradient = batch_to_space_nd_gradient},
    {.name = "SpaceToBatch",
     .inputs = {"input: T | `[batch, height, width, channels]`.",
                "paddings: Tpaddings | `[2, 2]`: zeros before and after."},
     .outputs = {"output: T | `[batch * block_size^2, height / block_size, width / block_size, "
                 "channels]`."},
     .attrs = {kType, "Tpaddings: {int32, int64} = int32 | Type of paddings.", kBlockSize},
     .doc = "SpaceToBatchND with a square block; an old form.",
     .shape = space_to_batch_shape,
     .gradient = space_to_batch_gradient},
    {.name = "BatchToSpace",
     .inputs = {"input: T | `[batch, height, width, channels]`.",
                "crops: Tidx | `[2, 2]`: cells cut off before and after."},
     .outputs = {"output: T | `[batch / block_size^2, height * block_size, width * block_size, "
                 "channels]`, less the crops."},
     .attrs = {kType, kBlockSize, "Tidx: {int32, int64} = int32 | Type of crops."},
     .doc = "BatchToSpaceND with a square block; an old form.",
     .shape = batch_to_space_shape,
     .gradient = batch_to_space_gradient},
    {.name = "SpaceToDepth",
     .inputs = {"input: T | `[batch, height, width, channels]`, or as data_format says."},
     .outputs = {"output: T | Height and width divided by block_size, channels times its square."},
     .attrs = {kType, kBlockSize, kFormat},
     .doc = "Moves the cells of each block, in row order, into the channels.",
     .shape = space_to_depth_shape,
     .gradient = space_to_depth_gradient},
    {.name = "DepthToSpace",
     .inputs = {"input: T | `[batch, height, width, channels]`, or as data_format says."},
     .outputs = {"output: T | Height and width times block_size, channels divided by its square."},
     .attrs = {kType, kBlockSize, kFormat},
     .doc = "The reverse of SpaceToDepth.",
     .shape = depth_to_space_shape,
     .gradient = depth_to_space_gradient},
};

}  // namespace

std::span<const OpDef> space_ops() { return kSpaceOps; }

Output space_to_batch(Output input, const IntVector& block_shape, const Paddings& paddings,
                      SpaceOptions options) {
  Graph& graph = input.graph();
  return add_op("SpaceToBatchND", {input, block_shape.in(graph), int_constant(graph, paddings)}, {},
                options.name);
}

Output batch_to_space(Output input, const IntVector& block_shape, const Paddings& crops,
                      SpaceOptions options) {
  Graph& graph = input.graph();
  return add_op("BatchToSpaceND", {input, block_shape.in(graph), int_constant(graph, crops)}, {},
                options.name);
}

Output space_to_depth(Output input, int64_t block_size, DepthOptions options) {
  return add_op("SpaceToDepth", {input},
                {{"block_size", block_size}, {"data_format", options.data_format}}, options.name);
}

Output depth_to_space(Output input, int64_t block_size, DepthOptions options) {
  return add_op("DepthToSpace", {input},
                {{"block_size", block_size}, {"data_format", options.data_format}}, options.name);
}

}  // namespace thalweg
