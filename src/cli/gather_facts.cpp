#include "cli/gather_facts.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "cli/text.h"
#include "thalweg/base/file.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

std::string hex(uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string split_sentence(const FitContext& context) {
  const RowSplit& split = context.split;
  if (context.validation_file) {
    return str("all ", counted(split.training, "row"), " to train; to validate, those of ",
               *context.validation_file);
  }
  if (split.validation == 0) {
    return str("all ", counted(split.training, "row"), " to train, none to validate");
  }
  return str(counted(split.training, "row"), " to train, ", grouped(split.validation),
             " to validate, drawn at random by the seed",
             context.task.has_classes ? ", of each class alike" : "");
}

std::optional<double> value_of(const std::vector<Figure>& figures, const std::string& name) {
  const double value = figure(figures, name);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::pair<double, double>> points_of(const std::vector<CurvePoint>& curve) {
  std::vector<std::pair<double, double>> points;
  for (const CurvePoint& point : curve) points.emplace_back(point.x, point.y);
  return points;
}

std::optional<double> defined(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_tree_family(std::string_view family) {
  return family == "boosted-trees" || family == "forest";
}

// What was decided of a feature column, and what became of it.
void add_use(const GuessedSchema& schema, const Transform* transform, bool is_for_trees,
             TableFitFacts::Column& column) {
  const auto decision = std::ranges::find(schema.decisions, column.name, &GuessedColumn::column);
  if (decision == schema.decisions.end()) return;
  const bool is_ignored = decision->kind == GuessedKind::kIgnore;
  if (is_ignored) column.role = "ignored";
  column.use = str(is_ignored ? "left out" : to_string(decision->kind), ": ", decision->reason);
  if (transform == nullptr || is_ignored) return;
  const auto& known = transform->facts();
  const auto found = std::ranges::find(known, column.name, &ColumnFacts::column);
  if (found == known.end()) {
    column.role = "ignored";
    column.use = str(to_string(decision->kind), ": this model does not read it");
    return;
  }
  column.distinct = found->distinct;
  // Scales of numbers are of linear models and networks.
  const bool is_plain = is_for_trees && decision->kind == GuessedKind::kNumber;
  column.use = is_plain ? str("number: ", found->use) : str(column.use, "; ", found->use);
}

}  // namespace

void add_data_facts(const FitContext& context, const Transform* transform, TableFitFacts& facts) {
  const auto& columns = context.table.columns();
  facts.data = context.table.name();
  facts.data_hash = hex(context.table.fingerprint());
  facts.rows = context.survey.rows;
  facts.notes = context.table.notes();
  facts.notes.insert(facts.notes.end(), context.survey.doubts.begin(), context.survey.doubts.end());
  if (context.split.left_out > 0) {
    facts.dropped = {str(counted(context.split.left_out, "row"), " without a label")};
  }
  facts.task = context.task.task;
  facts.task_reason = context.task.reason.empty() ? "" : str("as ", context.task.reason);
  facts.labels = context.roles.labels;
  const ColumnRoles& roles = context.roles;
  for (size_t i = 0; i < columns.size(); ++i) {
    TableFitFacts::Column column{.name = columns[i].name,
                                 .role = "feature",
                                 .type = str(columns[i].type),
                                 .missing = context.survey.missing[i]};
    const auto label = std::ranges::find(context.survey.labels, column.name, &LabelSurvey::column);
    if (label != context.survey.labels.end()) {
      column.role = "label";
      column.distinct = static_cast<int64_t>(label->counts.size());
      column.use = "is learnt";
    } else if (roles.weight == column.name) {
      column.role = "weight";
      column.use = "says how much the row counts";
    } else if (holds(roles.ids, column.name)) {
      column.role = "id";
      column.use = "not learnt from; written beside predictions";
    } else {
      add_use(context.schema, transform, is_tree_family(facts.family), column);
    }
    facts.columns.push_back(std::move(column));
  }
  // Of all rows, while the model's record counts those of training.
  for (auto& c : facts.classes) {
    const auto& counts = context.survey.labels[0].counts;
    const auto found = counts.find(c.name);
    if (context.survey.labels.size() == 1 && found != counts.end()) c.rows = found->second;
  }
  facts.training_rows = context.split.training;
  facts.validation_rows = context.split.validation;
  facts.split = split_sentence(context);
}

void add_result_facts(const Measured& measured, TableFitFacts& facts) {
  const EvaluationReport& shown = measured.validation ? *measured.validation : measured.training;
  for (const Figure& f : shown.metrics) {
    TableFitFacts::Metric metric{.name = f.name};
    metric.training = value_of(measured.training.metrics, f.name);
    if (measured.validation) metric.validation = value_of(measured.validation->metrics, f.name);
    if (measured.test) metric.test = value_of(measured.test->metrics, f.name);
    metric.baseline = value_of(shown.baseline, f.name);
    const auto reason =
        std::ranges::find(shown.undefined, f.name, &std::pair<std::string, std::string>::first);
    if (reason != shown.undefined.end()) metric.undefined = reason->second;
    facts.metrics.push_back(std::move(metric));
  }
  for (auto& c : facts.classes) {
    const auto found = std::ranges::find(shown.classes, c.name, &ClassFigures::name);
    if (found == shown.classes.end()) continue;
    c.precision = defined(found->precision);
    c.recall = defined(found->recall);
    c.f1 = defined(found->f1);
  }
  facts.confusion = shown.confusion;
  for (size_t i = 0; i < std::min(facts.classes.size(), shown.confusion.size()); ++i) {
    int64_t& rows = facts.classes[i].validation_rows;
    for (const int64_t count : shown.confusion[i]) rows += count;
    if (i < shown.not_finite.size()) rows += shown.not_finite[i];
  }
  const double auc = shown["auc"], pr_auc = shown["pr_auc"];
  if (!shown.roc.empty()) facts.roc = {{"ROC", points_of(shown.roc), auc}};
  if (!shown.precision_recall.empty()) {
    facts.precision_recall = {{"precision", points_of(shown.precision_recall), pr_auc}};
  }
  for (const CalibrationBin& bin : shown.calibration) {
    if (!(bin.weight > 0)) continue;
    facts.calibration.push_back({.predicted = bin.probability,
                                 .observed = bin.frequency,
                                 .rows = std::llround(bin.weight)});
  }
}

void add_record_facts(const ModelRecord& record, TableFitFacts& facts) {
  const RunRecord& run = record.run;
  const LabelSpec& label = record.label;
  for (size_t i = 0; i < label.class_names.size(); ++i) {
    facts.classes.push_back({.name = label.class_names[i],
                             .rows = i < label.class_counts.size() ? label.class_counts[i] : 0});
  }
  facts.parameters = run.parameters;
  facts.history = run.history;
  facts.best_step = run.best_step;
  facts.seed = run.seed;
  facts.threads = run.threads;
  facts.environment = run.environment;
  facts.started = run.started;
  facts.seconds = run.seconds;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  facts.peak_memory = static_cast<int64_t>(usage.ru_maxrss) * 1024;
  facts.command = run.command;
  const std::string events = join_path(facts.folder, kEventsFolder);
  if (is_folder(events)) facts.events = events;
}

}  // namespace thalweg::cli
