// Small pictures for the tests of codecs.
#pragma once

#include <cmath>
#include <string>

#include "thalweg/image/codec.h"

namespace thalweg::testing {

/// Smooth, so that JPEG keeps it.
inline Tensor smooth_picture(int64_t height, int64_t width, int64_t channels) {
  Tensor image(kUInt8, Shape{height, width, channels});
  uint8_t* pixel = image.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        *pixel++ = static_cast<uint8_t>(127 + 90 * std::sin(static_cast<double>(y + c) * 0.3) *
                                                  std::cos(static_cast<double>(x) * 0.2));
      }
    }
  }
  return image;
}

/// A number of `count` bytes, the least first.
inline std::string little(uint32_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i, value >>= 8) bytes.push_back(static_cast<char>(value & 255));
  return bytes;
}

/// A BMP of 24 bits a pixel, white.
inline std::string bmp(int32_t width, int32_t height, size_t stored_rows) {
  const size_t row = (static_cast<size_t>(width) * 3 + 3) / 4 * 4;
  return "BM" + little(0, 8) + little(54, 4) + little(40, 4) +
         little(static_cast<uint32_t>(width), 4) + little(static_cast<uint32_t>(height), 4) +
         little(1, 2) + little(24, 2) + little(0, 24) + std::string(row * stored_rows, '\xff');
}

/// A GIF of one frame whose colours all are black, `cells` indices of 0 in codes of three bits that
/// begin with a clear code.
inline std::string gif(uint32_t width, uint32_t height, int cells) {
  std::string bytes = "GIF89a" + little(width, 2) + little(height, 2) + "\x91" + std::string(2, 0) +
                      std::string(12, 0);
  bytes += "," + little(0, 4) + little(width, 2) + little(height, 2) + std::string(1, 0) + "\x02";
  std::string data;
  uint32_t bits = 0;
  int filled = 0;
  const auto put = [&](uint32_t code) {
    bits |= code << filled;
    for (filled += 3; filled >= 8; filled -= 8, bits >>= 8) {
      data.push_back(static_cast<char>(bits & 255));
    }
  };
  for (int i = 0; i < cells; ++i) {
    if (i % 2 == 0) put(4);
    put(0);
  }
  put(5);
  data.push_back(static_cast<char>(bits));
  return bytes + little(static_cast<uint32_t>(data.size()), 1) + data + std::string(1, 0) + ";";
}

}  // namespace thalweg::testing
