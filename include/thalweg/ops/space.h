// Building nodes that move blocks between space and the batch or channels, and that cut images into
// patches. Each adds the op of the same name with TensorFlow's meaning; src/ops/space.cpp and
// patches.cpp document them in full.
#pragma once

#include <string>
#include <vector>

#include "thalweg/ops/array.h"
#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct SpaceOptions {
  std::string name = {};
};
/// Pads `[batch, spatial..., rest...]` with zeros and cuts each spatial dimension i into pieces
/// taken block_shape[i] cells apart, which become images of the batch.
Output space_to_batch(Output input, const IntVector& block_shape, const Paddings& paddings,
                      SpaceOptions options = {});
/// The reverse; `crops` cells are cut off at the ends.
Output batch_to_space(Output input, const IntVector& block_shape, const Paddings& crops,
                      SpaceOptions options = {});

struct DepthOptions {
  std::string data_format = "NHWC";  // or "NCHW"
  std::string name = {};
};
/// Moves blocks of block_size x block_size cells into the channels.
Output space_to_depth(Output input, int64_t block_size, DepthOptions options = {});
/// The reverse.
Output depth_to_space(Output input, int64_t block_size, DepthOptions options = {});

struct PatchOptions {
  std::vector<int64_t> strides = {1, 1};  // one a spatial dimension
  std::vector<int64_t> rates = {1, 1};    // distance of a patch's cells; images only
  std::string padding = "VALID";          // or "SAME": with zeros
  std::string name = {};
};
/// The patches of `sizes` = {height, width} cells of `[batch, height, width, channels]`, each
/// flattened into the channels of a cell.
Output extract_image_patches(Output images, const std::vector<int64_t>& sizes,
                             PatchOptions options = {});
/// The same for `[batch, depth, height, width, channels]`; `sizes` and strides have three entries.
Output extract_volume_patches(Output input, const std::vector<int64_t>& sizes,
                              PatchOptions options = {.strides = {1, 1, 1}});

}  // namespace thalweg
