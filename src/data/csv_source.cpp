// CSV files as sources of tables.
//
// To know the types all rows must be seen once. Small files are kept as that pass has parsed them;
// larger ones are parsed again by each reader, a block at a time, with the types that are known by
// then.
#include <algorithm>
#include <mutex>

#include "data/csv_columns.h"
#include "data/csv_sniff.h"
#include "data/memory_source.h"
#include "data/table_kinds.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

// Text whose table is kept by the source.
constexpr uint64_t kMostKept = uint64_t{128} << 20;

class CsvTableReader final : public TableReader {
 public:
  CsvTableReader(std::shared_ptr<const StreamedFile> file, const CsvFormat& format,
                 const TableOptions& options, std::vector<CsvColumn> columns)
      : file_(std::move(file)),
        format_(format),
        options_(options),
        blocks_(*file_, format_),
        columns_(file_->name(), format_, options_, columns) {
    for (const CsvColumn& column : columns) types_.push_back(column.type);
  }

  std::optional<Table> next(int64_t most_rows) override {
    most_rows = std::max<int64_t>(most_rows, 1);
    while (columns_.kept() + left() < most_rows) {
      const auto& parts = blocks_.next();
      if (parts.empty()) break;
      columns_.add(parts, blocks_.rows(), true, blocks_.crew());
      check_unchanged();
    }
    if (left() == 0) {
      if (columns_.kept() == 0) return std::nullopt;
      table_ = columns_.take();
      given_ = 0;
    } else if (columns_.kept() > 0) {
      table_ = table_.rows(given_, table_.rows());
      table_.append(columns_.take());
      given_ = 0;
    }
    const int64_t begin = given_;
    given_ = std::min(table_.rows(), begin + most_rows);
    if (begin == 0 && given_ == table_.rows()) {
      given_ = 0;
      return std::exchange(table_, Table());
    }
    return table_.rows(begin, given_);
  }

 private:
  int64_t left() const { return table_.rows() - given_; }

  // The types hold every cell that the file had when they were found.
  void check_unchanged() {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (columns_.columns()[i].type == types_[i]) continue;
      throw data_loss(file_->name(), ": column '", columns_.columns()[i].name, "' was ", types_[i],
                      " and is ", columns_.columns()[i].type,
                      " now; the file was changed while it was read");
    }
  }

  std::shared_ptr<const StreamedFile> file_;
  const CsvFormat format_;
  const TableOptions options_;
  CsvBlocks blocks_;
  CsvColumns columns_;
  std::vector<ColumnType> types_;
  Table table_;  // parsed, of which rows before given_ have been given out
  int64_t given_ = 0;
};

class CsvSource final : public OpenedSource {
 public:
  CsvSource(std::shared_ptr<const StreamedFile> file, const TableOptions& options, CsvFacts facts)
      : file_(std::move(file)), options_(options), format_(std::move(facts.format)) {
    name_ = file_->name();
    notes_ = std::move(facts.notes);
    check_types(name_, facts.names, options);
    for (const size_t place : column_places(name_, facts.names, options.columns)) {
      CsvColumn column{.name = facts.names[place], .place = place};
      if (const auto type = options.types.find(column.name); type != options.types.end()) {
        column.type = type->second;
        column.is_set = true;
      }
      columns_.push_back(std::move(column));
    }
  }

  /// Sees all rows, unless all types are set.
  void find_types(bool keep_all) {
    const bool all_set = std::ranges::all_of(columns_, &CsvColumn::is_set);
    if (!all_set || keep_all) scan(keep_all);
    for (const CsvColumn& column : columns_) infos_.push_back({column.name, column.type});
  }

  const std::vector<ColumnInfo>& columns() const override { return infos_; }
  std::optional<int64_t> rows() const override { return rows_; }

  std::unique_ptr<TableReader> open() const override {
    if (table_) return table_->open();
    return std::make_unique<CsvTableReader>(file_, format_, options_, columns_);
  }

  uint64_t fingerprint() const override {
    std::call_once(*once_, [&] { fingerprint_ = file_->fingerprint(); });
    return fingerprint_;
  }

  std::optional<Table> take_table() override { return std::exchange(whole_, std::nullopt); }

 private:
  void scan(bool keep_all) {
    CsvBlocks blocks(*file_, format_);
    CsvColumns columns(name_, format_, options_, columns_);
    int64_t rows = 0;
    uint64_t bytes = 0;
    bool keep = keep_all || file_->is_packed() || file_->size() <= kMostKept;
    while (true) {
      const auto& parts = blocks.next();
      if (parts.empty()) break;
      const bool is_first = rows == 0;
      rows += blocks.rows();
      for (const CsvPart* part : parts) bytes += part->text.size();
      if (keep && !keep_all && bytes > kMostKept) {
        columns.forget();
        keep = false;
      }
      columns.add(parts, blocks.rows(), keep, blocks.crew());
      if (keep && !columns.is_whole()) {
        columns.forget();
        keep = false;
      }
      if (keep && is_first && !file_->is_packed())
        columns.reserve(
            std::min(1.0, static_cast<double>(bytes) / static_cast<double>(file_->size())));
    }
    if (rows == 0) throw invalid_argument(name_, ": has no row of data");
    rows_ = rows;
    settle(columns);
    if (!keep) return;
    if (keep_all) {
      whole_ = columns.take();
    } else {
      table_ = std::make_shared<MemorySource>(columns.take(), name_);
    }
  }

  /// Takes over the types; from now on they must hold.
  void settle(CsvColumns& scanned) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      CsvColumn& found = scanned.columns()[i];
      CsvColumn& column = columns_[i];
      if (!found.has_value && !found.is_set) {
        notes_.push_back(str("column '", column.name, "' has no value in any row"));
        scanned.make_real(i);
      }
      column.type = found.type;
      if (!found.why_text.empty())
        notes_.push_back(str("column '", column.name, "' is text: ", found.why_text));
    }
  }

  std::shared_ptr<const StreamedFile> file_;
  const TableOptions options_;
  const CsvFormat format_;
  std::vector<CsvColumn> columns_;  // without cells
  std::vector<ColumnInfo> infos_;
  std::optional<int64_t> rows_;
  std::shared_ptr<const MemorySource> table_;
  std::optional<Table> whole_;
  std::unique_ptr<std::once_flag> once_ = std::make_unique<std::once_flag>();
  mutable uint64_t fingerprint_ = 0;
};

SourcePointer open_with(const std::shared_ptr<const StreamedFile>& file,
                        const TableOptions& options, CsvFacts facts, bool keep_all) {
  auto source = std::make_shared<CsvSource>(file, options, std::move(facts));
  source->find_types(keep_all);
  return source;
}

}  // namespace

SourcePointer open_csv(std::shared_ptr<const StreamedFile> file, const TableOptions& options,
                       bool keep_all) {
  CsvFacts facts = sniff_csv(*file, options, options.quotes.value_or(true));
  if (options.quotes || facts.format.syntax.delimiter != '\t')
    return open_with(file, options, std::move(facts), keep_all);
  // Between tabs a quote sign is mostly an ordinary character.
  try {
    return open_with(file, options, facts, keep_all);
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
    CsvFacts plain = sniff_csv(*file, options, false);
    plain.notes.push_back("quote signs are ordinary characters (found, as some are never closed)");
    try {
      return open_with(file, options, std::move(plain), keep_all);
    } catch (const Error&) {
    }
    throw;
  }
}

}  // namespace thalweg::data
