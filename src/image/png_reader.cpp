#include <png.h>

#include <bit>
#include <cstring>
#include <vector>

#include "image/guard.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

using image::Guard;
using image::guarded;

// Freed also when the constructor of its reader throws.
struct Structs {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Structs() { png_destroy_read_struct(&png, &info, nullptr); }
};

class PngReader : private Structs {
 public:
  explicit PngReader(std::string_view bytes) : bytes_(bytes) {
    const auto on_error = [](png_structp failed, png_const_charp text) {
      static_cast<PngReader*>(png_get_error_ptr(failed))->guard_.fail(text);
    };
    check(guarded(guard_, [&] {
      png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error,
                                   [](png_structp, png_const_charp) {});
      if (png != nullptr) info = png_create_info_struct(png);
      if (info == nullptr) guard_.fail("there is no memory for it");
      png_set_read_fn(png, this, [](png_structp reading, png_bytep to, size_t count) {
        static_cast<PngReader*>(png_get_io_ptr(reading))->read(to, count);
      });
      png_read_info(png, info);
    }));
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  int64_t height() const { return png_get_image_height(png, info); }
  int64_t width() const { return png_get_image_width(png, info); }
  int depth() const { return png_get_bit_depth(png, info); }
  bool has(int mask) const { return (png_get_color_type(png, info) & mask) != 0; }
  bool has_transparency() const { return png_get_valid(png, info, PNG_INFO_tRNS) != 0; }

  // Those of the file.
  int channels() const {
    if (has(PNG_COLOR_MASK_PALETTE)) return has_transparency() ? 4 : 3;
    return png_get_channels(png, info);
  }

  // Asks the library for rows of `channels` and `bits`.
  void transform(int channels, int bits) {
    const bool wants_alpha = channels % 2 == 0, wants_grey = channels < 3;
    check(guarded(guard_, [&] {
      if (has(PNG_COLOR_MASK_PALETTE)) png_set_palette_to_rgb(png);
      const bool is_grey = !has(PNG_COLOR_MASK_COLOR);
      if (is_grey && depth() < 8) png_set_expand_gray_1_2_4_to_8(png);
      if (wants_alpha) {
        if (has_transparency()) {
          png_set_tRNS_to_alpha(png);
        } else if (!has(PNG_COLOR_MASK_ALPHA)) {
          // TensorFlow's opaque, also where few bits are widened to 8 afterwards.
          png_set_add_alpha(png, (1u << depth()) - 1, PNG_FILLER_AFTER);
        }
      } else {
        png_set_strip_alpha(png);
      }
      if (depth() > 8 && bits <= 8) png_set_strip_16(png);
      if (wants_grey && !is_grey) {
        png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
      } else if (!wants_grey && is_grey) {
        png_set_gray_to_rgb(png);
      }
      if (depth() > 8 && bits > 8 && std::endian::native == std::endian::little) {
        png_set_swap(png);
      }
      png_set_interlace_handling(png);
      png_read_update_info(png, info);
    }));
  }

  size_t row_bytes() const { return png_get_rowbytes(png, info); }

  void read_rows(std::vector<png_bytep>& rows) {
    check(guarded(guard_, [&] {
      png_read_image(png, rows.data());
      png_read_end(png, nullptr);
    }));
  }

 private:
  void read(png_bytep to, size_t count) {
    if (count > bytes_.size()) guard_.fail("it ends too early");
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  void check(bool is_fine) {
    if (is_fine) return;
    const std::string message = guard_.message;
    throw invalid_argument("the PNG cannot be read: ", message);
  }

  Guard guard_;
  std::string_view bytes_;
};

}  // namespace

Tensor decode_png(std::string_view bytes, const DecodePngOptions& options) {
  if (options.channels < 0 || options.channels > 4) {
    throw invalid_argument("a PNG is decoded to 1 to 4 channels (0: as in the file), got ",
                           options.channels);
  }
  if (options.dtype != kUInt8 && options.dtype != kUInt16) {
    throw invalid_argument("a PNG is decoded to uint8 or uint16, got ", options.dtype);
  }
  PngReader reader(bytes);
  const int channels = options.channels != 0 ? options.channels : reader.channels();
  const auto size = static_cast<int64_t>(element_size(options.dtype));
  image::check_size("PNG", 1, reader.height(), reader.width(), channels * size, options.max_bytes);
  const bool is_narrow = options.dtype == kUInt16 && reader.depth() <= 8;
  reader.transform(channels, options.dtype == kUInt16 ? 16 : 8);
  const int64_t count = reader.width() * channels;
  Tensor result(options.dtype, Shape{reader.height(), reader.width(), channels});
  if (reader.row_bytes() != static_cast<size_t>(count * (is_narrow ? 1 : size))) {
    throw internal_error("rows of a PNG have ", reader.row_bytes(), " bytes, expected ", count,
                         " values");
  }
  // Bytes that are to be widened are read into the second half of each row's place.
  std::vector<png_bytep> rows;
  auto* data = static_cast<png_bytep>(result.mutable_raw());
  for (int64_t y = 0; y < reader.height(); ++y) {
    rows.push_back(data + y * count * size + (is_narrow ? count : 0));
  }
  reader.read_rows(rows);
  if (is_narrow) {
    auto values = result.mutable_data<uint16_t>();
    for (size_t y = 0; y < rows.size(); ++y) {
      uint16_t* row = values.data() + y * static_cast<size_t>(count);
      for (int64_t i = 0; i < count; ++i) row[i] = static_cast<uint16_t>(rows[y][i] * 257);
    }
  }
  return result;
}

}  // namespace thalweg
