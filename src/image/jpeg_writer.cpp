#include <cstddef>
#include <cstdio>
#include <cstdlib>

// jpeglib.h needs FILE and size_t declared before it.
#include <jpeglib.h>

#include "image/guard.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

using image::Guard;
using image::guarded;

// APP1 with Adobe's name for it in front.
constexpr char kXmpName[] = "http://ns.adobe.com/xap/1.0/";

class JpegWriter {
 public:
  JpegWriter() {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = [](j_common_ptr jpeg) {
      char text[JMSG_LENGTH_MAX];
      jpeg->err->format_message(jpeg, text);
      static_cast<JpegWriter*>(jpeg->client_data)->guard_.fail(text);
    };
    errors_.output_message = [](j_common_ptr) {};
  }
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg_);
    std::free(buffer_);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  std::string write(const Tensor& image, const EncodeJpegOptions& options) {
    const auto channels = static_cast<int>(image.dim(2));
    const uint8_t* pixels = image.data<uint8_t>().data();
    const auto stride = static_cast<size_t>(image.dim(1) * channels);
    const std::string xmp =
        options.xmp_metadata.empty() ? "" : kXmpName + std::string(1, '\0') + options.xmp_metadata;
    const bool is_fine = guarded(guard_, [&] {
      jpeg_create_compress(&jpeg_);
      jpeg_mem_dest(&jpeg_, &buffer_, &size_);
      jpeg_.image_height = static_cast<JDIMENSION>(image.dim(0));
      jpeg_.image_width = static_cast<JDIMENSION>(image.dim(1));
      jpeg_.input_components = channels;
      jpeg_.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_set_defaults(&jpeg_);
      if (options.optimize_size) jpeg_.optimize_coding = TRUE;
      jpeg_.density_unit = options.is_density_in_cm ? 2 : 1;
      jpeg_.X_density = static_cast<UINT16>(options.x_density);
      jpeg_.Y_density = static_cast<UINT16>(options.y_density);
      jpeg_set_quality(&jpeg_, options.quality, TRUE);
      if (options.progressive) jpeg_simple_progression(&jpeg_);
      if (!options.chroma_downsampling) {
        for (int i = 0; i < jpeg_.num_components; ++i) {
          jpeg_.comp_info[i].h_samp_factor = jpeg_.comp_info[i].v_samp_factor = 1;
        }
      }
      jpeg_start_compress(&jpeg_, TRUE);
      if (!xmp.empty()) {
        jpeg_write_marker(&jpeg_, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()),
                          static_cast<unsigned>(xmp.size()));
      }
      while (jpeg_.next_scanline < jpeg_.image_height) {
        auto* row = const_cast<JSAMPROW>(pixels + jpeg_.next_scanline * stride);
        jpeg_write_scanlines(&jpeg_, &row, 1);
      }
      jpeg_finish_compress(&jpeg_);
    });
    if (!is_fine) throw internal_error("the JPEG cannot be written: ", std::string(guard_.message));
    return {reinterpret_cast<const char*>(buffer_), size_};
  }

 private:
  Guard guard_;
  jpeg_error_mgr errors_{};
  jpeg_compress_struct jpeg_{};
  unsigned char* buffer_ = nullptr;
  unsigned long size_ = 0;  // NOLINT: the library's type
};

}  // namespace

std::string encode_jpeg(const Tensor& image, const EncodeJpegOptions& options) {
  if (image.dtype() != kUInt8 || image.rank() != 3 || (image.dim(2) != 1 && image.dim(2) != 3)) {
    throw invalid_argument("a JPEG is made of uint8 [height, width, 1 or 3], got ", image.dtype(),
                           image.shape());
  }
  for (int axis : {0, 1}) {
    if (image.dim(axis) < 1 || image.dim(axis) > JPEG_MAX_DIMENSION) {
      throw invalid_argument("height and width of a JPEG must be in [1, ", JPEG_MAX_DIMENSION,
                             "], got ", image.shape());
    }
  }
  if (options.quality < 0 || options.quality > 100) {
    throw invalid_argument("the quality of a JPEG must be in [0, 100], got ", options.quality);
  }
  if (options.xmp_metadata.size() + sizeof kXmpName > 65533) {
    throw invalid_argument("XMP metadata of a JPEG may have ", 65533 - sizeof kXmpName,
                           " bytes, got ", options.xmp_metadata.size());
  }
  return JpegWriter().write(image, options);
}

}  // namespace thalweg
