#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

// Hands over pixels as output 0, after holding their shape against what was inferred.
void give(KernelContext& c, const Shape& inferred, Tensor image) {
  if (!image.shape().is_compatible_with(inferred)) {
    throw invalid_argument("the image has shape ", image.shape(), ", expected ", inferred);
  }
  c.set_output(0, std::move(image));
}

// TensorFlow's decoders of one format take the others too, as long as the result has their form.
[[noreturn]] void wrong_op(std::string_view op, std::string_view bytes) {
  throw invalid_argument(op, " got ", to_string(image_format(bytes)),
                         " data; use DecodeImage for any format");
}

Tensor single_frame(std::string_view bytes, int channels) {
  if (channels != 0 && channels != 3) {
    throw invalid_argument("a GIF is decoded to 3 channels, got ", channels);
  }
  const Tensor frames = decode_gif(bytes, {.max_frames = 2});
  if (frames.dim(0) != 1) {
    throw invalid_argument("an animated GIF is decoded by DecodeGif or DecodeImage alone");
  }
  return frames.reshape(frames.shape().slice(1));
}

Tensor decode_any(const std::string& bytes, std::string_view op, const DecodeJpegOptions& jpeg,
                  DType dtype) {
  switch (image_format(bytes)) {
    case ImageFormat::kJpeg:
      if (dtype == kUInt8) return decode_jpeg(bytes, jpeg);
      break;
    case ImageFormat::kGif:
      if (dtype == kUInt8) return single_frame(bytes, jpeg.channels);
      break;
    case ImageFormat::kPng: return decode_png(bytes, {.channels = jpeg.channels, .dtype = dtype});
    // No format at all is told by the reader that was meant.
    case ImageFormat::kUnknown:
      return op == "DecodePng" ? decode_png(bytes) : decode_jpeg(bytes, jpeg);
    case ImageFormat::kBmp: break;
  }
  wrong_op(op, bytes);
}

int channels_of(const Node& node) { return static_cast<int>(node.attr<int64_t>("channels")); }

DecodeJpegOptions jpeg_options(const Node& node) {
  const auto& method = node.attr<std::string>("dct_method");
  if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE") {
    throw invalid_argument("dct_method must be INTEGER_FAST, INTEGER_ACCURATE or empty, got ",
                           method);
  }
  return {.channels = channels_of(node),
          .ratio = static_cast<int>(node.attr<int64_t>("ratio")),
          .fancy_upscaling = node.attr<bool>("fancy_upscaling"),
          .try_recover_truncated = node.attr<bool>("try_recover_truncated"),
          .acceptable_fraction = node.attr<float>("acceptable_fraction"),
          .is_accurate = method == "INTEGER_ACCURATE"};
}

KernelPtr make_decode_jpeg(const KernelRequest& request) {
  return make_kernel([options = jpeg_options(request.node), op = request.node.op().name,
                      shape = request.outputs[0].shape](KernelContext& c) {
    give(c, shape, decode_any(*c.input<std::string>(0), op, options, kUInt8));
  });
}

KernelPtr make_decode_and_crop(const KernelRequest& request) {
  return make_kernel([options = jpeg_options(request.node),
                      window = reference::IntsInput(request, 1),
                      place = reference::OutputPlace(request, 0)](KernelContext& c) {
    const reference::Ints w = window.read(c);
    DecodeJpegOptions cropping = options;
    cropping.crop = ImageWindow{w.at(0), w.at(1), w.at(2), w.at(3)};
    const Tensor image = decode_jpeg(*c.input<std::string>(0), cropping);
    reference::copy_elements(kUInt8, image.raw(), place.memory(c, image.shape()),
                             image.num_elements());
  });
}

KernelPtr make_decode_png(const KernelRequest& request) {
  return make_kernel([channels = channels_of(request.node), op = request.node.op().name,
                      dtype = request.outputs[0].dtype,
                      shape = request.outputs[0].shape](KernelContext& c) {
    give(c, shape, decode_any(*c.input<std::string>(0), op, {.channels = channels}, dtype));
  });
}

KernelPtr make_decode_bmp(const KernelRequest& request) {
  return make_kernel(
      [channels = channels_of(request.node), shape = request.outputs[0].shape](KernelContext& c) {
        give(c, shape, decode_bmp(*c.input<std::string>(0), {.channels = channels}));
      });
}

