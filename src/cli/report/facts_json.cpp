// The facts as JSON; keys stay as they are within one schema.
#include "cli/json.h"
#include "cli/report/table_facts.h"

namespace thalweg::cli {
namespace {

Json optional_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}
Json optional_json(const std::optional<int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json points_json(const std::vector<std::pair<double, double>>& points) {
  Json json = Json::array();
  for (const auto& [x, y] : points) json.push_back({x, y});
  return json;
}

Json curves_json(const std::vector<TableFitFacts::Curve>& curves) {
  Json json = Json::array();
  for (const auto& curve : curves) {
    json.push_back(
        {{"name", curve.name}, {"area", curve.area}, {"points", points_json(curve.points)}});
  }
  return json;
}

Json data_json(const TableFitFacts& facts) {
  Json columns = Json::array();
  for (const auto& c : facts.columns) {
    columns.push_back({{"name", c.name},
                       {"role", c.role},
                       {"type", c.type},
                       {"missing", optional_json(c.missing)},
                       {"distinct", optional_json(c.distinct)},
                       {"use", c.use}});
  }
  return {{"path", facts.data},
          {"fingerprint", facts.data_hash},
          {"rows", facts.rows},
          {"notes", facts.notes},
          {"dropped", facts.dropped},
          {"training_rows", facts.training_rows},
          {"validation_rows", facts.validation_rows},
          {"split", facts.split},
          {"columns", columns}};
}

Json classes_json(const TableFitFacts& facts) {
  Json classes = Json::array();
  for (const auto& c : facts.classes) {
    classes.push_back({{"name", c.name},
                       {"rows", c.rows},
                       {"validation_rows", c.validation_rows},
                       {"precision", optional_json(c.precision)},
                       {"recall", optional_json(c.recall)},
                       {"f1", optional_json(c.f1)}});
  }
  return classes;
}

// By part, then by metric, as `evaluate --json` has them.
Json metrics_json(const TableFitFacts& facts) {
  using Metric = TableFitFacts::Metric;
  struct Part {
    const char* name;
    std::optional<double> Metric::*member;
  };
  Json json = Json::object();
  for (const Part& part : {Part{"train", &Metric::training},
                           Part{"validation", &Metric::validation}, Part{"spread", &Metric::spread},
                           Part{"test", &Metric::test}, Part{"baseline", &Metric::baseline}}) {
    Json figures = Json::object();
    for (const Metric& metric : facts.metrics) {
      if (metric.*part.member) figures[metric.name] = optional_json(metric.*part.member);
    }
    const std::string_view name = part.name;
    if (!figures.empty() || name == "train" || name == "validation" || name == "baseline") {
      json[part.name] = figures;
    }
  }
  Json undefined = Json::object();
  for (const Metric& metric : facts.metrics) {
    if (!metric.undefined.empty()) undefined[metric.name] = metric.undefined;
  }
  if (!undefined.empty()) json["undefined"] = undefined;
  return json;
}

Json model_json(const TableFitFacts& facts) {
  Json settings = Json::object();
  for (const auto& s : facts.settings) {
    settings[s.name] = {{"value", s.value}, {"given", s.given}};
  }
  Json candidates = Json::array();
  for (const auto& c : facts.candidates) {
    Json json = {{"name", c.name},
                 {"about", c.about},
                 {"validation", figures_to_json(c.validation)},
                 {"seconds", c.seconds}};
    if (!c.failure.empty()) json["failure"] = c.failure;
    candidates.push_back(json);
  }
  return {{"family", facts.family}, {"description", facts.model}, {"parameters", facts.parameters},
          {"settings", settings},   {"candidates", candidates},   {"choice", facts.choice}};
}

Json history_json(const TableFitFacts& facts) {
  Json history = Json::array();
  for (const EpochRecord& epoch : facts.history) {
    history.push_back({{facts.step_noun, epoch.epoch},
                       {"step", epoch.step},
                       {"train", figures_to_json(epoch.train)},
                       {"validation", figures_to_json(epoch.validation)}});
  }
  return history;
}

}  // namespace

std::string facts_json(const TableFitFacts& facts) {
  Json bins = Json::array();
  for (const auto& bin : facts.calibration) {
    bins.push_back({{"predicted", bin.predicted}, {"observed", bin.observed}, {"rows", bin.rows}});
  }
  Json json = {{"schema", kJsonSchema},
               {"verb", "fit"},
               {"model", facts.folder},
               {"events", facts.events.empty() ? Json(nullptr) : Json(facts.events)},
               {"task", facts.task},
               {"labels", facts.labels},
               {"task_reason", facts.task_reason},
               {"message", facts.training_message},
               {"data", data_json(facts)},
               {"classes", classes_json(facts)},
               {"network", model_json(facts)},
               {"metrics", metrics_json(facts)},
               {"baseline", facts.baseline},
               {"confusion", facts.confusion},
               {"roc", curves_json(facts.roc)},
               {"precision_recall", curves_json(facts.precision_recall)},
               {"calibration", bins},
               {"top_columns", figures_to_json(facts.top_columns)},
               {"history", history_json(facts)},
               {"best_step", optional_json(facts.best_step)},
               {"seed", facts.seed},
               {"threads", facts.threads},
               {"environment", facts.environment},
               {"started", facts.started},
               {"seconds", facts.seconds},
               {"peak_memory", facts.peak_memory},
               {"command", facts.command}};
  return dump(json);
}

}  // namespace thalweg::cli
