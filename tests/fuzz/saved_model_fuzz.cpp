// SavedModels of anybody's: what a folder says, and its graphs.
#include <cstdint>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/ops/standard_ops.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thalweg::ScratchModel model_file;
  if (!model_file.write(data, size)) return 0;
  try {
    const thalweg::SavedModelFile model(model_file.folder());
    for (const thalweg::MetaGraph& graph : model.graphs()) {
      graph.summarize(thalweg::standard_ops());
    }
  } catch (const thalweg::Error&) {
  }
  return 0;
}
