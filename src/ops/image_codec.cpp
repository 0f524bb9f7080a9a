// Ops between the bytes of picture files and pixels. What they accept and give is that of
// thalweg/image/codec.h.
#include "thalweg/ops/image_codec.h"
#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

int64_t channels_of(const ShapeContext& c) {
  const int64_t channels = c.attr<int64_t>("channels");
  if (channels < 0 || channels > 4 || channels == 2) {
    throw c.error("`channels` must be 0, 1, 3 or 4, got ", channels);
  }
  return channels == 0 ? kUnknownDim : channels;
}

void decode_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  c.set_output(0, Shape{kUnknownDim, kUnknownDim, channels_of(c)});
}

void decode_and_crop_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  const Shape window = c.with_rank(1, 1);
  if (window[0] != kUnknownDim && window[0] != 4) {
    throw c.error("`crop_window` must be {y, x, height, width}, got ", window[0], " numbers");
  }
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const auto values = c.constant_ints(1)) {
    if ((*values)[2] > 0) height = (*values)[2];
    if ((*values)[3] > 0) width = (*values)[3];
  }
  c.set_output(0, Shape{height, width, channels_of(c)});
}

void decode_gif_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  c.set_output(0, Shape{kUnknownDim, kUnknownDim, kUnknownDim, 3});
}

// Whether there is a dimension of frames is seen in the bytes.
void decode_image_shape(ShapeContext& c) {
  if (!c.attr<bool>("expand_animations")) return decode_shape(c);
  c.with_rank(0, 0);
  channels_of(c);
  c.set_output(0, Shape::unknown());
}

void encode_jpeg_shape(ShapeContext& c) {
  c.with_rank(0, 3);
  if (c.num_inputs() > 1) c.with_rank(1, 0);
  c.set_output(0, Shape{});
}

void encode_png_shape(ShapeContext& c) {
  const Shape image = c.with_rank_at_least(0, 3);
  c.set_output(0, image.has_rank() ? image.slice(0, -3) : Shape::unknown());
}

void jpeg_shape_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  c.set_output(0, Shape{3});
}

constexpr char kReason[] = "bytes have no derivative";
constexpr char kContents[] = "contents: string | A scalar: the bytes of the file.";
constexpr char kImage[] = "image: uint8 | `[height, width, channels]`.";
constexpr char kChannels[] = "channels: int = 0 | 1, 3, or 0: as in the file.";
constexpr char kRatio[] = "ratio: int = 1 | 1, 2, 4 or 8: how much smaller it is decoded.";
constexpr char kFancy[] = "fancy_upscaling: bool = true | Whether colours are smoothed.";
constexpr char kRecover[] =
    "try_recover_truncated: bool = false | Whether what is missing is filled up.";
constexpr char kFraction[] =
    "acceptable_fraction: float = 1 | The least part of the rows that must be there.";
constexpr char kMethod[] =
    "dct_method: string = '' | INTEGER_FAST, which empty means too, or INTEGER_ACCURATE.";

