// CSV text: a table or an Error; a table is the same read in pieces, and comes back from its CSV.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/data/table_source.h"

using namespace thalweg;
using namespace thalweg::data;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const ScratchFile file(".csv");
  if (!file.write(bytes, size)) return 0;
  std::string text;
  TableOptions again{.delimiter = ',', .header = true};
  try {
    const auto source = open_table(file.path(), {.format = TableFormat::kCsv});
    Table pieces;
    for (const auto reader = source->open(); const auto piece = reader->next(3);)
      pieces.append(*piece);
    text = to_csv(read_table(file.path(), {.format = TableFormat::kCsv}));
    if (to_csv(pieces) != text || pieces.rows() != source->rows()) std::abort();
    for (const ColumnInfo& column : source->columns()) again.types[column.name] = column.type;
  } catch (const Error&) {
    return 0;
  }
  static const ScratchFile copy("-copy.csv");
  if (!copy.write(reinterpret_cast<const uint8_t*>(text.data()), text.size())) return 0;
  if (to_csv(read_table(copy.path(), again)) != text) std::abort();
  return 0;
}
