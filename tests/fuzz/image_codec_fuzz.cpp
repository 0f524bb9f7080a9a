// Picture files of any bytes: a picture or an Error, within the limit of memory.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "thalweg/image/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr int64_t kLimit = int64_t{1} << 24;
  const auto attempt = [](auto decode) {
    try {
      decode();
    } catch (const thalweg::Error&) {  // the answer to bytes that are no picture
    }
  };
  attempt([&] { thalweg::decode_image(bytes, {.max_bytes = kLimit}); });
  attempt([&] {
    thalweg::decode_png(bytes, {.channels = 4, .dtype = thalweg::kUInt16, .max_bytes = kLimit});
  });
  attempt([&] {
    thalweg::decode_jpeg(bytes, {.channels = 1,
                                 .ratio = 2,
                                 .try_recover_truncated = true,
                                 .acceptable_fraction = 0,
                                 .max_bytes = kLimit});
  });
  attempt([&] { thalweg::jpeg_shape(bytes); });
  return 0;
}
