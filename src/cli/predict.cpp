// thalweg predict MODEL DATA
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/common_options.h"
#include "cli/data_source.h"
#include "cli/image_text.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/paths.h"
#include "cli/predict_table.h"
#include "cli/table_model_folder.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "cli/what_is.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kSplits = {"test", "train"};

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

size_t best_of(std::span<const float> row) {
  return static_cast<size_t>(std::ranges::max_element(row) - row.begin());
}

// A line for each row, in order: the label and the probability of each class, or the value.
class PredictionWriter {
 public:
  PredictionWriter(const ModelRecord& record, const Tensor& values)
      : names_(record.label.class_names),
        label_(record.label.column.empty() ? "label" : record.label.column),
        values_(values.data<float>()),
        rows_(static_cast<size_t>(values.dim(0))) {}

  std::string csv() const {
    std::string text = str("row,", csv_cell(label_));
    for (const std::string& name : names_) append(text, str(",", csv_cell(str("p(", name, ")"))));
    text += '\n';
    for (size_t i = 0; i < rows_; ++i) {
      append(text, str(i + 1, ","));
      if (names_.empty()) {
        append(text, values_[i]);
      } else {
        append(text, csv_cell(label_of(i)));
        for (const float p : row(i)) append(text, str(",", p));
      }
      text += '\n';
    }
    return text;
  }

  std::string json_lines() const {
    std::string text;
    for (size_t i = 0; i < rows_; ++i) {
      Json json = {{"schema", kJsonSchema}, {"row", i + 1}};
      if (names_.empty()) {
        json["value"] = values_[i];
      } else {
        json["label"] = is_finite(i) ? Json(label_of(i)) : Json(nullptr);
        for (size_t k = 0; k < names_.size(); ++k) json["probabilities"][names_[k]] = row(i)[k];
      }
      text += dump(json, -1);
    }
    return text;
  }

  std::span<const float> row(size_t i) const {
    const size_t width = std::max<size_t>(names_.size(), 1);
    return values_.subspan(i * width, width);
  }

  /// Rows of which the model says nothing that could be used, and the first of them, from 0.
  struct NotFinite {
    size_t count = 0;
    size_t first = 0;
  };
  NotFinite not_finite() const {
    NotFinite result;
    for (size_t i = rows_; i-- > 0;) {
      if (!is_finite(i)) result = {.count = result.count + 1, .first = i};
    }
    return result;
  }

  bool is_finite(size_t i) const {
    return std::ranges::all_of(row(i), [](float value) { return std::isfinite(value); });
  }

 private:
  // None is better than a wrong one.
  std::string label_of(size_t i) const {
    return is_finite(i) ? names_[best_of(row(i))] : std::string();
  }

  const std::vector<std::string>& names_;
  std::string label_;
  std::span<const float> values_;
  size_t rows_;
};

// The name of row `i`'s label; of one that no class has, the label itself.
std::string label_name(const LabelSpec& spec, const Tensor& labels, int64_t i) {
  const auto value = static_cast<int64_t>(labels.at(i));
  const bool is_place =
      !spec.by_name && value >= 0 && value < static_cast<int64_t>(spec.class_names.size());
  return is_place ? spec.class_names[static_cast<size_t>(value)] : str(value);
}

