#include "cli/show_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

#include "cli/json.h"
#include "cli/report/table_facts.h"
#include "cli/table_model_folder.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"

namespace thalweg::cli {
namespace {

constexpr size_t kMostWeights = 20;

struct Weight {
  std::string name;
  std::string output;
  double value = 0;
};

// The names of the rows of a column's weights.
std::vector<std::string> row_names(const Transform& transform, const FeatureColumn& column) {
  const Transform::Place place = transform.place(column);
  const PreparedSpec& prepared = transform.prepared();
  std::vector<std::string> names;
  if (place.kind == Transform::Place::Kind::kNumbers) {
    for (const int64_t i : place.indices) names.push_back(prepared.numbers[static_cast<size_t>(i)]);
    return names;
  }
  const auto& categories =
      place.kind == Transform::Place::Kind::kIds ? prepared.ids : prepared.bags;
  const auto& category = categories[static_cast<size_t>(place.indices.at(0))];
  for (int64_t id = 0; id < place.buckets; ++id) {
    const auto k = static_cast<size_t>(id);
    names.push_back(
        str(column.key(), " = ", k < category.names.size() ? category.names[k] : str("#", id)));
  }
  return names;
}

// Of a linear model, or the wide part of a wide and deep one, those farthest from 0.
std::vector<Weight> largest_weights(const TableEstimator& model) {
  std::vector<Weight> weights;
  const VariableStore& variables = model.variables();
  const std::vector<std::string>& classes = model.record().label.class_names;
  for (const FeatureColumn& column : model.transform().columns()) {
    const std::string name = str("linear/", column.key(), "/weights");
    if (!variables.is_initialized(name)) continue;
    const Tensor values = variables.get(name);
    const std::vector<std::string> rows = row_names(model.transform(), column);
    const int64_t units = values.rank() == 2 ? values.dim(1) : 1;
    const auto data = values.data<float>();
    for (size_t i = 0; i < data.size(); ++i) {
      const auto row = i / static_cast<size_t>(units), unit = i % static_cast<size_t>(units);
      if (row >= rows.size() || data[i] == 0) continue;
      const bool has_classes = units > 1 && unit < classes.size();
      weights.push_back({rows[row], has_classes ? classes[unit] : std::string(), data[i]});
    }
  }
  std::ranges::stable_sort(weights, [](const Weight& a, const Weight& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  if (weights.size() > kMostWeights) weights.resize(kMostWeights);
  return weights;
}

// What the report of its training says; null when there is none.
Json report_of(const std::string& folder) {
  const std::string file = join_path(folder, kReportJson);
  if (!file_exists(file)) return nullptr;
  const Json report = Json::parse(read_file(file), nullptr, false);
  return report.is_object() ? report : Json(nullptr);
}

std::string metrics_text(const Json& report) {
  std::vector<FigureColumn> columns;
  for (const char* part : {"train", "validation", "test", "baseline"}) {
    if (!report.contains("metrics") || !report["metrics"].contains(part)) continue;
    FigureColumn column{.title = part};
    for (const auto& [name, value] : report["metrics"][part].items()) {
      column.figures.push_back({name, value.is_number() ? value.get<double>() : NAN});
    }
    columns.push_back(std::move(column));
  }
  return figure_table(columns);
}

std::string columns_text(const Transform& transform) {
  std::vector<std::vector<std::string>> rows = {{"column", "type", "missing", "distinct"}};
  std::vector<std::string> uses = {"what is done with it"};
  for (const ColumnFacts& facts : transform.facts()) {
    rows.push_back({facts.column, facts.type, grouped(facts.missing), grouped(facts.distinct)});
    uses.push_back(facts.use);
  }
  std::vector<std::string> lines = split(aligned(rows), '\n');
  size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, line.size());
  std::string text;
  for (size_t i = 0; i < uses.size(); ++i) {
    append(text, str(fitted(lines[i], width), "  ", printable(uses[i]), "\n"));
  }
  return text;
}

std::string classes_text(const LabelSpec& label) {
  std::string text;
  for (size_t i = 0; i < label.class_names.size(); ++i) {
    append(text, str(i == 0 ? "" : ", ", printable(label.class_names[i])));
    if (i < label.class_counts.size()) append(text, str(" (", grouped(label.class_counts[i]), ")"));
  }
  return text;
}

std::string describe(const TableEstimator& model, const std::string& folder) {
  const ModelRecord& record = model.record();
  const RunRecord& run = record.run;
  const HeadSpec& head = model.head();
  const Json report = report_of(folder);
  std::string text = str("Model        ", family_of_model(record), " for tables in ", folder, ", ",
                         counted(run.parameters, "parameter"), "\n");
  if (report.contains("network")) {
    append(text, str("             ", printable(report["network"].value("description", "")), "\n"));
  }
  append(text, str("Task         ", head.kind, " of ", listed(head.labels),
                   head.weight.empty() ? "" : str(", weighted by ", printable(head.weight)), "\n"));
  if (!record.label.class_names.empty()) {
    append(text, str("Classes      ", classes_text(record.label), "\n"));
  }
  if (const auto ids = id_columns(folder); !ids.empty()) {
    append(text, str("Ids          ", listed(ids), "\n"));
  }
  append(text, str("Data         ", printable(run.data), " (", counted(run.training_rows, "row"),
                   " to train, ", grouped(run.validation_rows), " to validate; fingerprint ",
                   run.data_fingerprint, ")\n"));
  append(text, str("Training     ", run.state, " in ", duration(run.seconds), ", begun ",
                   run.started, "; seed ", run.seed, ", threads ", run.threads, "\n"));
  if (!run.command.empty()) append(text, str("Command      ", printable(run.command), "\n"));
  for (const auto& [key, value] : run.environment) {
    append(text, str(fitted(key, 12), " ", value, "\n"));
  }
  if (!record.weights.empty()) {
    append(text, str("Weights      ", record.weights,
                     run.best_step ? str(" (best at step ", *run.best_step, ")") : "", "\n"));
  }
  append(text, unfinished_text(folder));
  append(text, str("\n", columns_text(model.transform())));
  if (report.is_object()) append(text, str("\n", metrics_text(report)));
  if (const auto weights = largest_weights(model); !weights.empty()) {
    std::vector<std::vector<std::string>> rows = {{"largest weights", "", ""}};
    for (const Weight& w : weights) rows.push_back({w.name, w.output, short_number(w.value)});
    append(text, str("\n", aligned(rows)));
  }
  if (!run.history.empty()) append(text, str("\n", history_table(run.history)));
  return text;
}

}  // namespace

void show_table_model(const std::string& folder, bool json, Console& console) {
  if (!json) {
    console.print(describe(load_table_model(folder), folder));
    return;
  }
  Json result = Json::parse(to_json(read_model_record(folder)));
  if (Json report = report_of(folder); report.is_object()) result["report"] = std::move(report);
  console.out << dump(result);
}

}  // namespace thalweg::cli
