// JSON that people write: a network, and the record of a model.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/estimator/network_file.h"

namespace {

struct ModelFolder {
  ~ModelFolder() {
    thalweg::remove_file(thalweg::join_path(path, thalweg::kModelFile));
    ::rmdir(path.c_str());
  }
  std::string path = "/tmp/thalweg-fuzz-" + std::to_string(::getpid()) + "-model";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string network = thalweg::network_to_json(thalweg::parse_network(text, 3));
    if (thalweg::network_to_json(thalweg::parse_network(network, 3)) != network) std::abort();
  } catch (const thalweg::Error&) {
  }
  static const ModelFolder folder;
  thalweg::make_folders(folder.path);
  thalweg::write_file(thalweg::join_path(folder.path, thalweg::kModelFile), text);
  try {
    const thalweg::ModelRecord record = thalweg::read_model_record(folder.path);
    static_cast<void>(thalweg::to_json(record));
  } catch (const thalweg::Error&) {
  }
  return 0;
}