constexpr OpDef kImageCodecOps[] = {
    {.name = "DecodeJpeg",
     .inputs = {kContents},
     .outputs = {kImage},
     .attrs = {kChannels, kRatio, kFancy, kRecover, kFraction, kMethod},
     .doc = "Pixels of a JPEG. As in TensorFlow a PNG, or a GIF of one frame, is taken as well.",
     .shape = decode_shape,
     .no_gradient = kReason},
    {.name = "DecodeAndCropJpeg",
     .inputs = {kContents, "crop_window: int32 | {y, x, height, width} of the part wanted."},
     .outputs = {kImage},
     .attrs = {kChannels, kRatio, kFancy, kRecover, kFraction, kMethod},
     .doc = "Pixels of a part of a JPEG.",
     .shape = decode_and_crop_shape,
     .no_gradient = kReason},
    {.name = "DecodePng",
     .inputs = {kContents},
     .outputs = {"image: dtype | `[height, width, channels]`."},
     .attrs = {"channels: int = 0 | 1, 3, 4 (with alpha), or 0: as in the file.",
               "dtype: {uint8, uint16} = uint8 | Element type."},
     .doc = "Pixels of a PNG. As in TensorFlow a JPEG, or a GIF of one frame, is taken as well.",
     .shape = decode_shape,
     .no_gradient = kReason},
    {.name = "DecodeBmp",
     .inputs = {kContents},
     .outputs = {kImage},
     .attrs = {"channels: int = 0 | 0, or what the file has: 1, 3 or 4."},
     .doc = "Pixels of an uncompressed BMP.",
     .shape = decode_shape,
     .no_gradient = kReason},
    {.name = "DecodeGif",
     .inputs = {kContents},
     .outputs = {"image: uint8 | `[frames, height, width, 3]`."},
     .attrs = {},
     .doc = "The frames of a GIF, each drawn over the one before. A JPEG or PNG is one frame.",
     .shape = decode_gif_shape,
     .no_gradient = kReason},
    {.name = "DecodeImage",
     .inputs = {kContents},
     .outputs = {"image: dtype | `[height, width, channels]`; of an animation `[frames, height, "
                 "width, 3]`."},
     .attrs = {"channels: int = 0 | 0: as in the file.",
               "dtype: {uint8, uint16, float} = uint8 | Element type; float is in [0, 1].",
               "expand_animations: bool = true | Whether a GIF gives all of its frames."},
     .doc = "Pixels of a JPEG, PNG, GIF or BMP.",
     .shape = decode_image_shape,
     .no_gradient = kReason},
    {.name = "EncodeJpeg",
     .inputs = {"image: uint8 | `[height, width, 1 or 3]`."},
     .outputs = {"contents: string | A scalar: the bytes of a JPEG."},
     .attrs = {"format: {'', 'grayscale', 'rgb'} = '' | Empty: by the channels.",
               "quality: int = 95 | 0 to 100.",
               "progressive: bool = false | Whether it can be shown before it is all there.",
               "optimize_size: bool = false | Whether to take time for a smaller file.",
               "chroma_downsampling: bool = true | Whether colours have half the resolution.",
               "density_unit: {'in', 'cm'} = 'in' | Of the densities.",
               "x_density: int = 300 | Pixels a unit.", "y_density: int = 300 | Pixels a unit.",
               "xmp_metadata: string = '' | Kept in the file."},
     .doc = "The JPEG of an image.",
     .shape = encode_jpeg_shape,
     .no_gradient = kReason},
    {.name = "EncodeJpegVariableQuality",
     .inputs = {"images: uint8 | `[height, width, 1 or 3]`.", "quality: int32 | A scalar."},
     .outputs = {"contents: string | A scalar: the bytes of a JPEG."},
     .attrs = {},
     .doc = "EncodeJpeg with the quality as an input.",
     .shape = encode_jpeg_shape,
     .no_gradient = kReason},
    {.name = "EncodePng",
     .inputs = {"image: T | `[..., height, width, 1 to 4]`."},
     .outputs = {"contents: string | `[...]`: the bytes of PNGs."},
     .attrs = {"compression: int = -1 | 0 to 9; -1: zlib's default.",
               "T: {uint8, uint16} = uint8 | Element type."},
     .doc = "The PNGs of images.",
     .shape = encode_png_shape,
     .no_gradient = kReason},
    {.name = "ExtractJpegShape",
     .inputs = {kContents},
     .outputs = {"image_shape: output_type | {height, width, channels}."},
     .attrs = {"output_type: {int32, int64} = int32 | Type of the shape."},
     .doc = "The size of a JPEG, from its header alone.",
     .shape = jpeg_shape_shape,
     .no_gradient = kReason},
};

}  // namespace

std::span<const OpDef> image_codec_ops() { return kImageCodecOps; }

Output decode_jpeg(Output contents, DecodeOptions options) {
  return add_op("DecodeJpeg", {contents}, {{"channels", options.channels}}, options.name);
}

Output decode_png(Output contents, DecodeOptions options) {
  return add_op("DecodePng", {contents}, {{"channels", options.channels}, {"dtype", options.dtype}},
                options.name);
}

Output decode_bmp(Output contents, DecodeOptions options) {
  return add_op("DecodeBmp", {contents}, {{"channels", options.channels}}, options.name);
}

Output decode_gif(Output contents, DecodeOptions options) {
  return add_op("DecodeGif", {contents}, {}, options.name);
}

Output decode_image(Output contents, DecodeOptions options) {
  return add_op("DecodeImage", {contents},
                {{"channels", options.channels},
                 {"dtype", options.dtype},
                 {"expand_animations", options.expand_animations}},
                options.name);
}

Output encode_jpeg(Output image, EncodeOptions options) {
  return add_op("EncodeJpeg", {image}, {{"quality", options.quality}}, options.name);
}

Output encode_png(Output image, EncodeOptions options) {
  return add_op("EncodePng", {image}, {{"compression", options.compression}}, options.name);
}

}  // namespace thalweg
