// Indexes of checkpoints, raw and with Snappy blocks, beside the data files of the golden ones:
// what these indexes say is read to the end.
#include <string>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/saved_model.h"

namespace {

// A data file under the index's prefix, with room for what a changed index asks for.
class DataFile {
 public:
  DataFile(const char* golden, const char* ending) : file_(ending) {
    std::string bytes = thalweg::read_file(std::string(THALWEG_GOLDEN "/") + golden);
    bytes.resize(65536);
    file_.write(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }

 private:
  const thalweg::ScratchFile file_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thalweg::ScratchFile index(".index");
  static const DataFile files[] = {{"kinds.data-00000-of-00001", ".data-00000-of-00001"},
                                   {"partitioned.data-00000-of-00002", ".data-00000-of-00002"},
                                   {"partitioned.data-00001-of-00002", ".data-00001-of-00002"}};
  static_cast<void>(files);
  if (!index.write(data, size)) return 0;
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