KernelPtr make_decode_gif(const KernelRequest& request) {
  return make_kernel([shape = request.outputs[0].shape](KernelContext& c) {
    const std::string& bytes = *c.input<std::string>(0);
    const ImageFormat format = image_format(bytes);
    if (format == ImageFormat::kBmp) wrong_op("DecodeGif", bytes);
    if (format != ImageFormat::kJpeg && format != ImageFormat::kPng) {
      return give(c, shape, decode_gif(bytes));
    }
    const Tensor image = decode_image(bytes, {.channels = 3});
    give(c, shape, image.reshape(Shape{1}.concat(image.shape())));
  });
}

KernelPtr make_decode_image(const KernelRequest& request) {
  return make_kernel([options = DecodeImageOptions{.channels = channels_of(request.node),
                                                   .dtype = request.outputs[0].dtype,
                                                   .expand_animations = request.node.attr<bool>(
                                                       "expand_animations")},
                      shape = request.outputs[0].shape](KernelContext& c) {
    give(c, shape, decode_image(*c.input<std::string>(0), options));
  });
}

// Input 0 as a tensor for the encoders.
Tensor image_of(const KernelContext& c, DType dtype, const Shape& shape, int64_t index = 0) {
  Tensor image(dtype, shape);
  const void* from = reference::element_at(dtype, c.input_pointer(0), index * shape.num_elements());
  reference::copy_elements(dtype, from, image.mutable_raw(), shape.num_elements());
  return image;
}

KernelPtr make_encode_jpeg(const KernelRequest& request) {
  const Node& node = request.node;
  const auto number = [&node](std::string_view name) {
    return static_cast<int>(node.attr<int64_t>(name));
  };
  const auto& format = node.attr<std::string>("format");
  const Shape& shape = request.inputs[0].shape;
  if ((format == "grayscale" && shape[2] != 1) || (format == "rgb" && shape[2] != 3)) {
    throw invalid_argument("format \"", format, "\" does not fit images of shape ", shape);
  }
  return make_kernel(
      [shape, options = EncodeJpegOptions{
                  .quality = number("quality"),
                  .progressive = node.attr<bool>("progressive"),
                  .optimize_size = node.attr<bool>("optimize_size"),
                  .chroma_downsampling = node.attr<bool>("chroma_downsampling"),
                  .is_density_in_cm = node.attr<std::string>("density_unit") == "cm",
                  .x_density = number("x_density"),
                  .y_density = number("y_density"),
                  .xmp_metadata = node.attr<std::string>("xmp_metadata")}](KernelContext& c) {
        *c.output<std::string>() = encode_jpeg(image_of(c, kUInt8, shape), options);
      });
}

KernelPtr make_encode_variable(const KernelRequest& request) {
  return make_kernel([shape = request.inputs[0].shape](KernelContext& c) {
    *c.output<std::string>() =
        encode_jpeg(image_of(c, kUInt8, shape), {.quality = *c.input<int32_t>(1)});
  });
}

KernelPtr make_encode_png(const KernelRequest& request) {
  const Shape& shape = request.inputs[0].shape;
  return make_kernel([dtype = request.inputs[0].dtype, image = shape.slice(-3),
                      count = shape.slice(0, -3).num_elements(),
                      compression = static_cast<int>(request.node.attr<int64_t>("compression"))](
                         KernelContext& c) {
    for (int64_t i = 0; i < count; ++i) {
      c.output<std::string>()[i] =
          encode_png(image_of(c, dtype, image, i), {.compression = compression});
    }
  });
}

KernelPtr make_jpeg_shape(const KernelRequest& request) {
  return make_kernel([dtype = request.outputs[0].dtype](KernelContext& c) {
    const std::array<int64_t, 3> shape = jpeg_shape(*c.input<std::string>(0));
    convert_elements(kInt64, shape.data(), dtype, c.output_pointer(0), 3);
  });
}

constexpr KernelDef kKernels[] = {
    {"DecodeJpeg", "reference", make_decode_jpeg},
    {"DecodeAndCropJpeg", "reference", make_decode_and_crop},
    {"DecodePng", "reference", make_decode_png},
    {"DecodeBmp", "reference", make_decode_bmp},
    {"DecodeGif", "reference", make_decode_gif},
    {"DecodeImage", "reference", make_decode_image},
    {"EncodeJpeg", "reference", make_encode_jpeg},
    {"EncodeJpegVariableQuality", "reference", make_encode_variable},
    {"EncodePng", "reference", make_encode_png},
    {"ExtractJpegShape", "reference", make_jpeg_shape},
};

}  // namespace

std::span<const KernelDef> reference_image_codec_kernels() { return kKernels; }

}  // namespace thalweg
