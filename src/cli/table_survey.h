// One look at all rows of a table before the training: what the labels are, what is missing, and
// which rows are kept for validation. Mistakes are told here, with the rows as the file counts
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/selected_rows.h"
#include "thalweg/data/table_source.h"

namespace thalweg::cli {

struct LabelSurvey {
  std::string column;
  /// The different labels with their rows; of more than kMostLabels the first ones.
  std::map<std::string, int64_t> counts = {};
  bool all_numbers = true;  // of those there are
  bool all_whole = true;
  bool all_binary = true;  // 0 or 1
  int64_t missing = 0;
  int64_t first_missing = 0;  // row, from 1
};
inline constexpr size_t kMostLabels = 100'000;

struct TableSurvey {
  int64_t rows = 0;
  std::vector<int64_t> missing = {};  // by column
  std::vector<LabelSurvey> labels = {};
  /// Of rows by the first label, for stratification: a number for each different text; -1 where a
  /// label is missing.
  std::vector<int64_t> label_ids = {};
  /// Texts in columns that hold numbers but for a few cells, a sentence each; and infinite numbers.
  std::vector<std::string> doubts = {};
};

/// Throws invalid_argument for a table without rows, and not_found naming a label column that is
/// not there, with those present.
TableSurvey survey_table(const data::TableSource& table, const std::vector<std::string>& labels);

/// Throws invalid_argument naming the first row without a label, unless `drop`.
void check_labels(const TableSurvey& survey, const data::TableSource& table, bool drop);

struct RowSplit {
  RowParts parts;
  int64_t training = 0;
  int64_t validation = 0;
  int64_t left_out = 0;
};
/// `fraction` of the rows with all labels for validation: of each class alike when `stratified`,
/// else at random by the seed.
RowSplit split_rows(const TableSurvey& survey, double fraction, uint64_t seed, bool stratified);

/// The task that labels suggest, and why: "they are text".
struct GuessedTask {
  std::string task;
  std::string reason;
};
/// Throws UsageError for several label columns that are no numbers.
GuessedTask guess_task(const std::vector<LabelSurvey>& labels);

}  // namespace thalweg::cli
