// Grey images as text, for a terminal.
#pragma once

#include <string>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::cli {

/// Lines of one image uint8 `[height, width]` or `[height, width, 1]`, two pixels high each. With
/// `shades` half blocks in grey, which needs UTF-8 and colours; else characters from dark to light.
std::vector<std::string> image_lines(const Tensor& image, bool shades);

/// Whether the locale's character set is UTF-8.
bool locale_is_utf8();

}  // namespace thalweg::cli
