// Queries of SQLite files as tables. The file is only read.
#include <sqlite3.h>

#include <algorithm>

#include "data/cell_numbers.h"
#include "data/regular_file.h"
#include "data/row_source.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"

namespace thalweg::data {
namespace {

class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    check_regular_file(path);
    if (is_folder(path)) throw invalid_argument(path, ": is a folder, not an SQLite file");
    if (!file_exists(path)) throw not_found("there is no file '", path, "'");
    const int status = sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr);
    if (status != SQLITE_OK) {
      const Error error = fault(status);
      sqlite3_close(database_);
      throw error;
    }
    // Another process may be writing.
    constexpr int kMilliseconds = 5000;
    sqlite3_busy_timeout(database_, kMilliseconds);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;

  sqlite3* get() const { return database_; }
  const std::string& path() const { return path_; }

  Error fault(int status) const {
    const std::string message = str(
        path_,
        ": SQLite: ", database_ == nullptr ? sqlite3_errstr(status) : sqlite3_errmsg(database_));
    switch (status & 0xFF) {
      case SQLITE_NOTADB:
      case SQLITE_CORRUPT: return data_loss(message);
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
      case SQLITE_IOERR: return unavailable(message);
      case SQLITE_PERM:
      case SQLITE_AUTH: return permission_denied(message);
      default: return invalid_argument(message);
    }
  }

 private:
  std::string path_;
  sqlite3* database_ = nullptr;
};

class Statement {
 public:
  Statement(const Database& database, const std::string& sql) : database_(database) {
    const char* rest = nullptr;
    const int status = sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement_, &rest);
    if (status != SQLITE_OK) throw database.fault(status);
    try {
      check(sql, rest);
    } catch (...) {
      sqlite3_finalize(statement_);
      throw;
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;

  bool step() {
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_ROW) return true;
    if (status == SQLITE_DONE) return false;
    throw database_.fault(status);
  }
  int columns() const { return sqlite3_column_count(statement_); }
  std::string name(int i) const { return sqlite3_column_name(statement_, i); }

  CellValue cell(int i) const {
    switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_INTEGER: return CellValue::of(int64_t{sqlite3_column_int64(statement_, i)});
      case SQLITE_FLOAT: return CellValue::of(sqlite3_column_double(statement_, i));
      case SQLITE_NULL: return {};
      case SQLITE_BLOB:
        throw invalid_argument("column '", name(i),
                               "' holds bytes (a BLOB), which no table takes; ",
                               "leave it out of the query");
      default: break;
    }
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, i));
    const std::string_view cell(text, static_cast<size_t>(sqlite3_column_bytes(statement_, i)));
    if (!is_utf8(cell))
      throw invalid_argument("column '", name(i), "' holds text that is no UTF-8");
    return CellValue::of(cell);
  }

 private:
  void check(const std::string& sql, const char* rest) const {
    if (statement_ == nullptr) throw invalid_argument(database_.path(), ": the query is empty");
    if (!trim_blanks(rest).empty()) {
      throw invalid_argument(database_.path(), ": the query holds more than one statement: ",
                             quoted(trim_blanks(rest)), " follows the first");
    }
    if (sqlite3_stmt_readonly(statement_) == 0 || columns() == 0) {
      throw invalid_argument(database_.path(), ": the query ", quoted(sql),
                             " gives no rows; give a SELECT");
    }
  }

  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class QueryStream final : public RowStream {
 public:
  QueryStream(const std::string& path, const std::string& sql)
      : database_(path), statement_(database_, sql) {}

  bool next(std::vector<CellValue>& row) override {
    if (!statement_.step()) return false;
    ++number_;
    row.resize(static_cast<size_t>(statement_.columns()));
    try {
      for (int i = 0; i < statement_.columns(); ++i)
        row[static_cast<size_t>(i)] = statement_.cell(i);
    } catch (Error& error) {
      error.add_context(str(database_.path(), ": ", place()));
      throw;
    }
    return true;
  }
  std::string place() const override { return str("row ", number_); }

 private:
  Database database_;
  Statement statement_;
  int64_t number_ = 0;
};

std::vector<std::string> tables_of(const Database& database) {
  Statement statement(database,
                      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT "
                      "LIKE 'sqlite_%' ORDER BY name");
  std::vector<std::string> names;
  while (statement.step()) names.emplace_back(statement.cell(0).text);
  return names;
}

std::string select_table(const Database& database, const std::string& table) {
  const std::vector<std::string> names = tables_of(database);
  if (std::ranges::find(names, table) == names.end()) {
    const std::string near = nearest(table, names);
    throw not_found(database.path(), ": has no table '", table, "'",
                    near.empty() ? std::string() : str(" (meant '", near, "'?)"),
                    "; its tables are ", join(names, ", "));
  }
  std::string sql = "SELECT * FROM \"";
  for (const char c : table) sql += c == '"' ? std::string("\"\"") : std::string(1, c);
  return sql + "\"";
}

/// The only table, when nothing says which.
std::string only_table(const Database& database) {
  const std::vector<std::string> names = tables_of(database);
  if (names.size() == 1) return names[0];
  throw invalid_argument(database.path(),
                         names.empty() ? ": has no table"
                                       : str(": has ", names.size(), " tables (", join(names, ", "),
                                             "); name one: sqlite:", database.path(),
                                             "?table=", names[0], ", or give ?query=SELECT ..."));
}

}  // namespace

SourcePointer open_sqlite(const std::string& address, const TableOptions& options) {
  const size_t query = address.find("?query="), table = address.find("?table=");
  const std::string path = address.substr(0, std::min(query, table));
  const Database database(path);
  constexpr size_t kKey = 7;
  RowFile rows{.name = str("sqlite:", path)};
  std::string sql;
  if (query < table) {
    sql = address.substr(query + kKey);
  } else if (table != std::string::npos) {
    sql = select_table(database, address.substr(table + kKey));
  } else {
    const std::string name = only_table(database);
    sql = select_table(database, name);
    rows.notes.push_back(str("table: ", name, " (the only one)"));
  }
  const Statement statement(database, sql);
  for (int i = 0; i < statement.columns(); ++i) {
    const std::string name = statement.name(i);
    if (std::ranges::find(rows.columns, name, &ColumnInfo::name) != rows.columns.end()) {
      throw invalid_argument(rows.name, ": the query gives two columns named '", name,
                             "'; rename one with AS");
    }
    rows.columns.push_back({name, ColumnType::kText});
  }
  rows.open = [path, sql] { return std::make_unique<QueryStream>(path, sql); };
  rows.fingerprint = [path, sql] {
    return StreamedFile(path).fingerprint() ^ (uint64_t{crc32c(sql)} << 16);
  };
  return row_source(std::move(rows), options);
}

}  // namespace thalweg::data
