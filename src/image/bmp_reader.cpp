#include <cstdlib>

#include "image/guard.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

// An unsigned number of `count` bytes, the least first, at `at`; the header is long enough.
int64_t number(std::string_view bytes, size_t at, size_t count) {
  int64_t value = 0;
  for (size_t i = count; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

int64_t signed_number(std::string_view bytes, size_t at) {
  return static_cast<int32_t>(static_cast<uint32_t>(number(bytes, at, 4)));
}

// The part of the header that a decoder needs: BITMAPFILEHEADER and BITMAPINFOHEADER.
struct Header {
  static constexpr size_t kBytes = 34;
  int64_t pixels, width, height, bits, compression;

  explicit Header(std::string_view bytes) {
    if (bytes.substr(0, 2) != "BM") throw invalid_argument("the bytes are no BMP");
    if (bytes.size() < kBytes) {
      throw invalid_argument("the BMP ends too early: its header has ", kBytes, " bytes, got ",
                             bytes.size());
    }
    pixels = number(bytes, 10, 4);
    width = signed_number(bytes, 18);
    height = signed_number(bytes, 22);
    bits = number(bytes, 28, 2);
    compression = number(bytes, 30, 4);
  }
};

}  // namespace

Tensor decode_bmp(std::string_view bytes, const DecodeBmpOptions& options) {
  const Header header(bytes);
  // 3: the places of colours are told, which are the usual ones in files with 32 bits.
  if ((header.bits != 8 && header.bits != 24 && header.bits != 32) ||
      (header.compression != 0 && header.compression != 3)) {
    throw unimplemented("a BMP of ", header.bits, " bits a pixel with compression ",
                        header.compression, "; 8, 24 and 32 bits without are read");
  }
  const int64_t channels = header.bits / 8;
  if (options.channels != 0 && options.channels != channels) {
    throw invalid_argument("the BMP has ", channels, " channels, asked for ", options.channels);
  }
  const int64_t height = std::abs(header.height), width = header.width;
  image::check_size("BMP", 1, height, width, channels, options.max_bytes);
  const int64_t row = (width * channels + 3) / 4 * 4;  // rows begin at multiples of four bytes
  const int64_t needed = header.pixels + row * (height - 1) + width * channels;
  if (needed > static_cast<int64_t>(bytes.size())) {
    throw invalid_argument("the BMP ends too early: it needs ", needed, " bytes, got ",
                           bytes.size());
  }
  Tensor result(kUInt8, Shape{height, width, channels});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < height; ++y) {
    const int64_t stored = header.height > 0 ? height - 1 - y : y;  // mostly the last row is first
    const auto* from =
        reinterpret_cast<const uint8_t*>(bytes.data()) + header.pixels + stored * row;
    for (int64_t x = 0; x < width; ++x, from += channels, to += channels) {
      for (int64_t k = 0; k < channels; ++k) to[k] = from[k < 3 && channels > 1 ? 2 - k : k];
    }
  }
  return result;
}

}  // namespace thalweg
