#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/block_copy.h"
#include "kernels/reference/elements.h"
#include "thalweg/base/parallel.h"
#include "thalweg/graph/window.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using reference::Box;
using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;

// Both sides of such a move: images [batch, spatial..., rest], and their pieces [block cells *
// batch, spatial / block..., rest]. `before` cells of padding come before the images.
struct Move {
  Ints block, before, image, piece;  // one entry a spatial dimension
  int64_t batch, rest;

  int64_t cells() const {
    int64_t count = 1;
    for (int64_t b : block) count = checked_multiply(count, b);
    return count;
  }
};

// The box of piece `k` of image `n`; the images are `from` when they are cut up.
Box piece_box(const Move& move, int64_t k, int64_t n, bool is_cutting) {
  Box box{.run = move.rest};
  const size_t rank = move.block.size();
  box.dims.resize(std::max<size_t>(rank, 1), {1, 0, 0});
  int64_t image_stride = move.rest, piece_stride = move.rest;
  int64_t image_at = 0, piece_at = 0;
  for (size_t i = rank; i-- > 0;) {
    const int64_t offset = k % move.block[i] - move.before[i];
    k /= move.block[i];
    // Cell p of the piece is cell p * block + offset of the image; those outside are padding.
    const int64_t first = offset >= 0 ? 0 : (-offset + move.block[i] - 1) / move.block[i];
    const int64_t past =
        offset >= move.image[i] ? 0 : (move.image[i] - offset + move.block[i] - 1) / move.block[i];
    const int64_t size = std::max<int64_t>(std::min(past, move.piece[i]) - first, 0);
    image_at += (first * move.block[i] + offset) * image_stride;
    piece_at += first * piece_stride;
    box.dims[i] = {size, move.block[i] * image_stride, piece_stride};
    image_stride *= move.image[i];
    piece_stride *= move.piece[i];
  }
  box.from = image_at + n % move.batch * image_stride;
  box.to = piece_at + n * piece_stride;
  if (!is_cutting) {
    std::swap(box.from, box.to);
    for (auto& dim : box.dims) std::swap(dim.from, dim.to);
  }
  return box;
}

void move_blocks(DType dtype, const Move& move, bool is_cutting, const void* from, void* to) {
  parallel_for(move.cells() * move.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      reference::copy_box(dtype, piece_box(move, n / move.batch, n, is_cutting), from, to);
    }
  });
}

// The block of a node: an input, or a number for both dimensions.
class BlockInput {
 public:
  explicit BlockInput(const KernelRequest& request)
      : size_(request.inputs.size() == 3 ? 0 : request.node.attr<int64_t>("block_size")),
        values_(request, request.inputs.size() == 3 ? 1 : 0) {}
  Ints read(const KernelContext& context) const {
    return size_ > 0 ? Ints{size_, size_} : values_.read(context);
  }

 private:
  int64_t size_;
  IntsInput values_;
};

