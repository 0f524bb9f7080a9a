// One door for all files.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "data/cell_numbers.h"
#include "data/record_stream.h"
#include "data/table_kinds.h"
#include "data/table_text.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

std::string read_standard_input() {
  std::string bytes;
  size_t used = 0;
  while (true) {
    bytes.resize(std::max(used * 2, size_t{1} << 16));
    const ssize_t count = ::read(STDIN_FILENO, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw unavailable("cannot read standard input: ", std::strerror(errno));
    if (count == 0) break;
    used += static_cast<size_t>(count);
  }
  bytes.resize(used);
  return bytes;
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

/// Whether the first line with anything on it is `label[:weight] [qid:n] index:value ...`.
bool looks_like_libsvm(std::string_view head) {
  while (!head.empty()) {
    const size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = trim_blanks(head.substr(0, std::min(head.find('#'), end)));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (line.empty()) continue;
    bool is_first = true, has_pair = false;
    while (!line.empty()) {
      const size_t size = std::min(line.find_first_of(" \t"), line.size());
      const std::string_view word = line.substr(0, size);
      line = trim_blanks(line.substr(size));
      const size_t colon = word.find(':');
      double value = 0;
      int64_t index = 0;
      const std::string_view before = word.substr(0, colon);
      if (is_first ? !lenient_real(before, '.', value)
                   : colon == std::string_view::npos ||
                         (before != "qid" && !lenient_integer(before, index)))
        return false;
      if (colon != std::string_view::npos && !lenient_real(word.substr(colon + 1), '.', value))
        return false;
      has_pair = has_pair || !is_first;
      is_first = false;
    }
    return has_pair;
  }
  return false;
}

/// By what the file begins with, and by its name where that says more.
TableFormat guess_format(const StreamedFile& file, std::string_view name) {
  constexpr size_t kHead = 4096;
  const std::string head = file.head(kHead);
  if (head.starts_with("\x93NUMPY")) return TableFormat::kNpy;
  if (head.starts_with("SQLite format 3")) return TableFormat::kSqlite;
  if (head.starts_with("PAR1")) {
    throw unimplemented(file.name(), ": is a Parquet file, which is not read; save it as CSV");
  }
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  if (ends_with_any(name, {".xlsx", ".ods"}))
    throw unimplemented(file.name(), ": is a spreadsheet, which is not read; save it as CSV");
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return TableFormat::kNpz;
  if (ends_with_any(name, {".tfrecord", ".tfrecords"}) || begins_record(head))
    return TableFormat::kTfRecord;
  if (ends_with_any(name, {".csv", ".tsv"})) return TableFormat::kCsv;
  if (ends_with_any(name, {".svm", ".libsvm", ".svmlight"}) || looks_like_libsvm(head))
    return TableFormat::kLibsvm;
  return TableFormat::kCsv;
}

SourcePointer open(const std::string& address, const TableOptions& options, bool keep_all) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (address.starts_with(kSqlite)) return open_sqlite(address.substr(kSqlite.size()), options);
  if (options.format == TableFormat::kSqlite) return open_sqlite(address, options);
  const bool is_input = address == "-";
  const auto file = is_input
                        ? std::make_shared<StreamedFile>("standard input", read_standard_input())
                        : std::make_shared<StreamedFile>(address);
  const TableFormat format =
      options.format == TableFormat::kGuess ? guess_format(*file, address) : options.format;
  if (is_input && (format == TableFormat::kNpy || format == TableFormat::kNpz ||
                   format == TableFormat::kSqlite)) {
    throw invalid_argument("standard input: is a file of NumPy or SQLite; give its path");
  }
  switch (format) {
    case TableFormat::kLibsvm: return open_libsvm(file, options);
    case TableFormat::kNpy: return open_npy(address, options);
    case TableFormat::kNpz: return open_npz(address, options);
    case TableFormat::kTfRecord: return open_examples(file, options);
    case TableFormat::kSqlite: return open_sqlite(address, options);
    case TableFormat::kGuess:
    case TableFormat::kCsv: break;
  }
  return open_csv(file, options, keep_all);
}

}  // namespace

std::shared_ptr<const TableSource> open_table(const std::string& address,
                                              const TableOptions& options) {
  return open(address, options, false);
}

Table read_table(const std::string& address, const TableOptions& options) {
  const SourcePointer source = open(address, options, true);
  if (std::optional<Table> table = source->take_table()) return std::move(*table);
  return source->read_all();
}

Table TableSource::read_all() const {
  const std::unique_ptr<TableReader> reader = open();
  std::optional<Table> table = reader->next(std::numeric_limits<int64_t>::max());
  return table ? std::move(*table) : Table();
}

}  // namespace thalweg::data
