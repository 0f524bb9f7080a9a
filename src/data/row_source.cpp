#include "data/row_source.h"

#include <algorithm>
#include <mutex>

#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

/// A column that is wanted, and its place among the file's.
struct Wanted {
  size_t place;
  ColumnInfo info;
};

class RowTableReader final : public TableReader {
 public:
  RowTableReader(std::string file, std::unique_ptr<RowStream> stream, std::vector<Wanted> wanted,
                 const std::vector<std::string>& missing)
      : file_(std::move(file)),
        stream_(std::move(stream)),
        wanted_(std::move(wanted)),
        missing_(missing) {
    for (const Wanted& column : wanted_)
      builders_.emplace_back(column.info.name, column.info.type, missing_);
  }

  std::optional<Table> next(int64_t most_rows) override {
    int64_t rows = 0;
    for (; rows < std::max<int64_t>(most_rows, 1) && !ended_; ++rows) {
      if (!stream_->next(row_)) {
        ended_ = true;
        break;
      }
      add_row();
    }
    if (rows == 0) return std::nullopt;
    std::vector<Column> columns;
    for (ColumnBuilder& builder : builders_) columns.push_back(builder.take());
    return Table(std::move(columns));
  }

 private:
  void add_row() {
    try {
      for (size_t i = 0; i < wanted_.size(); ++i) builders_[i].add(row_[wanted_[i].place]);
    } catch (Error& error) {
      error.add_context(str(file_, ": ", stream_->place()));
      throw;
    }
  }

  std::string file_;
  std::unique_ptr<RowStream> stream_;
  std::vector<Wanted> wanted_;
  MissingWords missing_;
  std::vector<ColumnBuilder> builders_;
  std::vector<CellValue> row_;
  bool ended_ = false;
};

class RowSource final : public OpenedSource {
 public:
  RowSource(RowFile file, const TableOptions& options)
      : file_(std::move(file)), missing_(options.missing) {
    name_ = file_.name;
    notes_ = file_.notes;
    rows_ = file_.rows;
    std::vector<std::string> names;
    for (const ColumnInfo& column : file_.columns) names.push_back(column.name);
    check_types(name_, names, options);
    std::vector<size_t> guessed;  // among wanted_
    for (const size_t place : column_places(name_, names, options.columns)) {
      Wanted column{place, file_.columns[place]};
      const auto type = options.types.find(column.info.name);
      if (type != options.types.end()) {
        column.info.type = type->second;
      } else if (file_.is_settled.empty() || file_.is_settled[place] == 0) {
        guessed.push_back(wanted_.size());
      }
      wanted_.push_back(std::move(column));
    }
    if (!guessed.empty()) guess(guessed);
    for (const Wanted& column : wanted_) infos_.push_back(column.info);
  }

  const std::vector<ColumnInfo>& columns() const override { return infos_; }
  std::optional<int64_t> rows() const override { return rows_; }
  std::unique_ptr<TableReader> open() const override {
    return std::make_unique<RowTableReader>(name_, file_.open(), wanted_, missing_);
  }
  uint64_t fingerprint() const override {
    std::call_once(once_, [&] { fingerprint_ = file_.fingerprint(); });
    return fingerprint_;
  }

 private:
  void guess(const std::vector<size_t>& guessed) {
    const MissingWords words(missing_);
    std::vector<TypeGuess> types(guessed.size());
    const std::unique_ptr<RowStream> stream = file_.open();
    std::vector<CellValue> row;
    int64_t rows = 0;
    for (; stream->next(row); ++rows) {
      for (size_t i = 0; i < guessed.size(); ++i) {
        const CellValue& cell = row[wanted_[guessed[i]].place];
        if (cell.kind == CellValue::kText && words.contains(trim_blanks(cell.text))) continue;
        types[i].see(cell);
      }
    }
    if (rows == 0) throw invalid_argument(name_, ": has no row of data");
    rows_ = rows;
    for (size_t i = 0; i < guessed.size(); ++i) {
      ColumnInfo& info = wanted_[guessed[i]].info;
      info.type = types[i].type();
      if (!types[i].has_value())
        notes_.push_back(str("column '", info.name, "' has no value in any row"));
    }
  }

  RowFile file_;
  std::vector<std::string> missing_;
  std::vector<Wanted> wanted_;
  std::vector<ColumnInfo> infos_;
  std::optional<int64_t> rows_;
  mutable std::once_flag once_;
  mutable uint64_t fingerprint_ = 0;
};

CellValue value_of(const Column& column, int64_t row) {
  if (column.is_missing(row)) return {};
  switch (column.type()) {
    case ColumnType::kInteger: return CellValue::of(column.integers()[static_cast<size_t>(row)]);
    case ColumnType::kReal: return CellValue::of(column.reals()[static_cast<size_t>(row)]);
    case ColumnType::kText: break;
  }
  return CellValue::of(column.texts()[row]);
}

}  // namespace

SourcePointer row_source(RowFile file, const TableOptions& options) {
  return std::make_shared<RowSource>(std::move(file), options);
}

Table shape_table(const std::string& file, const Table& table, const TableOptions& options) {
  std::vector<std::string> names = table.names();
  if (!options.names.empty()) {
    if (options.names.size() != names.size()) {
      throw invalid_argument(file, ": has ", names.size(), " columns, but ", options.names.size(),
                             " names are given (", remedy(options, "names"), ")");
    }
    names = options.names;
  }
  check_types(file, names, options);
  const MissingWords words(options.missing);
  std::vector<Column> columns;
  for (const size_t place : column_places(file, names, options.columns)) {
    const Column column = table.columns()[place].renamed(names[place]);
    const auto set = options.types.find(column.name());
    const ColumnType type = set == options.types.end() ? column.type() : set->second;
    if (type == column.type() && type != ColumnType::kText) {
      columns.push_back(column);
      continue;
    }
    ColumnBuilder builder(column.name(), type, words);
    for (int64_t row = 0; row < column.size(); ++row) {
      try {
        builder.add(value_of(column, row));
      } catch (Error& error) {
        error.add_context(str(file, ": row ", row + 1));
        throw;
      }
    }
    columns.push_back(builder.take());
  }
  return Table(std::move(columns));
}

}  // namespace thalweg::data
