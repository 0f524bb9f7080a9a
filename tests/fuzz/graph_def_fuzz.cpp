// Graphs of anybody's: binary and text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "thalweg/base/error.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/ops/standard_ops.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto graph = thalweg::parse_graph(bytes, thalweg::standard_ops());
    // What was read can be written, and read again.
    thalweg::parse_graph(thalweg::encode_graph(*graph), thalweg::standard_ops());
  } catch (const thalweg::Error&) {
  }
  try {
    thalweg::summarize_graph(bytes, thalweg::standard_ops());
  } catch (const thalweg::Error&) {
  }
  return 0;
}
