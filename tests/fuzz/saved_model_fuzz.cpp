// SavedModels of anybody's: what a folder says, and its graphs.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "thalweg/base/error.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/ops/standard_ops.h"

namespace {

// A folder with the one file that is read; gone at the end.
struct Folder {
  Folder() { ::mkdir(path.c_str(), 0700); }
  ~Folder() {
    ::unlink(file.c_str());
    ::rmdir(path.c_str());
  }
  const std::string path = "/tmp/thalweg-fuzz-model-" + std::to_string(::getpid());
  const std::string file = path + "/saved_model.pb";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  std::FILE* const file = std::fopen(folder.file.c_str(), "wb");
  if (file == nullptr) return 0;
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  try {
    const thalweg::SavedModelFile model(folder.path);
    for (const thalweg::MetaGraph& graph : model.graphs()) {
      graph.summarize(thalweg::standard_ops());
    }
  } catch (const thalweg::Error&) {
  }
  return 0;
}
