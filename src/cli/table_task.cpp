#include "cli/table_task.h"

#include <algorithm>

#include "cli/names.h"
#include "thalweg/base/error.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kKinds = {"number", "category", "text", "list",
                                         "date",   "ignore",   "id"};

std::vector<std::string> names_of(std::string_view option, const std::optional<std::string>& text) {
  return text ? parse_names(option, *text) : std::vector<std::string>();
}

void parse_kinds(const std::string& text, ColumnRoles& roles) {
  for (const auto& [column, kind] : parse_pairs("types", text)) {
    if (std::ranges::find(kKinds, kind) == kKinds.end()) {
      const std::string hint = nearest(kind, kKinds);
      throw UsageError(str("--types ", column, "=", kind, ": there is no kind '", kind,
                           hint.empty() ? "'" : str("'; did you mean '", hint, "'?"),
                           " The kinds are ", join(kKinds, ", ")));
    }
    if (kind == "ignore") {
      roles.ignored.push_back(column);
    } else if (kind == "id") {
      roles.ids.push_back(column);
    } else {
      roles.kinds[column] = kind;
    }
  }
}

void check_once(const ColumnRoles& roles) {
  std::map<std::string, std::string> seen;
  const auto add = [&](const std::vector<std::string>& columns, const std::string& role) {
    for (const std::string& column : columns) {
      const auto [place, is_new] = seen.emplace(column, role);
      if (is_new) continue;
      throw UsageError(place->second == role ? str("column '", column, "' is named twice in ", role)
                                             : str("column '", column, "' cannot be in both ",
                                                   place->second, " and ", role));
    }
  };
  add(roles.labels, "--label");
  if (!roles.weight.empty()) add({roles.weight}, "--weight");
  add(roles.ignored, "--ignore");
  add(roles.ids, "--ids");
}

ClassWeights parse_class_weights(const std::string& text) {
  if (text == "balanced") return {.balanced = true};
  ClassWeights weights;
  for (const auto& [name, value] : parse_pairs("class-weights", text)) {
    const auto number = parse_number(value);
    if (!number || !(*number >= 0)) {
      throw UsageError(str("--class-weights ", name, "=", value,
                           ": a weight is a number of 0 or more (or say balanced)"));
    }
    weights.given[name] = *number;
  }
  return weights;
}

std::vector<double> parse_quantiles(const std::string& text) {
  std::vector<double> result;
  for (const std::string& item : parse_names("quantiles", text)) {
    const auto number = parse_number(item);
    if (!number || !(*number > 0 && *number < 1)) {
      throw UsageError(
          str("--quantiles takes numbers between 0 and 1, e.g. 0.1,0.5,0.9; got '", item, "'"));
    }
    result.push_back(*number);
  }
  return result;
}

void check_fits(bool fits, std::string_view option, const std::string& task) {
  if (!fits) throw UsageError(str("--", option, " says nothing to the task ", task));
}

}  // namespace

ColumnRoles parse_roles(const FitArguments& a) {
  ColumnRoles roles;
  roles.labels = names_of("label", a.request.label);
  roles.ids = names_of("ids", a.ids);
  roles.ignored = names_of("ignore", a.ignore);
  roles.weight = a.weight.value_or("");
  if (a.types) parse_kinds(*a.types, roles);
  check_once(roles);
  return roles;
}

std::map<std::string, data::ColumnType> set_types(const ColumnRoles& roles) {
  using data::ColumnType;
  std::map<std::string, ColumnType> types;
  for (const std::string& id : roles.ids) types[id] = ColumnType::kText;
  for (const auto& [column, kind] : roles.kinds) {
    types[column] = kind == "number" ? ColumnType::kReal : ColumnType::kText;
  }
  return types;
}

void check_roles(const ColumnRoles& roles, const data::TableSource& table) {
  std::vector<std::string> columns;
  for (const auto& column : table.columns()) columns.push_back(column.name);
  if (roles.labels.empty()) {
    throw UsageError(str("--label COLUMN is wanted: which column is to be learnt? '", table.name(),
                         "' has ", join(columns, ", ")));
  }
  parse_columns("ids", names_text(roles.ids), columns);
  parse_columns("ignore", names_text(roles.ignored), columns);
  if (!roles.weight.empty())
    parse_columns("weight", names_text(std::vector{roles.weight}), columns);
  for (const auto& [column, kind] : roles.kinds) {
    parse_columns("types", names_text(std::vector{column}), columns);
  }
}

TableTask make_task(const FitArguments& a, const ColumnRoles& roles, const TableSurvey& survey) {
  TableTask result;
  if (a.request.task) {
    result.task = *a.request.task;
  } else if (a.quantiles) {
    result.task = kQuantile;
  } else {
    const GuessedTask guess = guess_task(survey.labels);
    result.task = guess.task;
    result.reason = guess.reason;
  }
  const std::string& task = result.task;
  HeadSpec& head = result.head;
  head.kind = task == kClassification ? HeadKind::kClassification
              : task == kMultiLabel   ? HeadKind::kMultiLabel
              : task == kPoisson      ? HeadKind::kPoisson
              : task == kQuantile     ? HeadKind::kQuantile
                                      : HeadKind::kRegression;
  head.labels = roles.labels;
  head.weight = roles.weight;
  result.has_classes = task == kClassification;
  if (roles.labels.size() > 1 && task != kMultiLabel && task != kRegression) {
    throw UsageError(str("--task ", task, " takes one --label, got ", names_text(roles.labels)));
  }
  check_fits(!a.class_weights || result.has_classes || task == kMultiLabel, "class-weights", task);
  check_fits(!a.positive || result.has_classes, "positive", task);
  check_fits(!a.quantiles || task == kQuantile, "quantiles", task);
  if (a.class_weights) head.class_weights = parse_class_weights(*a.class_weights);
  if (a.positive) head.positive = *a.positive;
  if (a.quantiles) head.quantiles = parse_quantiles(*a.quantiles);
  return result;
}

}  // namespace thalweg::cli
