// libsvm text: a table or an Error; with the facts found given, it is the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/data/table_source.h"

using namespace thalweg;
using namespace thalweg::data;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const ScratchFile file(".svm");
  if (!file.write(bytes, size)) return 0;
  try {
    const auto source = open_table(file.path(), {.format = TableFormat::kLibsvm});
    constexpr size_t kMostColumns = 10000;  // or the fuzzer spends its time on zeros
    if (source->columns().size() > kMostColumns) return 0;
    int64_t features = 0;
    for (const ColumnInfo& column : source->columns()) features += column.name[0] == 'f' ? 1 : 0;
    const bool from_zero = source->columns().back().name != str('f', features);
    const Table table = source->read_all();
    if (table.rows() != source->rows()) std::abort();
    const Table again = read_table(file.path(), {.format = TableFormat::kLibsvm,
                                                 .base = features > 0 && from_zero ? 0 : 1,
                                                 .features = features});
    if (to_csv(again) != to_csv(table)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
