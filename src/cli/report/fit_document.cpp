#include "cli/report/fit_document.h"

#include <algorithm>
#include <cmath>

#include "cli/report/plots.h"
#include "cli/text.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr int64_t kMiB = 1 << 20;
// A larger confusion table says less than its worst mistakes.
constexpr size_t kMostConfusionClasses = 10;
constexpr size_t kMostMistakes = 10;

std::string cell(const std::optional<double>& value) {
  return value ? short_number(*value) : std::string();
}
std::string cell(const std::optional<int64_t>& value) {
  return value ? grouped(*value) : std::string();
}

DocSection data_section(const TableFitFacts& facts) {
  DocSection section{.heading = "Data"};
  section.sentences.push_back(
      str(facts.data, ": ", counted(facts.rows, "row"), ", ",
          counted(static_cast<int64_t>(facts.columns.size()), "column"),
          facts.data_hash.empty() ? "" : str("; fingerprint ", facts.data_hash)));
  section.sentences.insert(section.sentences.end(), facts.notes.begin(), facts.notes.end());
  for (const std::string& reason : facts.dropped) {
    section.sentences.push_back(str("left out: ", reason));
  }
  section.sentences.push_back(str("Task: ", facts.task, " of ", listed(facts.labels),
                                  facts.task_reason.empty() ? "" : str(", ", facts.task_reason)));
  section.sentences.push_back(str("Split: ", facts.split));
  if (!facts.columns.empty()) section.tables.push_back(columns_table(facts));
  return section;
}

DocSection model_section(const TableFitFacts& facts) {
  DocSection section{.heading = "Model"};
  section.sentences.push_back(
      facts.parameters > 0 ? str(facts.model, ": ", counted(facts.parameters, "parameter"), ".")
                           : facts.model + ".");
  if (!facts.choice.empty()) section.sentences.push_back(facts.choice);
  if (!facts.candidates.empty()) {
    DocTable table{.header = {"candidate"}};
    std::vector<std::string> names;
    for (const auto& candidate : facts.candidates) {
      for (const Figure& f : candidate.validation) {
        if (std::ranges::find(names, f.name) == names.end()) names.push_back(f.name);
      }
    }
    table.header.insert(table.header.end(), names.begin(), names.end());
    table.header.insert(table.header.end(), {"time", "settings"});
    table.text_columns = {names.size() + 2};
    for (const auto& candidate : facts.candidates) {
      std::vector<std::string> row = {candidate.name};
      for (const std::string& name : names) {
        row.push_back(
            candidate.validation.empty() ? "" : short_number(figure(candidate.validation, name)));
      }
      row.push_back(duration(candidate.seconds));
      row.push_back(candidate.failure.empty() ? candidate.about : candidate.failure);
      table.rows.push_back(std::move(row));
    }
    section.tables.push_back(std::move(table));
  }
  if (!facts.settings.empty()) {
    DocTable table{.header = {"setting", "value", "from"}, .text_columns = {1, 2}};
    for (const auto& setting : facts.settings) {
      table.rows.push_back({setting.name, setting.value, setting.given ? "given" : "default"});
    }
    section.tables.push_back(std::move(table));
  }
  return section;
}

// Of many classes the pairs that are taken for each other most often.
DocTable confusion_table(const TableFitFacts& facts) {
  if (facts.classes.size() <= kMostConfusionClasses) {
    DocTable table{.header = {"label \\ predicted"}};
    for (const auto& c : facts.classes) table.header.push_back(c.name);
    for (size_t i = 0; i < facts.confusion.size(); ++i) {
      table.rows.push_back({facts.classes[i].name});
      for (const int64_t count : facts.confusion[i]) table.rows.back().push_back(grouped(count));
    }
    return table;
  }
  struct Mistake {
    int64_t count;
    size_t label, predicted;
  };
  std::vector<Mistake> mistakes;
  for (size_t i = 0; i < facts.confusion.size(); ++i) {
    for (size_t j = 0; j < facts.confusion[i].size(); ++j) {
      if (i != j && facts.confusion[i][j] > 0) mistakes.push_back({facts.confusion[i][j], i, j});
    }
  }
  std::ranges::stable_sort(mistakes,
                           [](const Mistake& a, const Mistake& b) { return a.count > b.count; });
  if (mistakes.size() > kMostMistakes) mistakes.resize(kMostMistakes);
  DocTable table{.header = {"commonest mistakes: label", "predicted", "rows"}, .text_columns = {1}};
  for (const Mistake& m : mistakes) {
    table.rows.push_back(
        {facts.classes[m.label].name, facts.classes[m.predicted].name, grouped(m.count)});
  }
  return table;
}

DocSection result_section(const TableFitFacts& facts, bool with_plots) {
  DocSection section{.heading = "Result"};
  if (!facts.training_message.empty()) section.sentences.push_back(facts.training_message);
  if (facts.best_step) {
    section.sentences.push_back(str("The weights are those of the best ",
                                    facts.validation_rows > 0 ? "validation " : "", "loss, at ",
                                    facts.step_noun == "epoch" ? "step" : facts.step_noun, " ",
                                    grouped(*facts.best_step), "."));
  }
  section.tables.push_back(metrics_table(facts));
  section.sentences.push_back(str("Baseline: ", facts.baseline,
                                  ". The figure after \u00b1 is the standard error of the "
                                  "validation figure, by resampling its rows."));
  for (const auto& metric : facts.metrics) {
    if (!metric.undefined.empty()) {
      section.sentences.push_back(str(metric.name, " is undefined: ", metric.undefined));
    }
  }
  if (!facts.classes.empty()) section.tables.push_back(class_table(facts));
  if (!facts.confusion.empty() && facts.confusion.size() == facts.classes.size()) {
    section.tables.push_back(confusion_table(facts));
  }
  if (with_plots) {
    for (const auto& plots : {history_plots(facts), result_plots(facts)}) {
      section.plots.insert(section.plots.end(), plots.begin(), plots.end());
    }
  }
  return section;
}

