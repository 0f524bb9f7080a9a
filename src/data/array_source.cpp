// NumPy's arrays as tables: a column of a matrix is a column, a vector is one.
#include <algorithm>

#include "data/memory_source.h"
#include "data/row_source.h"
#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"
#include "thalweg/tensor/npy.h"

namespace thalweg::data {
namespace {

/// Column `i` of `count`.
Column column_of(const Tensor& array, const std::string& name, int64_t i, int64_t count) {
  const int64_t rows = array.dim(0);
  if (array.dtype() == kString) {
    Texts texts;
    const auto cells = array.data<std::string>();
    for (int64_t row = 0; row < rows; ++row) {
      const std::string& text = cells[static_cast<size_t>(row * count + i)];
      if (!is_utf8(text))
        throw invalid_argument("row ", row + 1, " of column '", name, "' is no UTF-8 text");
      texts.add(text);
    }
    return Column(name, std::move(texts));
  }
  const auto take = [&](auto cells) {
    std::vector<typename decltype(cells)::value_type> result(static_cast<size_t>(rows));
    for (int64_t row = 0; row < rows; ++row)
      result[static_cast<size_t>(row)] = cells[static_cast<size_t>(row * count + i)];
    return result;
  };
  if (array.dtype() == kFloat64) return Column(name, take(array.data<double>()));
  return Column(name, take(array.data<int64_t>()));
}

/// Integers as int64, reals as float64.
Tensor widen(const std::string& file, const std::string& array_name, const Tensor& array) {
  const std::string what =
      array_name.empty() ? std::string("the array") : str("the array '", array_name, "'");
  if (array.rank() != 1 && array.rank() != 2) {
    throw invalid_argument(file, ": ", what, " is ", array.dtype(), array.shape(),
                           ", but a table is made of arrays of one dimension (a column) or two "
                           "(rows and columns); reshape it");
  }
  if (array.rank() == 2 && array.dim(1) == 0)
    throw invalid_argument(file, ": ", what, " has no columns");
  const DType type = array.dtype();
  if (type == kString || type == kInt64 || type == kFloat64) return array;
  if (type == kFloat32 || type == kFloat16 || type == kBFloat16) return array.cast(kFloat64);
  if (type == kUInt64) {
    const auto cells = array.data<uint64_t>();
    if (std::ranges::any_of(cells, [](uint64_t x) { return x > uint64_t{INT64_MAX}; })) {
      throw invalid_argument(file, ": ", what,
                             " holds integers of 2^63 and above; save it as float64 or as text");
    }
    return array.cast(kInt64);
  }
  if (type == kBool || type == kInt8 || type == kInt16 || type == kInt32 || type == kUInt8 ||
      type == kUInt16 || type == kUInt32) {
    return array.cast(kInt64);
  }
  throw unimplemented(file, ": ", what, " is ", type,
                      ", which a table does not hold; it takes integers, reals and text");
}

void add_columns(const std::string& file, const std::string& array_name, const Tensor& given,
                 const std::string& prefix, std::vector<Column>& columns) {
  const Tensor array = widen(file, array_name, given);
  const int64_t count = array.rank() == 1 ? 1 : array.dim(1);
  const bool is_numbered = array_name.empty() || count > 1;
  for (int64_t i = 0; i < count; ++i) {
    const std::string name = is_numbered ? str(prefix, i + 1) : prefix;
    try {
      columns.push_back(column_of(array, name, i, count));
    } catch (Error& error) {
      error.add_context(file);
      throw;
    }
  }
}

class ArraySource final : public OpenedSource {
 public:
  ArraySource(const std::string& file, Table table, std::vector<std::string> notes)
      : table_(std::move(table), file, std::move(notes)) {
    name_ = file;
    notes_ = table_.notes();
  }
  const std::vector<ColumnInfo>& columns() const override { return table_.columns(); }
  std::unique_ptr<TableReader> open() const override { return table_.open(); }
  std::optional<int64_t> rows() const override { return table_.rows(); }
  uint64_t fingerprint() const override { return table_.fingerprint(); }

 private:
  MemorySource table_;
};

SourcePointer finish(const std::string& file, std::vector<Column> columns,
                     const TableOptions& options, std::vector<std::string> notes) {
  for (const Column& column : columns) {
    if (column.size() == columns[0].size()) continue;
    throw invalid_argument(file, ": the arrays '", columns[0].name(), "' and '", column.name(),
                           "' have ", columns[0].size(), " and ", column.size(), " rows");
  }
  if (columns.empty() || columns[0].size() == 0)
    throw invalid_argument(file, ": has no row of data");
  try {
    return std::make_shared<ArraySource>(
        file, shape_table(file, Table(std::move(columns)), options), std::move(notes));
  } catch (Error& error) {
    if (error.message().find(file) == std::string::npos) error.add_context(file);
    throw;
  }
}

}  // namespace

SourcePointer open_npy(const std::string& path, const TableOptions& options) {
  std::vector<Column> columns;
  add_columns(path, {}, read_npy(path), "c", columns);
  std::vector<std::string> notes;
  if (options.names.empty())
    notes.push_back(columns.size() == 1 ? std::string("the column is named c1")
                                        : str("the columns are named c1 to c", columns.size()));
  return finish(path, std::move(columns), options, std::move(notes));
}

SourcePointer open_npz(const std::string& path, const TableOptions& options) {
  const NpzReader reader(path);
  std::vector<Column> columns;
  std::vector<std::string> notes;
  for (const std::string& name : reader.names()) {
    const size_t before = columns.size();
    add_columns(path, name, reader.read(name), name, columns);
    if (const size_t count = columns.size() - before; count > 1) {
      notes.push_back(
          str("the columns of the array '", name, "' are named ", name, "1 to ", name, count));
    }
  }
  return finish(path, std::move(columns), options, std::move(notes));
}

}  // namespace thalweg::data
