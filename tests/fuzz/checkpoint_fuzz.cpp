// Indexes of checkpoints, raw and with Snappy blocks; tensors are read from a data file of zeros.
#include <string>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/saved_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thalweg::ScratchFile index(".index");
  static const thalweg::ScratchFile values(".data-00000-of-00001");
  static const std::string zeros(65536, '\0');
  static const bool ready =
      values.write(reinterpret_cast<const uint8_t*>(zeros.data()), zeros.size());
  if (!ready || !index.write(data, size)) return 0;
  try {
    const thalweg::BundleReader reader(index.path().substr(0, index.path().size() - 6));
    for (const std::string& name : reader.names()) {
      try {
        reader.find(name);
        reader.read(name);
      } catch (const thalweg::Error&) {
      }
    }
    thalweg::variable_keys(reader);
  } catch (const thalweg::Error&) {
  }
  return 0;
}
