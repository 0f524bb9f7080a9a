// Calling C libraries that report errors by longjmp. Only frames without destructors may be jumped
// over, so that a guarded step makes C calls on values that live outside it, and whatever throws or
// allocates stands between the steps.
#pragma once

#include <csetjmp>
#include <cstdio>
#include <string_view>

#include "thalweg/base/error.h"
#include "thalweg/tensor/shape.h"

namespace thalweg::image {

/// Where an error of the library goes.
struct Guard {
  std::jmp_buf env;
  char message[200] = "";

  /// Keeps the message and leaves the guarded step.
  [[noreturn]] void fail(const char* text) {
    std::snprintf(message, sizeof message, "%s", text);
    std::longjmp(env, 1);
  }
};

/// Calls f(); false when it failed, with the message in the guard.
template <class F>
bool guarded(Guard& guard, F f) {
  if (setjmp(guard.env) != 0) return false;
  f();
  return true;
}

/// A size that a header claims, before anything is allocated for it. Throws invalid_argument for an
/// empty one, resource_exhausted for more than `max_bytes`.
inline void check_size(std::string_view format, int64_t frames, int64_t height, int64_t width,
                       int64_t bytes_a_pixel, int64_t max_bytes) {
  if (height <= 0 || width <= 0 || frames <= 0) {
    throw invalid_argument("the ", format, " has no pixels: it is ", width, " x ", height);
  }
  // Each factor is below 2^32 and the row is compared first, so nothing overflows.
  const int64_t row = width * bytes_a_pixel;
  if (row > max_bytes || height > max_bytes / row || frames > max_bytes / (row * height)) {
    throw resource_exhausted("the ", format, " claims ", frames == 1 ? "" : str(frames, " times "),
                             width, " x ", height, " pixels of ", bytes_a_pixel,
                             " bytes, more than the limit of ", max_bytes, " bytes");
  }
}

}  // namespace thalweg::image
