// .npy bytes, and .npz archives: arrays or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/tensor/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const thalweg::Tensor array = thalweg::parse_npy(bytes);
    if (array.dtype() != thalweg::kString &&
        !thalweg::parse_npy(thalweg::encode_npy(array)).same_bits(array)) {
      std::abort();  // what was read must come back
    }
  } catch (const thalweg::Error&) {
  }
  if (!bytes.starts_with("PK")) return 0;
  static const thalweg::ScratchFile file(".npz");
  if (!file.write(data, size)) return 0;
  try {
    thalweg::read_npz(file.path());
  } catch (const thalweg::Error&) {
  }
  return 0;
}
