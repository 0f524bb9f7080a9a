// Tables of numbers with a label column, read strictly: what cannot be taken as meant is an error
// that says where.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::data {

struct CsvOptions {
  /// Column that holds the label; empty: there is none, every column is a feature.
  std::string label = {};
  /// For prediction: the label column may be absent and its cells empty.
  bool label_optional = false;
  /// The first line holds the column names. Without it they are c1, c2, ...
  bool header = true;
  char delimiter = ',';
  /// For messages: how whoever reads them sets the two above.
  std::string header_remedy = "set the option header to false";
  std::string delimiter_remedy = "set the option delimiter";
};

struct NumericTable {
  std::vector<std::string> columns;  // names of the features, in file order
  Tensor features;                   // float32 [rows, columns]
  std::string label_column;          // empty when there was none
  std::vector<std::string>
      labels;  // the cells as written, white space at both ends removed; empty when there are none
};

/// Reads `path`: UTF-8 (with or without byte order mark), lines ended by LF, CRLF or CR, cells in
/// double quotes if they hold delimiters, quotes or line breaks; blank lines do not count. Integers
/// that float32 cannot hold exactly are rounded with one warning a column.
///
/// Errors, naming file, line and column: those of read_file; invalid_argument for an empty file, no
/// data rows, no feature column, names missing or twice, an unknown label, a ragged row, text in a
/// feature column, missing values (empty, NA, NaN, null, None, ?), infinities, an open quote, bytes
/// that are no text, a path that is no regular file.
NumericTable read_numeric_csv(const std::string& path, const CsvOptions& options = {});

/// The named feature columns in this order, [rows, names]; other columns are left out. Throws
/// invalid_argument naming the one missing and listing those present.
Tensor select_columns(const NumericTable& table, std::span<const std::string> names);

/// The different labels: in numeric order when all are numbers ("2" before "10"), else
/// alphabetical.
std::vector<std::string> class_names(std::span<const std::string> labels);
/// int64 [rows], places in `names`. Throws invalid_argument naming row, label and the known
/// classes.
Tensor class_indices(std::span<const std::string> labels, std::span<const std::string> names);
/// float32 [rows], for regression. Throws invalid_argument naming row and text when one is no
/// finite number.
Tensor label_numbers(std::span<const std::string> labels);

}  // namespace thalweg::data
