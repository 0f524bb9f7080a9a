// A model card after Mitchell et al., arXiv:1810.03993, as far as facts go; what only people know
// is left for them to fill in. The front matter is the one that model hubs read.
#include <algorithm>
#include <cmath>

#include "cli/report/fit_document.h"
#include "cli/text.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr std::string_view kFillIn = "(to fill in) ";

// A YAML string in double quotes.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string percent(double share) {
  const auto tenths = static_cast<int64_t>(std::llround(share * 1000));
  return str(tenths / 10, ".", tenths % 10, " %");
}

std::string front_matter(const TableFitFacts& facts) {
  const bool is_classification = !facts.classes.empty();
  const std::string task = is_classification ? "tabular-classification" : "tabular-regression";
  std::string text =
      str("---\nlicense: unknown  # fill in, e.g. apache-2.0\nlibrary_name: thalweg\n",
          "tags:\n  - tabular\n  - ", quoted(facts.family), "\npipeline_tag: ", task,
          "\nmodel-index:\n  - name: ", quoted(base_name(facts.folder)),
          "\n    results:\n      - task:\n          type: ", task,
          "\n        dataset:\n          name: ", quoted(base_name(facts.data)),
          "\n          type: ", quoted(facts.data_hash), "\n        metrics:\n");
  bool any = false;
  for (const auto& metric : facts.metrics) {
    const auto& value = metric.validation ? metric.validation : metric.training;
    if (!value || !std::isfinite(*value)) continue;
    any = true;
    append(text,
           str("          - type: ", quoted(metric.name), "\n            value: ", *value, "\n"));
  }
  if (!any) append(text, "          []\n");
  return text + "---\n\n";
}

DocSection use_section() {
  return {
      .heading = "Use and limits",
      .sentences = {str(kFillIn, "What the model is for, and who should use it."),
                    str(kFillIn, "What it must not be used for."),
                    str(kFillIn,
                        "Where the data came from, whom they leave out, and since when "
                        "they may no longer hold."),
                    "What is known from the training: the model has seen only values like those "
                    "in the table of columns; categories that it has never seen count as one "
                    "unknown value, and numbers outside the range seen are extrapolated or cut "
                    "off."}};
}

DocSection model_section(const TableFitFacts& facts) {
  DocSection section{.heading = "Model"};
  section.sentences.push_back(
      str(facts.model,
          facts.parameters > 0 ? str(", ", counted(facts.parameters, "parameter")) : std::string(),
          "; trained on ", facts.data, " (fingerprint ", facts.data_hash, ") with ",
          counted(facts.training_rows, "row"), ", ", grouped(facts.validation_rows),
          " kept for validation: ", facts.split));
  if (!facts.choice.empty()) section.sentences.push_back(facts.choice);
  return section;
}

// Differences between classes are what readers of a card look for first.
std::string class_sentence(const TableFitFacts& facts) {
  const TableFitFacts::Class* worst = nullptr;
  const TableFitFacts::Class* best = nullptr;
  for (const auto& c : facts.classes) {
    if (!c.recall) continue;
    if (worst == nullptr || *c.recall < *worst->recall) worst = &c;
    if (best == nullptr || *c.recall > *best->recall) best = &c;
  }
  if (worst == nullptr || worst == best) return {};
  return str("The model finds ", percent(*best->recall), " of the rows of ", printable(best->name),
             ", but ", percent(*worst->recall), " of those of ", printable(worst->name), ".");
}

}  // namespace

std::string model_card(const TableFitFacts& facts) {
  Document document{.title = str("Model card: ", base_name(facts.folder)),
                    .lead = lead_sentence(facts)};
  document.sections.push_back(model_section(facts));
  document.sections.push_back(use_section());
  DocSection metrics{.heading = "Metrics"};
  metrics.sentences.push_back(str("Baseline: ", facts.baseline, "."));
  metrics.tables.push_back(metrics_table(facts));
  if (!facts.classes.empty()) {
    metrics.tables.push_back(class_table(facts));
    const std::string sentence = class_sentence(facts);
    if (!sentence.empty()) metrics.sentences.push_back(sentence);
  }
  document.sections.push_back(std::move(metrics));
  if (!facts.columns.empty()) {
    document.sections.push_back({.heading = "Columns", .tables = {columns_table(facts)}});
  }
  DocSection record{.heading = "How to make it again"};
  const auto version = facts.environment.find("thalweg");
  record.sentences.push_back(
      str("thalweg ", version == facts.environment.end() ? std::string("?") : version->second,
          ", seed ", facts.seed, ", ", counted(facts.threads, "thread"), ", ",
          duration(facts.seconds), " on ", facts.started, ". The folder also holds ",
          kReportMarkdown, ", ", kReportHtml, " and ", kConfigFile, "."));
  record.code = facts.command;
  document.sections.push_back(std::move(record));
  return front_matter(facts) + render_markdown(document);
}

}  // namespace thalweg::cli
