#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

// jpeglib.h needs FILE and size_t declared before it.
#include <jerror.h>
#include <jpeglib.h>

#include "image/guard.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

using image::Guard;
using image::guarded;

// A progressive file of very many tiny scans makes the decoder work for hours.
constexpr int kMaxScans = 200;

// Freed also when the constructor of its reader throws.
struct Decompressor : jpeg_decompress_struct {
  Decompressor() : jpeg_decompress_struct{} {}
  ~Decompressor() { jpeg_destroy_decompress(this); }
};

class JpegReader {
 public:
  explicit JpegReader(std::string_view bytes) {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = [](j_common_ptr jpeg) {
      char text[JMSG_LENGTH_MAX];
      jpeg->err->format_message(jpeg, text);
      self(jpeg).guard_.fail(text);
    };
    errors_.emit_message = [](j_common_ptr jpeg, int level) {
      if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) self(jpeg).is_truncated_ = true;
    };
    errors_.output_message = [](j_common_ptr) {};
    progress_.progress_monitor = [](j_common_ptr jpeg) {
      if (jpeg->is_decompressor != 0 &&
          reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMaxScans) {
        self(jpeg).guard_.fail("it has too many scans");
      }
    };
    check(guarded(guard_, [&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &progress_;
      jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()),
                   static_cast<unsigned long>(bytes.size()));  // NOLINT: the library's type
      jpeg_read_header(&jpeg_, TRUE);
    }));
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct& info() { return jpeg_; }
  bool is_truncated() const { return is_truncated_; }

  void start(const DecodeJpegOptions& options, int channels) {
    check(guarded(guard_, [&] {
      jpeg_.scale_num = 1;
      jpeg_.scale_denom = static_cast<unsigned>(options.ratio);
      jpeg_.dct_method = options.is_accurate ? JDCT_ISLOW : JDCT_IFAST;
      jpeg_.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
      const bool is_cmyk = jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
      jpeg_.out_color_space = is_cmyk ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_calc_output_dimensions(&jpeg_);
    }));
  }
  void decompress() {
    check(guarded(guard_, [&] { jpeg_start_decompress(&jpeg_); }));
  }
  void read_row(unsigned char* row) {
    check(guarded(guard_, [&] { jpeg_read_scanlines(&jpeg_, &row, 1); }));
  }

 private:
  static JpegReader& self(j_common_ptr jpeg) {
    return *static_cast<JpegReader*>(jpeg->client_data);
  }
  void check(bool is_fine) {
    if (is_fine) return;
    const std::string message = guard_.message;
    throw invalid_argument("the JPEG cannot be read: ", message);
  }

  Guard guard_;
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  Decompressor jpeg_;
  bool is_truncated_ = false;
};

// Adobe's files hold the inverse of each colour.
void cmyk_to_rgb(const unsigned char* from, int64_t pixels, bool is_inverted, unsigned char* to) {
  for (int64_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    for (int k = 0; k < 3; ++k) {
      const int colour = is_inverted ? from[k] : 255 - from[k];
      const int black = is_inverted ? from[3] : 255 - from[3];
      to[k] = static_cast<unsigned char>(colour * black / 255);
    }
  }
}

void check_options(const DecodeJpegOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3) {
    throw invalid_argument("a JPEG is decoded to 1 or 3 channels (0: as in the file), got ",
                           options.channels);
  }
  const int ratio = options.ratio;
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
    throw invalid_argument("the ratio of a JPEG must be 1, 2, 4 or 8, got ", ratio);
  }
}

ImageWindow checked_window(const DecodeJpegOptions& options, int64_t height, int64_t width) {
  if (!options.crop) return {0, 0, height, width};
  const ImageWindow& w = *options.crop;
  if (w.y < 0 || w.x < 0 || w.height <= 0 || w.width <= 0 || w.y > height - w.height ||
      w.x > width - w.width) {
    throw invalid_argument("the crop window {y ", w.y, ", x ", w.x, ", height ", w.height,
                           ", width ", w.width, "} does not lie in the image of ", height, " x ",
                           width, " (height x width)");
  }
  return w;
}

}  // namespace

std::array<int64_t, 3> jpeg_shape(std::string_view bytes) {
  JpegReader reader(bytes);
  const auto& jpeg = reader.info();
  return {jpeg.image_height, jpeg.image_width, jpeg.num_components};
}

Tensor decode_jpeg(std::string_view bytes, const DecodeJpegOptions& options) {
  check_options(options);
  JpegReader reader(bytes);
  jpeg_decompress_struct& jpeg = reader.info();
  const int channels = options.channels != 0 ? options.channels : jpeg.num_components == 1 ? 1 : 3;
  // The coefficients of the whole picture are kept for progressive ones, whatever the ratio.
  image::check_size("JPEG", 1, jpeg.image_height, jpeg.image_width, 3, options.max_bytes);
  reader.start(options, channels);
  const bool is_cmyk = jpeg.out_color_space == JCS_CMYK;
  if (is_cmyk && channels == 1) {
    throw unimplemented("a CMYK JPEG cannot be decoded to grey; decode it to 3 channels");
  }
  const int64_t height = jpeg.output_height, width = jpeg.output_width;
  const ImageWindow window = checked_window(options, height, width);
  Tensor result(kUInt8, Shape{window.height, window.width, channels});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  std::vector<unsigned char> row(static_cast<size_t>(width) * (is_cmyk ? 4 : 3));
  std::vector<unsigned char> rgb(is_cmyk ? static_cast<size_t>(width) * 3 : 0);
  reader.decompress();
  int64_t whole_rows = height;
  for (int64_t y = 0; y < window.y + window.height; ++y) {
    reader.read_row(row.data());
    if (reader.is_truncated() && whole_rows == height) whole_rows = y;
    const unsigned char* pixels = row.data();
    if (is_cmyk) {
      cmyk_to_rgb(row.data(), width, jpeg.saw_Adobe_marker != 0, rgb.data());
      pixels = rgb.data();
    }
    if (y < window.y) continue;
    std::copy_n(pixels + window.x * channels, window.width * channels,
                to + (y - window.y) * window.width * channels);
  }
  const double fraction = static_cast<double>(whole_rows) / static_cast<double>(height);
  if (reader.is_truncated() &&
      (!options.try_recover_truncated || fraction < options.acceptable_fraction)) {
    throw invalid_argument("the JPEG ends too early: ", whole_rows, " of its ", height,
                           " rows are there");
  }
  return result;
}

}  // namespace thalweg
