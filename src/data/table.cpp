#include "thalweg/data/table.h"

#include <algorithm>
#include <set>

#include "thalweg/base/error.h"

namespace thalweg::data {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  std::set<std::string_view> names;
  for (const Column& column : columns_) {
    if (!names.insert(column.name()).second) {
      throw invalid_argument("two columns are named '", column.name(), "'");
    }
    if (column.size() != rows()) {
      throw invalid_argument("column '", column.name(), "' has ", column.size(), " rows, column '",
                             columns_[0].name(), "' has ", rows());
    }
  }
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  for (const Column& column : columns_) result.push_back(column.name());
  return result;
}

std::vector<ColumnInfo> Table::infos() const {
  std::vector<ColumnInfo> result;
  for (const Column& column : columns_) result.push_back(column.info());
  return result;
}

const Column* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name, &Column::name);
  return found == columns_.end() ? nullptr : &*found;
}

const Column& Table::column(std::string_view name) const {
  if (const Column* const found = find(name)) return *found;
  const std::vector<std::string> all = names();
  const std::string near = nearest(name, all);
  throw invalid_argument("there is no column '", name, "'",
                         near.empty() ? std::string() : str(" (meant '", near, "'?)"),
                         "; the columns are ", join(all, ", "));
}

Table Table::rows(int64_t begin, int64_t end) const {
  Table result;
  for (const Column& column : columns_) result.columns_.push_back(column.rows(begin, end));
  return result;
}

Table Table::rows(std::span<const int64_t> indices) const {
  Table result;
  for (const Column& column : columns_) result.columns_.push_back(column.rows(indices));
  return result;
}

Table Table::select(std::span<const std::string> names) const {
  std::vector<Column> result;
  for (const std::string& name : names) result.push_back(column(name));
  return Table(std::move(result));
}

Table Table::without(std::span<const std::string> names) const {
  for (const std::string& name : names) column(name);
  Table result;
  for (const Column& column : columns_) {
    if (std::ranges::find(names, column.name()) == names.end()) result.columns_.push_back(column);
  }
  return result;
}

Table Table::with(Column column) const {
  std::vector<Column> result = columns_;
  const auto found = std::ranges::find(result, column.name(), &Column::name);
  if (found == result.end()) {
    result.push_back(std::move(column));
  } else {
    *found = std::move(column);
  }
  return Table(std::move(result));
}

void Table::append(const Table& other) {
  if (columns_.empty()) {
    columns_ = other.columns_;
    return;
  }
  if (other.infos() != infos()) {
    throw invalid_argument("cannot put rows of the columns ", join(other.names(), ", "),
                           " behind rows of the columns ", join(names(), ", "),
                           ": names and types must agree");
  }
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].append(other.columns_[i]);
}

}  // namespace thalweg::data
