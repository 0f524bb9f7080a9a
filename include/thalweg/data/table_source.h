// Where tables come from: files of many kinds behind one door, read whole or piece by piece, so
// that what is larger than memory can be learnt from too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/data/table.h"

namespace thalweg::data {

enum class TableFormat { kGuess, kCsv, kLibsvm, kNpy, kNpz, kTfRecord, kSqlite };

/// How a table is to be read. What is not set is found out, and told by TableSource::notes().
struct TableOptions {
  TableFormat format = TableFormat::kGuess;
  // Of CSV.
  std::optional<char> delimiter = {};
  std::optional<bool> header = {};
  /// Names of columns where there is no header (or instead of it).
  std::vector<std::string> names = {};
  char decimal = '.';
  /// Lines before the header (or the first row) that are passed over.
  int64_t skip_rows = 0;
  /// Whether cells may stand in double quotes; none: yes, unless that cannot be with tabs between
  /// them.
  std::optional<bool> quotes = {};
  /// Lines that begin with it are passed over; none: there are no comments.
  std::optional<char> comment = {};
  // Of all kinds.
  /// Cells that count as missing, in any case of letters; white space at both ends does not count.
  std::vector<std::string> missing = {"", "NA", "N/A", "NaN", "null", "None", "?"};
  /// Types that are set; other columns' types are guessed from all rows: integer, else real, else
  /// text. Texts such as 007 or +1, integers beyond 64 bits and inf are no numbers of a guess.
  std::map<std::string, ColumnType> types = {};
  /// Only these columns, in this order; empty: all.
  std::vector<std::string> columns = {};
  /// Of libsvm: number of the first feature, 0 or 1; none: 0 when a feature 0 occurs, else 1.
  std::optional<int> base = {};
  /// Of libsvm: how many features there are (a test file may not show the last ones).
  std::optional<int64_t> features = {};
  /// Of TFRecord: damaged records are left out and counted.
  bool skip_damaged = false;
  /// For messages: how whoever reads them sets an option; e.g. {"header", "give --no-header"}.
  std::map<std::string, std::string> remedies = {};
};

/// One pass over the rows. Thread-compatible.
class TableReader {
 public:
  virtual ~TableReader() = default;
  /// The next `most_rows` rows, in order, fewer at the end; none after it.
  virtual std::optional<Table> next(int64_t most_rows) = 0;
};

/// A table that can be read again and again, by several readers at once. Immutable, thread-safe.
class TableSource {
 public:
  virtual ~TableSource() = default;
  virtual const std::vector<ColumnInfo>& columns() const = 0;
  virtual std::unique_ptr<TableReader> open() const = 0;
  /// Known once types had to be guessed, as then all rows were seen.
  virtual std::optional<int64_t> rows() const = 0;
  /// What it was opened by.
  const std::string& name() const { return name_; }
  /// What was found out about the file, one sentence each: delimiter, header, base, records left
  /// out.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Of the bytes, for run records.
  virtual uint64_t fingerprint() const = 0;

  Table read_all() const;

 protected:
  std::string name_;
  std::vector<std::string> notes_;
};

/// Opens `address`: a path (the kind is told by the name and the first bytes; .gz and .zst are
/// unpacked on the way), "-" for standard input (held in memory), or
/// `sqlite:FILE?query=SELECT ...` (or ?table=NAME). Errors name file, line and column: not_found,
/// invalid_argument, data_loss.
std::shared_ptr<const TableSource> open_table(const std::string& address,
                                              const TableOptions& options = {});
/// A table in memory as a source.
std::shared_ptr<const TableSource> table_source(Table table, std::string name = "table");

/// open_table and read_all.
Table read_table(const std::string& address, const TableOptions& options = {});

/// CSV with a header, cells in quotes where they must be; reals as Column::cell writes them,
/// missing ones empty.
std::string to_csv(const Table& table, char delimiter = ',');

}  // namespace thalweg::data

namespace thalweg {
using data::TableSource;
}  // namespace thalweg
