#include "cli/table_survey.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "cli/fit_arguments.h"
#include "cli/names.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"
#include "thalweg/data/split.h"

namespace thalweg::cli {
namespace {

using data::ColumnType;

constexpr int64_t kRowsAtOnce = 1 << 16;
// With more different whole numbers than this a label is taken for a quantity.
constexpr size_t kMostIntegerClasses = 20;
// Cells that are no numbers, among so many that are, are rather mistakes than texts.
constexpr int64_t kNumbersPerText = 10;

std::optional<double> number_of(std::string_view text) {
  return parse_number(text.starts_with('+') ? text.substr(1) : text);
}

// What is found in a column besides its type.
struct ColumnLook {
  int64_t numbers = 0;  // among texts
  int64_t others = 0;
  int64_t first_other = 0;
  std::string other = {};
  int64_t infinite = 0;
  int64_t first_infinite = 0;
};

void look_at(const data::Column& column, int64_t first_row, ColumnLook& look) {
  for (int64_t i = 0; i < column.size(); ++i) {
    if (column.is_missing(i)) continue;
    if (column.type() == ColumnType::kReal) {
      if (!std::isinf(column.reals()[static_cast<size_t>(i)])) continue;
      if (look.infinite++ == 0) look.first_infinite = first_row + i;
    } else if (column.type() == ColumnType::kText) {
      const std::string_view text = column.texts()[i];
      const auto number = number_of(trim(text));
      if (number && std::isfinite(*number)) {
        ++look.numbers;
        continue;
      }
      if (number && look.infinite++ == 0) look.first_infinite = first_row + i;
      if (look.others++ == 0) {
        look.first_other = first_row + i;
        look.other = text;
      }
    }
  }
}

void count_label(const std::string& text, LabelSurvey& label) {
  if (label.counts.size() < kMostLabels || label.counts.contains(text)) {
    const auto [place, is_new] = label.counts.emplace(text, 0);
    ++place->second;
    if (!is_new) return;
  }
  const auto number = number_of(text);
  label.all_numbers = label.all_numbers && number.has_value();
  label.all_whole = label.all_whole && number && std::trunc(*number) == *number;
  label.all_binary = label.all_binary && number && (*number == 0 || *number == 1);
}

std::string row_list(int64_t first, int64_t count) {
  if (count == 1) return str("row ", first);
  return str(counted(count, "row"), ", first of them row ", first);
}

void add_doubts(const data::TableSource& table, const std::vector<ColumnLook>& looks,
                TableSurvey& survey) {
  for (size_t i = 0; i < looks.size(); ++i) {
    const ColumnLook& look = looks[i];
    const std::string& name = table.columns()[i].name;
    const bool is_text = table.columns()[i].type == ColumnType::kText;
    if (look.infinite > 0 && !is_text) {
      survey.doubts.push_back(str("column '", name, "' holds infinite numbers in ",
                                  row_list(look.first_infinite, look.infinite)));
    }
    if (look.others == 0 || look.numbers == 0) continue;
    if (look.infinite > 0 || look.numbers >= look.others * kNumbersPerText) {
      survey.doubts.push_back(
          str("column '", name, "' is taken for text, as ", grouped(look.others), " of its ",
              grouped(look.numbers + look.others), " cells ",
              look.others == 1 ? "is no number ('" : "are no numbers (first '", look.other,
              "' in row ", look.first_other, "); --types ", names_text(std::vector{name}),
              "=number makes that an error, --missing can name it"));
    }
  }
}

}  // namespace

TableSurvey survey_table(const data::TableSource& table, const std::vector<std::string>& labels) {
  TableSurvey survey;
  std::vector<size_t> places;
  for (const std::string& label : labels) {
    const auto& columns = table.columns();
    const auto found = std::ranges::find(columns, label, &data::ColumnInfo::name);
    if (found == columns.end()) {
      std::vector<std::string> names;
      for (const auto& column : columns) names.push_back(column.name);
      const std::string hint = nearest(label, names);
      throw not_found(table.name(), ": there is no column '", label, "' to learn",
                      hint.empty() ? "" : str("; did you mean '", hint, "'?"), " It has ",
                      names_text(names));
    }
    places.push_back(static_cast<size_t>(found - columns.begin()));
    survey.labels.push_back({.column = label});
  }
  survey.missing.resize(table.columns().size());
  std::vector<ColumnLook> looks(table.columns().size());
  std::unordered_map<std::string, int64_t> ids;
  const auto reader = table.open();
  while (const std::optional<Table> rows = reader->next(kRowsAtOnce)) {
    for (size_t c = 0; c < rows->columns().size(); ++c) {
      survey.missing[c] += rows->columns()[c].missing_count();
      look_at(rows->columns()[c], survey.rows + 1, looks[c]);
    }
    const size_t before = survey.label_ids.size();
    survey.label_ids.resize(before + static_cast<size_t>(rows->rows()), 0);
    for (size_t k = 0; k < places.size(); ++k) {
      const data::Column& column = rows->columns()[places[k]];
      LabelSurvey& label = survey.labels[k];
      for (int64_t i = 0; i < rows->rows(); ++i) {
        int64_t& id = survey.label_ids[before + static_cast<size_t>(i)];
        if (column.is_missing(i)) {
          if (label.missing++ == 0) label.first_missing = survey.rows + i + 1;
          id = -1;
          continue;
        }
        const std::string text = column.cell(i);
        count_label(text, label);
        if (k == 0 && id >= 0) {
          id = ids.emplace(text, static_cast<int64_t>(ids.size())).first->second;
        }
      }
    }
    survey.rows += rows->rows();
  }
  if (survey.rows == 0) {
    throw invalid_argument(table.name(), ": holds no rows, only the names of columns (",
                           counted(static_cast<int64_t>(table.columns().size()), "column"),
                           "); --no-header takes the first line for a row");
  }
  add_doubts(table, looks, survey);
  return survey;
}

void check_labels(const TableSurvey& survey, const data::TableSource& table, bool drop) {
  for (const LabelSurvey& label : survey.labels) {
    if (label.missing == 0) continue;
    if (label.missing == survey.rows) {
      throw invalid_argument(table.name(), ": the label column '", label.column,
                             "' is empty in all rows");
    }
    if (drop) continue;
    throw invalid_argument(table.name(), ": there is no label in column '", label.column, "' of ",
                           row_list(label.first_missing, label.missing),
                           "; fill it in, or give --drop-unlabelled to leave such rows out");
  }
}

RowSplit split_rows(const TableSurvey& survey, double fraction, uint64_t seed, bool stratified) {
  std::vector<int64_t> rows, labels;
  for (size_t i = 0; i < survey.label_ids.size(); ++i) {
    if (survey.label_ids[i] < 0) continue;
    rows.push_back(static_cast<int64_t>(i));
    labels.push_back(survey.label_ids[i]);
  }
  const auto count = static_cast<int64_t>(rows.size());
  const data::RowSplit split =
      stratified ? data::stratified_split(Tensor::from(std::span<const int64_t>(labels), {count}),
                                          fraction, seed)
                 : data::random_split(count, fraction, seed);
  auto parts = std::make_shared<std::vector<Part>>(survey.label_ids.size(), Part::kLeftOut);
  for (const int64_t i : split.training) {
    (*parts)[static_cast<size_t>(rows[static_cast<size_t>(i)])] = Part::kTraining;
  }
  for (const int64_t i : split.validation) {
    (*parts)[static_cast<size_t>(rows[static_cast<size_t>(i)])] = Part::kValidation;
  }
  return {.parts = parts,
          .training = static_cast<int64_t>(split.training.size()),
          .validation = static_cast<int64_t>(split.validation.size()),
          .left_out = survey.rows - count};
}

GuessedTask guess_task(const std::vector<LabelSurvey>& labels) {
  if (labels.size() > 1) {
    if (std::ranges::all_of(labels, &LabelSurvey::all_binary)) {
      return {std::string(kMultiLabel), "they are columns of 0 and 1"};
    }
    const auto text = std::ranges::find(labels, false, &LabelSurvey::all_numbers);
    if (text != labels.end()) {
      throw UsageError(
          str("--label: several columns are learnt together as numbers, or as 0 and "
              "1, but '",
              text->column, "' holds text"));
    }
    return {std::string(kRegression), "they are columns of numbers"};
  }
  const LabelSurvey& label = labels[0];
  if (!label.all_numbers) return {std::string(kClassification), "they are text"};
  if (!label.all_whole) return {std::string(kRegression), "they are no whole numbers"};
  const size_t count = label.counts.size();
  const std::string reason = count == 1 ? "all are the same whole number"
                                        : str("they are ", grouped(static_cast<int64_t>(count)),
                                              " different whole numbers");
  return {std::string(count <= kMostIntegerClasses ? kClassification : kRegression), reason};
}

}  // namespace thalweg::cli