DocSection top_columns_section(const TableFitFacts& facts, bool with_plots) {
  DocSection section{.heading = "Columns that matter most"};
  section.sentences.emplace_back(
      "Rise of the validation loss when a column's cells are shuffled (Breiman 2001); columns that "
      "tell the same share what they tell.");
  DocTable table{.header = {"column", "rise of the loss"}};
  for (const Figure& f : facts.top_columns) table.rows.push_back({f.name, short_number(f.value)});
  section.tables.push_back(std::move(table));
  if (with_plots) section.plots = column_plots(facts);
  return section;
}

DocSection record_section(const TableFitFacts& facts) {
  DocSection section{.heading = "Record"};
  DocTable table{.header = {"what", "value"}, .text_columns = {1}};
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) table.rows.push_back({std::move(name), std::move(value)});
  };
  add("model", facts.folder);
  add("begun", facts.started);
  add("time", duration(facts.seconds));
  add("peak memory", str(grouped(facts.peak_memory / kMiB), " MiB"));
  add("seed", str(facts.seed));
  add("threads", str(facts.threads));
  for (const auto& [name, value] : facts.environment) add(name, value);
  add("board", facts.events.empty() ? "" : str("tensorboard --logdir ", facts.events));
  add("next", facts.next_command);
  section.tables.push_back(std::move(table));
  if (!facts.command.empty()) {
    section.sentences.emplace_back("The command below does it again.");
    section.code = facts.command;
  }
  return section;
}

}  // namespace

const TableFitFacts::Metric* main_metric(const TableFitFacts& facts) {
  for (const char* name : {"accuracy", "rmse", "deviance", "pinball", "loss"}) {
    for (const auto& metric : facts.metrics) {
      if (metric.name == name) return &metric;
    }
  }
  return facts.metrics.empty() ? nullptr : &facts.metrics[0];
}

std::string lead_sentence(const TableFitFacts& facts) {
  std::string text = str("A model of ", listed(facts.labels), ", ", facts.model);
  const auto* metric = main_metric(facts);
  if (metric == nullptr) return text + ".";
  const std::optional<double>& value = metric->validation ? metric->validation : metric->training;
  if (!value) return text + ".";
  append(text, str(": ", metric->name, " ", short_number(*value)));
  if (metric->validation && metric->spread) {
    append(text, str(" \u00b1 ", short_number(*metric->spread)));
  }
  append(text, metric->validation
                   ? str(" on ", counted(facts.validation_rows, "row"), " kept for validation")
                   : str(" on the ", counted(facts.training_rows, "row"), " it was trained on"));
  if (metric->baseline) append(text, str(" (baseline ", short_number(*metric->baseline), ")"));
  return text + ".";
}

DocTable metrics_table(const TableFitFacts& facts) {
  const auto any = [&](auto member) {
    return std::ranges::any_of(facts.metrics,
                               [&](const auto& m) { return (m.*member).has_value(); });
  };
  using Metric = TableFitFacts::Metric;
  DocTable table{.header = {"metric"}};
  struct Part {
    const char* title;
    std::optional<double> Metric::*member;
  };
  std::vector<Part> parts;
  for (const Part& part : {Part{"training", &Metric::training},
                           Part{"validation", &Metric::validation}, Part{"\u00b1", &Metric::spread},
                           Part{"test", &Metric::test}, Part{"baseline", &Metric::baseline}}) {
    if (any(part.member)) parts.push_back(part);
  }
  for (const Part& part : parts) table.header.emplace_back(part.title);
  for (const Metric& metric : facts.metrics) {
    table.rows.push_back({metric.name});
    for (const Part& part : parts) table.rows.back().push_back(cell(metric.*part.member));
  }
  return table;
}

DocTable class_table(const TableFitFacts& facts) {
  DocTable table{.header = {"class", "rows", "validation rows", "precision", "recall", "f1"}};
  for (const auto& c : facts.classes) {
    table.rows.push_back({c.name, grouped(c.rows), grouped(c.validation_rows), cell(c.precision),
                          cell(c.recall), cell(c.f1)});
  }
  return table;
}

DocTable columns_table(const TableFitFacts& facts) {
  DocTable table{.header = {"column", "role", "type", "missing", "distinct", "what was done"},
                 .text_columns = {1, 2, 5}};
  for (const auto& c : facts.columns) {
    table.rows.push_back({c.name, c.role, c.type, cell(c.missing), cell(c.distinct), c.use});
  }
  return table;
}

Document fit_document(const TableFitFacts& facts, bool with_plots) {
  Document document{.title = str("Report on ", facts.folder.empty() ? facts.data : facts.folder),
                    .lead = lead_sentence(facts)};
  document.sections.push_back(data_section(facts));
  document.sections.push_back(model_section(facts));
  document.sections.push_back(result_section(facts, with_plots));
  if (!facts.top_columns.empty()) {
    document.sections.push_back(top_columns_section(facts, with_plots));
  }
  document.sections.push_back(record_section(facts));
  return document;
}

std::string facts_text(const TableFitFacts& facts) {
  return render_text(fit_document(facts, false));
}
std::string facts_markdown(const TableFitFacts& facts) {
  return render_markdown(fit_document(facts, false));
}
std::string facts_html(const TableFitFacts& facts) {
  return render_html(fit_document(facts, true));
}

}  // namespace thalweg::cli