template <bool kIsCutting>
KernelPtr make_move(const KernelRequest& request) {
  const TensorSpec& input = request.inputs[0];
  if (!reference::has_elements(input.dtype)) return nullptr;
  const int edges = static_cast<int>(request.inputs.size()) - 1;
  return make_kernel([dtype = input.dtype, shape = input.shape, block = BlockInput(request),
                      edges = IntsInput(request, edges),
                      place = OutputPlace(request, 0)](KernelContext& c) {
    Move move{.block = block.read(c)};
    const Ints pairs = edges.read(c);
    const auto rank = static_cast<int>(move.block.size());
    if (pairs.size() != 2 * move.block.size() || shape.rank() < rank + 1) {
      throw invalid_argument("blocks of ", move.block, " cells and the ", pairs.size() / 2,
                             " pairs of edges do not fit an input of shape ", shape);
    }
    const auto bad = [](int64_t least) { return [least](int64_t v) { return v < least; }; };
    if (std::any_of(move.block.begin(), move.block.end(), bad(1)) ||
        std::any_of(pairs.begin(), pairs.end(), bad(0))) {
      throw invalid_argument("a block must not be below 1, nor an edge below 0, got ", move.block,
                             " and ", pairs);
    }
    move.rest = shape.slice(rank + 1).num_elements();
    if (!kIsCutting && shape[0] % move.cells() != 0) {
      throw invalid_argument("the batch of ", shape[0], " is no multiple of the ", move.cells(),
                             " cells of a block");
    }
    move.batch = kIsCutting ? shape[0] : shape[0] / move.cells();
    Shape result = shape;
    result.set_dim(0, kIsCutting ? checked_multiply(shape[0], move.cells()) : move.batch);
    bool is_padded = false;
    for (int i = 0; i < rank; ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t edge = checked_add(pairs[2 * at], pairs[2 * at + 1]);
      const int64_t whole = kIsCutting ? checked_add(shape[i + 1], edge)
                                       : checked_multiply(shape[i + 1], move.block[at]);
      if (whole % move.block[at] != 0 || (!kIsCutting && edge > whole)) {
        throw invalid_argument("spatial dimension ", i, " of ", whole, " cells, edges of ", edge,
                               " included, cannot be cut into blocks of ", move.block[at]);
      }
      is_padded = is_padded || edge > 0;
      move.before.push_back(pairs[2 * at]);
      move.image.push_back(kIsCutting ? shape[i + 1] : whole - edge);
      move.piece.push_back(whole / move.block[at]);
      result.set_dim(i + 1, kIsCutting ? move.piece[at] : move.image[at]);
    }
    void* to = place.memory(c, result);
    if (kIsCutting && is_padded) reference::zero_elements(dtype, to, result.num_elements());
    if (result.num_elements() > 0 && shape.num_elements() > 0) {
      move_blocks(dtype, move, kIsCutting, c.input_pointer(0), to);
    }
  });
}

// The deep side is [batch, height, width, channels of the cells] or [batch, cells, channels,
// height, width]; the flat side has the cells as 2 x 2 neighbours in space.
Box depth_box(const Shape& flat, const std::string& format, int64_t block, bool to_depth) {
  const ImageAxes axes = image_axes(format);
  const int64_t h = flat[axes.height] / block, w = flat[axes.width] / block;
  const int64_t batch = flat[0], channels = flat[axes.channels], b = block;
  Box box;
  if (format == "NHWC") {
    const int64_t run = b * channels;  // one row of a block
    box.run = run;
    box.dims = {{batch * h, b * w * run, w * b * run}, {b, w * run, run}, {w, run, b * run}};
  } else {
    const int64_t plane = h * w;
    box.dims = {{batch, channels * b * b * plane, channels * b * b * plane},
                {channels, b * b * plane, plane},
                {b, b * w, b * channels * plane},
                {b, 1, channels * plane},
                {h, b * b * w, w},
                {w, b, 1}};
  }
  if (!to_depth) {
    for (auto& dim : box.dims) std::swap(dim.from, dim.to);
  }
  return box;
}

template <bool kToDepth>
KernelPtr make_depth(const KernelRequest& request) {
  const TensorSpec& input = request.inputs[0];
  if (!reference::has_elements(input.dtype)) return nullptr;
  const Shape& flat = kToDepth ? input.shape : request.outputs[0].shape;
  const Box box = depth_box(flat, request.node.attr<std::string>("data_format"),
                            request.node.attr<int64_t>("block_size"), kToDepth);
  return make_kernel([dtype = input.dtype, box](KernelContext& c) {
    reference::copy_box(dtype, box, c.input_pointer(0), c.output_pointer(0));
  });
}

constexpr KernelDef kKernels[] = {
    {"SpaceToBatchND", "reference", make_move<true>},
    {"BatchToSpaceND", "reference", make_move<false>},
    {"SpaceToBatch", "reference", make_move<true>},
    {"BatchToSpace", "reference", make_move<false>},
    {"SpaceToDepth", "reference", make_depth<true>},
    {"DepthToSpace", "reference", make_depth<false>},
};

}  // namespace

std::span<const KernelDef> reference_space_kernels() { return kKernels; }

}  // namespace thalweg
