// .safetensors bytes: tensors or an Error.
#include <cstddef>
#include <cstdint>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/tensor/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thalweg::ScratchFile file(".safetensors");
  if (!file.write(data, size)) return 0;
  try {
    const thalweg::SafetensorsReader reader(file.path());
    for (const std::string& name : reader.names()) {
      try {
        reader.read(name);
      } catch (const thalweg::Error&) {
      }
    }
  } catch (const thalweg::Error&) {
  }
  return 0;
}
