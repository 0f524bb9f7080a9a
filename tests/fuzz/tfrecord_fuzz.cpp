// Record files of any bytes: records, the end, or an Error.
#include <cstddef>
#include <cstdint>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/formats/tfrecord.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thalweg::ScratchFile file(".tfrecord");
  if (!file.write(data, size)) return 0;
  try {
    thalweg::RecordReader reader(file.path());
    std::string record;
    while (reader.next(record) == thalweg::RecordReader::Next::kRecord) {
    }
  } catch (const thalweg::Error&) {
  }
  return 0;
}
