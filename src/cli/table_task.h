// What is to be learnt from a table, as the options and a look at the rows say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/fit_arguments.h"
#include "cli/table_survey.h"
#include "thalweg/estimator/heads.h"

namespace thalweg::cli {

/// Roles of columns, by the names in options; looked at once the columns of the table are known.
struct ColumnRoles {
  std::vector<std::string> labels;
  std::vector<std::string> ids;
  std::vector<std::string> ignored;
  std::string weight;
  /// Kinds of --types that are none of the above: "number", "category", "text", "list", "date".
  std::map<std::string, std::string> kinds;
};

/// From the options. Throws UsageError for a kind that there is not, and a column of two roles.
ColumnRoles parse_roles(const FitArguments& a);
/// Types that reading a table must not guess: ids and categories stay as they are written.
std::map<std::string, data::ColumnType> set_types(const ColumnRoles& roles);
/// Throws UsageError naming an option and a column that is not there, with those present; also when
/// no label is named.
void check_roles(const ColumnRoles& roles, const data::TableSource& table);

struct TableTask {
  std::string task;    // as --task has it
  std::string reason;  // why, when it was guessed
  HeadSpec head;
  bool has_classes = false;  // one of several
};
/// Throws UsageError for options that do not fit the task.
TableTask make_task(const FitArguments& a, const ColumnRoles& roles, const TableSurvey& survey);

}  // namespace thalweg::cli
