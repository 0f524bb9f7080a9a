#include <png.h>

#include <bit>
#include <vector>

#include "image/guard.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

using image::Guard;
using image::guarded;

struct PngWriter {
  Guard guard;
  std::string bytes;
  png_structp png = nullptr;
  png_infop info = nullptr;

  PngWriter() = default;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
  // No exception may cross the library.
  void append(png_bytep from, size_t count) {
    bool is_fine = true;
    try {
      bytes.append(reinterpret_cast<const char*>(from), count);
    } catch (...) {
      is_fine = false;
    }
    if (!is_fine) guard.fail("there is no memory for it");
  }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
};

void check_image(const Tensor& image) {
  const bool is_known = image.dtype() == kUInt8 || image.dtype() == kUInt16;
  if (!is_known || image.rank() != 3 || image.dim(2) < 1 || image.dim(2) > 4) {
    throw invalid_argument("a PNG is made of uint8 or uint16 [height, width, 1 to 4], got ",
                           image.dtype(), image.shape());
  }
  for (int axis : {0, 1}) {
    if (image.dim(axis) < 1 || image.dim(axis) > 1'000'000) {
      throw invalid_argument("height and width of a PNG must be in [1, 1000000], got ",
                             image.shape());
    }
  }
}

}  // namespace

std::string encode_png(const Tensor& image, const EncodePngOptions& options) {
  check_image(image);
  if (options.compression < -1 || options.compression > 9) {
    throw invalid_argument("the compression of a PNG must be in [-1, 9], got ",
                           options.compression);
  }
  static constexpr int kColours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                     PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  const int bits = image.dtype() == kUInt8 ? 8 : 16;
  std::vector<png_bytep> rows;
  const auto stride = image.byte_size() / static_cast<size_t>(image.dim(0));
  auto* data = static_cast<png_bytep>(const_cast<void*>(image.raw()));
  for (int64_t y = 0; y < image.dim(0); ++y) rows.push_back(data + static_cast<size_t>(y) * stride);
  PngWriter writer;
  const bool is_fine = guarded(writer.guard, [&] {
    writer.png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, &writer,
        [](png_structp png, png_const_charp text) {
          static_cast<PngWriter*>(png_get_error_ptr(png))->guard.fail(text);
        },
        [](png_structp, png_const_charp) {});
    if (writer.png != nullptr) writer.info = png_create_info_struct(writer.png);
    if (writer.info == nullptr) writer.guard.fail("there is no memory for it");
    png_set_write_fn(
        writer.png, &writer,
        [](png_structp png, png_bytep from, size_t count) {
          static_cast<PngWriter*>(png_get_io_ptr(png))->append(from, count);
        },
        [](png_structp) {});
    if (options.compression >= 0) png_set_compression_level(writer.png, options.compression);
    png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.dim(1)),
                 static_cast<png_uint_32>(image.dim(0)), bits, kColours[image.dim(2) - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer.png, writer.info);
    if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(writer.png);
    png_write_image(writer.png, rows.data());
    png_write_end(writer.png, nullptr);
  });
  if (!is_fine) {
    const std::string message = writer.guard.message;
    throw internal_error("the PNG cannot be written: ", message);
  }
  return std::move(writer.bytes);
}

}  // namespace thalweg
