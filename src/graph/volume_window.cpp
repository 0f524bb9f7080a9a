#include "thalweg/graph/volume_window.h"

namespace thalweg {
namespace {

using Sizes = std::array<int64_t, 3>;

Sizes spatial(const AttrMap& attrs, std::string_view name, const VolumeAxes& axes) {
  const auto& list = std::get<std::vector<int64_t>>(attrs.find(name)->second);
  if (list.size() != 5)
    throw invalid_argument("attribute `", name, "` must have 5 entries, got ", list);
  const auto at = [&list](int axis) { return list[static_cast<size_t>(axis)]; };
  if (at(0) != 1 || at(axes.channels) != 1) {
    throw invalid_argument("attribute `", name, "` must be 1 for batch and channels, got ", list);
  }
  return {at(axes.spatial), at(axes.spatial + 1), at(axes.spatial + 2)};
}

Windows3d windows(const AttrMap& attrs, const Shape& input, const Sizes& sizes,
                  const Sizes& dilations) {
  static constexpr std::string_view kNames[] = {"depth", "height", "width"};
  const VolumeAxes axes = volume_axes(std::get<std::string>(attrs.at("data_format")));
  const Sizes strides = spatial(attrs, "strides", axes);
  Windows3d result;
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t length =
        input.has_rank() ? input.dim(axes.spatial + static_cast<int>(i)) : kUnknownDim;
    try {
      result[i] = make_window(length, sizes[i], strides[i], dilations[i],
                              std::get<std::string>(attrs.at("padding")));
    } catch (Error& error) {
      error.add_context(kNames[i]);
      throw;
    }
  }
  return result;
}

}  // namespace

VolumeAxes volume_axes(std::string_view data_format) {
  if (data_format == "NDHWC") return {.spatial = 1, .channels = 4};
  if (data_format == "NCDHW") return {.spatial = 2, .channels = 1};
  throw unimplemented("volumes are \"NDHWC\" or \"NCDHW\", got data_format \"", data_format, "\"");
}

Windows3d volume_convolution_windows(const AttrMap& attrs, const Shape& input,
                                     const Shape& filter) {
  const VolumeAxes axes = volume_axes(std::get<std::string>(attrs.at("data_format")));
  return windows(attrs, input, {filter[0], filter[1], filter[2]},
                 spatial(attrs, "dilations", axes));
}

Windows3d volume_pooling_windows(const AttrMap& attrs, const Shape& input) {
  const VolumeAxes axes = volume_axes(std::get<std::string>(attrs.at("data_format")));
  return windows(attrs, input, spatial(attrs, "ksize", axes), {1, 1, 1});
}

}  // namespace thalweg