// Images side by side, as many as fit, each with what it is taken for and what it is.
std::string gallery(const ModelRecord& record, const ModelData& data, const Tensor& values,
                    bool shades, int width) {
  const PredictionWriter writer(record, values);
  const std::vector<std::string>& names = record.label.class_names;
  const int64_t columns = record.input.shape.dim(1);
  const int64_t across = std::max<int64_t>(1, (width + 2) / (columns + 2));
  const int64_t rows = values.dim(0);
  std::string text;
  for (int64_t first = 0; first < rows; first += across) {
    std::vector<std::string> lines;
    for (int64_t i = first; i < std::min(rows, first + across); ++i) {
      std::vector<std::string> cell =
          image_lines(data.features.rows(i, i + 1).reshape(record.input.shape), shades);
      const auto row = writer.row(static_cast<size_t>(i));
      const bool is_said = writer.is_finite(static_cast<size_t>(i));
      const size_t best = best_of(row);
      const auto place = static_cast<size_t>(columns);
      const std::string said = is_said ? str(printable(names[best]), ", ",
                                             static_cast<int64_t>(row[best] * 100 + 0.5f), " %")
                                       : "undefined";
      cell.push_back(fitted(str(i + 1, ": ", said), place));
      std::string truth;
      if (data.labels.is_valid()) {
        const std::string label = label_name(record.label, data.labels, i);
        truth = str("is ", printable(label), is_said && label == names[best] ? "" : " (wrong)");
      }
      cell.push_back(fitted(truth, place));
      lines.resize(std::max(lines.size(), cell.size()));
      for (size_t k = 0; k < cell.size(); ++k) {
        lines[k] += (i == first ? "" : "  ") + cell[k];
      }
    }
    for (std::string& line : lines) {
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    text += '\n';
  }
  return text;
}

void check_show(const ModelRecord& record, int64_t count) {
  if (count < 1) throw UsageError(str("--show takes a number of images, got ", count));
  if (record.kind != "classifier" || record.input.shape.rank() < 2) {
    throw UsageError("--show draws images, but the model was not trained on any");
  }
}

}  // namespace

int run_predict(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  std::string folder;
  DataOptions source;
  CommonOptions common;
  std::optional<std::string> split, out, ids;
  std::optional<int64_t> show;
  Options options(verb);
  options.word("MODEL", folder, "the folder of a model");
  source.declare_word(options);
  options.choice("split", kSplits, split, "files of a folder to use; default: test; one of");
  options.value("out", "FILE", out, "writes there instead of to stdout; - is stdout");
  options.value("show", "N", show, "draws the first N images instead, beside their labels");
  options.names("ids", "A,B,..", ids,
                "columns written beside predictions (default: those of fit --ids)");
  source.declare_format(options);
  common.declare(options);
  options.further();
  source.declare_further(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  if (show && common.json) {
    throw UsageError("--show draws images for people and has no --json form; leave one out");
  }
  common.apply(console);
  if (out) check_out_file(*out, source.path);
  if (is_table_model(folder)) {
    if (split) throw_no_split(source.path);
    if (show) throw UsageError("--show draws images, but the model was not trained on any");
    PredictTableArguments table{
        .folder = folder, .source = source, .out = out, .json = common.json};
    if (ids) table.ids = parse_names("ids", *ids);
    return predict_table(std::move(table), console);
  }
  if (ids) throw UsageError("--ids is for tables, and the model was trained on images");
  const auto model = load_model(folder);
  const ModelRecord& record = model->record();
  if (show) check_show(record, *show);
  ModelData data = open_model_data(source, record, split, false, console);
  record.input.check(data.features);
  std::string text;
  if (show) {
    data.features = data.features.rows(0, std::min(*show, data.features.dim(0)));
    const bool shades = console.color_allowed(common.when_color()) && locale_is_utf8();
    text = gallery(record, data, model->predict_values(data.features), shades, console.width());
  } else {
    const Tensor values = model->predict_values(data.features);
    const PredictionWriter writer(record, values);
    if (const auto bad = writer.not_finite(); bad.count > 0) {
      console.warning(str("the predictions of ", counted(static_cast<int64_t>(bad.count), "row"),
                          " are infinite or no numbers, first of row ", bad.first + 1,
                          "; look whether its features are far from those of the training"));
    }
    text = common.json ? writer.json_lines() : writer.csv();
  }
  if (!out || *out == "-") {
    // Data stay as they are, but where they would move the cursor.
    const bool is_seen = !show && console.is_process && isatty(STDOUT_FILENO) == 1;
    console.out << (is_seen ? printable_lines(text) : text);
  } else {
    write_file(*out, text);
    console.notice(str("predictions of ", counted(data.features.dim(0), "row"), " are in ", *out));
  }
  return kDone;
}

}  // namespace thalweg::cli
