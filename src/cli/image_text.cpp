#include "cli/image_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "thalweg/base/error.h"

namespace thalweg::cli {
namespace {

constexpr std::string_view kRamp = " .:-=+*#%@";
// The grey ramp of the 256 colours: 24 shades.
constexpr int kFirstGrey = 232;
constexpr int kGreys = 24;

int grey(int pixel) { return kFirstGrey + pixel * (kGreys - 1) / 255; }

}  // namespace

std::vector<std::string> image_lines(const Tensor& image, bool shades) {
  const bool is_grey =
      image.dtype() == kUInt8 && (image.rank() == 2 || (image.rank() == 3 && image.dim(2) == 1));
  if (!is_grey) {
    throw invalid_argument("only grey images can be shown, uint8[height, width], not ",
                           image.dtype(), image.shape());
  }
  const auto pixels = image.data<uint8_t>();
  const int64_t height = image.dim(0), width = image.dim(1);
  const auto pixel = [&](int64_t y, int64_t x) {
    return y < height ? int{pixels[static_cast<size_t>(y * width + x)]} : 0;
  };
  std::vector<std::string> lines;
  for (int64_t y = 0; y < height; y += 2) {
    std::string line;
    for (int64_t x = 0; x < width; ++x) {
      const int upper = pixel(y, x), lower = pixel(y + 1, x);
      if (shades) {
        append(line, str("\x1b[38;5;", grey(upper), ";48;5;", grey(lower), "m\u2580"));
      } else {
        const int mean = (upper + lower) / 2;
        line += kRamp[static_cast<size_t>(mean) * (kRamp.size() - 1) / 255];
      }
    }
    lines.push_back(shades ? line + "\x1b[0m" : line);
  }
  return lines;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text = value;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace thalweg::cli
