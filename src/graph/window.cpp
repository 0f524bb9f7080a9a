#include "thalweg/graph/window.h"

#include <algorithm>
#include <array>

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

// A list attribute of an image op; one that the op does not have is empty.
const Ints& list_attr(const AttrMap& attrs, std::string_view name) {
  static const Ints none;
  const auto it = attrs.find(name);
  return it == attrs.end() ? none : std::get<Ints>(it->second);
}

// {height, width} of a list with an entry for each dimension; a window moves over, and covers,
// single images and channels.
std::array<int64_t, 2> spatial(const AttrMap& attrs, std::string_view name, const ImageAxes& axes) {
  const Ints& list = list_attr(attrs, name);
  if (list.size() != 4)
    throw invalid_argument("attribute `", name, "` must have 4 entries, got ", list);
  const auto at = [&list](int axis) { return list[static_cast<size_t>(axis)]; };
  if (at(axes.batch) != 1 || at(axes.channels) != 1) {
    throw invalid_argument("attribute `", name, "` must be 1 for batch and channels, got ", list);
  }
  return {at(axes.height), at(axes.width)};
}

Window named_window(std::string_view dimension, int64_t input, int64_t size, int64_t stride,
                    int64_t dilation, const std::string& padding, const Ints& paddings, int axis) {
  const auto pad = [&](int side) {
    return paddings.empty() ? 0 : paddings[static_cast<size_t>(2 * axis + side)];
  };
  try {
    return make_window(input, size, stride, dilation, padding, pad(0), pad(1));
  } catch (Error& error) {
    error.add_context(dimension);
    throw;
  }
}

Windows2d windows(const AttrMap& attrs, const Shape& input, std::array<int64_t, 2> sizes,
                  std::array<int64_t, 2> dilations) {
  const ImageAxes axes = image_axes(std::get<std::string>(attrs.at("data_format")));
  const std::array<int64_t, 2> strides = spatial(attrs, "strides", axes);
  const std::string& padding = std::get<std::string>(attrs.at("padding"));
  const Ints& paddings = list_attr(attrs, "explicit_paddings");
  if (paddings.size() != (padding == "EXPLICIT" ? 8u : 0u)) {
    throw invalid_argument("padding \"", padding, "\" takes ", padding == "EXPLICIT" ? 8 : 0,
                           " `explicit_paddings` (before and after each dimension), got ",
                           paddings);
  }
  for (int axis : {axes.batch, axes.channels}) {
    const auto at = static_cast<size_t>(2 * axis);
    if (!paddings.empty() && (paddings[at] != 0 || paddings[at + 1] != 0)) {
      throw invalid_argument("`explicit_paddings` must be 0 for batch and channels, got ",
                             paddings);
    }
  }
  const auto length = [&input](int axis) {
    return input.has_rank() ? input.dim(axis) : kUnknownDim;
  };
  return {named_window("height", length(axes.height), sizes[0], strides[0], dilations[0], padding,
                       paddings, axes.height),
          named_window("width", length(axes.width), sizes[1], strides[1], dilations[1], padding,
                       paddings, axes.width)};
}

// Lengths up to these can be multiplied and added without passing int64; honest ones are far below.
constexpr int64_t kLongestStep = int64_t{1} << 31;
constexpr int64_t kLongestInput = int64_t{1} << 60;

void check_bound(std::string_view what, int64_t value, int64_t most) {
  if (value > most) throw invalid_argument(what, " is ", value, ", more than ", most);
}

}  // namespace

Window make_window(int64_t input, int64_t size, int64_t stride, int64_t dilation,
                   std::string_view padding, int64_t pad_before, int64_t pad_after) {
  if (stride < 1) throw invalid_argument("the stride must be at least 1, got ", stride);
  if (dilation < 1) throw invalid_argument("the dilation must be at least 1, got ", dilation);
  if (size != kUnknownDim && size < 1)
    throw invalid_argument("the window must have at least 1 cell, got ", size);
  if (pad_before < 0 || pad_after < 0) {
    throw invalid_argument("padding must not be negative, got ", pad_before, " and ", pad_after);
  }
  check_bound("the stride", stride, kLongestStep);
  check_bound("the dilation", dilation, kLongestStep);
  check_bound("the window's length", size, kLongestStep);
  check_bound("the padding", std::max(pad_before, pad_after), kLongestStep);
  check_bound("the input's length", input, kLongestInput);
  Window window{
      .input = input, .size = size, .stride = stride, .dilation = dilation, .output = kUnknownDim};
  if (padding == "SAME") {
    if (input == kUnknownDim) return window;
    window.output = (input + stride - 1) / stride;
    if (size == kUnknownDim) return window;
    const int64_t padded =
        std::max<int64_t>(0, (window.output - 1) * stride + window.extent() - input);
    window.pad_before = padded / 2;
    window.pad_after = padded - window.pad_before;
    return window;
  }
  if (padding == "EXPLICIT") {
    window.pad_before = pad_before;
    window.pad_after = pad_after;
  } else if (padding != "VALID") {
    throw invalid_argument("padding must be \"SAME\", \"VALID\" or \"EXPLICIT\", got \"", padding,
                           "\"");
  }
  if (input == kUnknownDim || size == kUnknownDim) return window;
  const int64_t padded = input + window.pad_before + window.pad_after;
  if (window.extent() > padded) {
    throw invalid_argument("a window of ", window.extent(), " cells does not fit into ", padded,
                           " (input and padding); use padding \"SAME\" or a smaller window");
  }
  window.output = (padded - window.extent()) / stride + 1;
  return window;
}

ImageAxes image_axes(std::string_view data_format) {
  if (data_format == "NHWC") return {.batch = 0, .height = 1, .width = 2, .channels = 3};
  if (data_format == "NCHW") return {.batch = 0, .height = 2, .width = 3, .channels = 1};
  throw unimplemented("images are \"NHWC\" or \"NCHW\", got data_format \"", data_format, "\"");
}

Windows2d convolution_windows(const AttrMap& attrs, const Shape& input, int64_t filter_height,
                              int64_t filter_width) {
  const ImageAxes axes = image_axes(std::get<std::string>(attrs.at("data_format")));
  return windows(attrs, input, {filter_height, filter_width}, spatial(attrs, "dilations", axes));
}

Windows2d pooling_windows(const AttrMap& attrs, const Shape& input) {
  const ImageAxes axes = image_axes(std::get<std::string>(attrs.at("data_format")));
  return windows(attrs, input, spatial(attrs, "ksize", axes), {1, 1});
}

}  // namespace thalweg
