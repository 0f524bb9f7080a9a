// thalweg evaluate MODEL DATA
#include <algorithm>
#include <numeric>
#include <ostream>

#include "cli/common_options.h"
#include "cli/data_source.h"
#include "cli/json.h"
#include "cli/predict_table.h"
#include "cli/requirement.h"
#include "cli/table_model_folder.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "cli/what_is.h"
#include "thalweg/base/error.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kSplits = {"test", "train"};

// For each class its rows, the share found, and what the others were most often taken for.
std::string class_table(const EvaluationReport& report, const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> rows = {{"class", "rows", "found", "else mostly"}};
  for (size_t i = 0; i < names.size(); ++i) {
    const std::vector<int64_t>& counts = report.confusion[i];
    int64_t total = report.not_finite[i];
    size_t wrong = i;
    for (size_t j = 0; j < counts.size(); ++j) {
      total += counts[j];
      if (j != i && counts[j] > (wrong == i ? 0 : counts[wrong])) wrong = j;
    }
    rows.push_back({names[i], grouped(total),
                    total == 0
                        ? "-"
                        : short_number(static_cast<double>(counts[i]) / static_cast<double>(total)),
                    wrong == i ? "-" : str(names[wrong], " (", counts[wrong], ")")});
  }
  return aligned(rows);
}

}  // namespace

int run_evaluate(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  std::string folder;
  DataOptions source;
  CommonOptions common;
  std::optional<std::string> split;
  std::vector<std::string> requirements;
  Options options(verb);
  options.word("MODEL", folder, "the folder of a model");
  source.declare_word(options);
  options.choice("split", kSplits, split, "files of a folder to use; default: test; one of");
  options.values("require", "M>=X", requirements,
                 "exit with 1 unless metric M is at least X; also <=, >, <");
  source.declare_format(options);
  common.declare(options);
  options.further();
  source.declare_further(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  common.apply(console);
  std::vector<Requirement> required;
  for (const std::string& text : requirements) required.push_back(parse_requirement(text));

  if (is_table_model(folder)) {
    if (split) throw_no_split(source.path);
    return evaluate_table(
        {.folder = folder, .source = source, .required = required, .json = common.json}, console);
  }
  const auto model = load_model(folder);
  const ModelRecord& record = model->record();
  const ModelData data = open_model_data(source, record, split, true, console);
  const EvaluationReport report = model->evaluate(data.features, data.labels);
  const std::vector<std::string> missed = cli::missed(required, report);
  const int64_t not_finite =
      std::accumulate(report.not_finite.begin(), report.not_finite.end(), int64_t{0});
  if (not_finite > 0) {
    console.warning(str("the predictions of ", counted(not_finite, "row"),
                        " are infinite or no numbers; they count as wrong"));
  }
  if (common.json) {
    Json json = {{"schema", kJsonSchema},
                 {"verb", "evaluate"},
                 {"model", folder},
                 {"data", source.path},
                 {"examples", report.examples},
                 {"metrics", figures_to_json(report.metrics)},
                 {"baseline", figures_to_json(report.baseline)}};
    if (not_finite > 0) json["not_finite"] = report.not_finite;
    if (!report.confusion.empty()) {
      json["classes"] = record.label.class_names;
      json["confusion"] = report.confusion;
    }
    json["missed"] = missed;
    json["seconds"] = report.seconds;
    console.out << dump(json);
  } else {
    console.out << figure_table({{"model", report.metrics}, {"baseline", report.baseline}});
    if (!report.confusion.empty()) {
      console.out << '\n' << class_table(report, record.label.class_names);
    }
    console.notice(str(
        counted(report.examples, "row"), " in ", duration(report.seconds), "; baseline: always ",
        record.kind == "classifier" ? "the commonest class" : "the mean", " of the training"));
  }
  if (missed.empty()) return kDone;
  throw failed_precondition("required, but missed: ", join(missed, ", "));
}

}  // namespace thalweg::cli
