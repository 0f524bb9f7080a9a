// Graphs of anybody's as protobuf text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "thalweg/base/error.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/ops/standard_ops.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    thalweg::parse_graph_text({reinterpret_cast<const char*>(data), size}, thalweg::standard_ops());
  } catch (const thalweg::Error&) {
  }
  return 0;
}
