// thalweg evaluate with a model of tables
#include <numeric>
#include <ostream>

#include "cli/json.h"
#include "cli/open_like.h"
#include "cli/predict_table.h"
#include "cli/table_model_folder.h"
#include "cli/text.h"
#include "thalweg/base/error.h"

namespace thalweg::cli {
namespace {

constexpr size_t kMostConfusionClasses = 12;

std::string class_text(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows = {{"class", "rows", "precision", "recall", "f1"}};
  for (const ClassFigures& c : report.classes) {
    rows.push_back({c.name, short_number(c.support), short_number(c.precision),
                    short_number(c.recall), short_number(c.f1)});
    if (const auto whole = static_cast<int64_t>(c.support); static_cast<double>(whole) == c.support)
      rows.back()[1] = grouped(whole);
  }
  return aligned(rows);
}

std::string confusion_text(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows = {{"label \\ predicted"}};
  for (const ClassFigures& c : report.classes) rows[0].push_back(c.name);
  for (size_t i = 0; i < report.confusion.size(); ++i) {
    rows.push_back({report.classes[i].name});
    for (const int64_t count : report.confusion[i]) rows.back().push_back(grouped(count));
  }
  return aligned(rows);
}

Json classes_json(const EvaluationReport& report) {
  Json json = Json::array();
  for (const ClassFigures& c : report.classes) {
    json.push_back({{"name", c.name},
                    {"rows", c.support},
                    {"precision", number_json(c.precision)},
                    {"recall", number_json(c.recall)},
                    {"f1", number_json(c.f1)}});
  }
  return json;
}

Json report_json(const EvaluationReport& report) {
  Json json = {{"examples", report.examples},
               {"metrics", figures_to_json(report.metrics)},
               {"baseline", figures_to_json(report.baseline)}};
  if (!report.classes.empty()) {
    std::vector<std::string> names;
    for (const ClassFigures& c : report.classes) names.push_back(c.name);
    json["classes"] = names;
    json["per_class"] = classes_json(report);
  }
  if (!report.confusion.empty()) json["confusion"] = report.confusion;
  Json undefined = Json::object();
  for (const auto& [name, reason] : report.undefined) undefined[name] = reason;
  if (!undefined.empty()) json["undefined"] = undefined;
  for (const EvaluationReport& part : report.parts) json["heads"][part.head] = report_json(part);
  return json;
}

}  // namespace

int evaluate_table(EvaluateTableArguments a, Console& console) {
  const TableEstimator model = load_table_model(a.folder);
  a.source.inherit(a.folder);
  const auto table = open_for_model(a.source, model, {});
  const EvaluationReport report = [&] {
    try {
      return model.evaluate(*table);
    } catch (Error& error) {
      if (error.message().find(a.source.path) == std::string::npos) {
        error.add_context(a.source.path);
      }
      throw;
    }
  }();
  const std::vector<std::string> unmet = missed(a.required, report);
  const int64_t not_finite =
      std::accumulate(report.not_finite.begin(), report.not_finite.end(), int64_t{0});
  if (not_finite > 0) {
    console.warning(str("the predictions of ", counted(not_finite, "row"),
                        " are infinite or no numbers; they count as wrong"));
  }
  if (a.json) {
    Json json = {{"schema", kJsonSchema},
                 {"verb", "evaluate"},
                 {"model", a.folder},
                 {"data", a.source.path}};
    json.update(report_json(report));
    if (not_finite > 0) json["not_finite"] = report.not_finite;
    json["missed"] = unmet;
    json["seconds"] = report.seconds;
    console.out << dump(json);
  } else {
    std::string text = figure_table({{"model", report.metrics}, {"baseline", report.baseline}});
    if (!report.classes.empty()) append(text, "\n" + class_text(report));
    if (!report.confusion.empty() && report.confusion.size() == report.classes.size() &&
        report.classes.size() <= kMostConfusionClasses) {
      append(text, "\n" + confusion_text(report));
    }
    console.print(text);
    for (const auto& [name, reason] : report.undefined) {
      console.notice(str(name, " is undefined: ", reason));
    }
    console.notice(str(counted(report.examples, "row"), " in ", duration(report.seconds),
                       "; baseline: guesses without a look at the columns"));
  }
  if (unmet.empty()) return kDone;
  throw failed_precondition("required, but missed: ", join(unmet, ", "));
}

}  // namespace thalweg::cli
