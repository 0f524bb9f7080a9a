// What a CSV file does not say of itself: its delimiter, whether it has a header, its line ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/csv_blocks.h"
#include "thalweg/data/table_source.h"

namespace thalweg::data {

struct CsvFacts {
  CsvFormat format;
  std::vector<std::string> names;  // of the columns
  std::vector<std::string> notes;
};

/// Looks at the beginning of the file. Throws invalid_argument naming the file for one that is
/// empty, has a header only, names missing or twice, UTF-16, options that do not fit together.
/// `quotes`: whether quotes are taken for such.
CsvFacts sniff_csv(const StreamedFile& file, const TableOptions& options, bool quotes);

/// One record of CSV text: its cells, and the bytes up to behind its line end.
struct SampleRecord {
  std::vector<std::string> cells;
  std::vector<bool> quoted;
  size_t begin = 0, end = 0;
};
/// The first records of `text`, at most `most`, without blank lines and comments; the last one only
/// when it has a line end or `is_all` says that nothing follows.
std::vector<SampleRecord> sample_records(std::string_view text, const CsvSyntax& syntax,
                                         size_t most, bool is_all);

}  // namespace thalweg::data
