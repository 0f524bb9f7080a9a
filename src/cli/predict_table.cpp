// thalweg predict with a model of tables: piece by piece, so that the table may be larger than
// memory.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/json.h"
#include "cli/open_like.h"
#include "cli/predict_table.h"
#include "cli/table_model_folder.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"

namespace thalweg::cli {
namespace {

constexpr int64_t kRowsAtOnce = 8192;

std::string csv_cell(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trim(text) == text;
  if (plain) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// A line for each row, in order: its ids (else its number), then the label and the probability of
// each class, or the values.
class PredictionLines {
 public:
  PredictionLines(const HeadSpec& head, std::vector<std::string> ids)
      : ids_(std::move(ids)),
        label_(head.labels.size() == 1 ? head.labels[0] : std::string("labels")) {}

  std::string csv(const Table& table, const TablePredictions& predictions) {
    std::string text;
    const bool has_labels = !predictions.classes.empty();
    const int64_t width = predictions.values.dim(1);
    if (row_ == 0) text = csv_header(predictions);
    const auto values = predictions.values.data<float>();
    for (int64_t i = 0; i < table.rows(); ++i) {
      std::string line = ids_.empty() ? str(row_ + 1) : std::string();
      for (const std::string& id : ids_) {
        append(line,
               str(line.empty() && id == ids_[0] ? "" : ",", csv_cell(table.column(id).cell(i))));
      }
      if (has_labels) {
        append(line, str(",", csv_cell(predictions.labels[static_cast<size_t>(i)])));
      }
      for (int64_t k = 0; k < width; ++k) {
        append(line, str(",", values[static_cast<size_t>(i * width + k)]));
      }
      text += line + "\n";
      note_finite(values.subspan(static_cast<size_t>(i * width), static_cast<size_t>(width)));
    }
    return text;
  }

  std::string json_lines(const Table& table, const TablePredictions& predictions) {
    std::string text;
    const bool has_labels = !predictions.classes.empty();
    const auto names = has_labels ? predictions.classes : predictions.outputs;
    const auto values = predictions.values.data<float>();
    const size_t width = names.size();
    for (int64_t i = 0; i < table.rows(); ++i) {
      const auto row = values.subspan(static_cast<size_t>(i) * width, width);
      Json json = {{"schema", kJsonSchema}, {"row", row_ + 1}};
      for (const std::string& id : ids_) json["ids"][id] = table.column(id).cell(i);
      const auto number = [](float value) {
        return std::isfinite(value) ? Json(value) : Json(nullptr);
      };
      if (has_labels) {
        const std::string& label = predictions.labels[static_cast<size_t>(i)];
        const bool is_finite =
            std::ranges::all_of(row, [](float value) { return std::isfinite(value); });
        json["label"] = is_finite ? Json(label) : Json(nullptr);
        for (size_t k = 0; k < width; ++k) json["probabilities"][names[k]] = number(row[k]);
      } else if (width == 1) {
        json["value"] = number(row[0]);
      } else {
        for (size_t k = 0; k < width; ++k) json["values"][names[k]] = number(row[k]);
      }
      text += dump(json, -1);
      note_finite(row);
    }
    return text;
  }

  int64_t rows() const { return row_; }
  /// Of which the model says nothing that could be used, and the first of them, from 1.
  int64_t not_finite() const { return not_finite_; }
  int64_t first_not_finite() const { return first_not_finite_; }

 private:
  std::string csv_header(const TablePredictions& predictions) const {
    std::string text = ids_.empty() ? std::string("row") : std::string();
    for (const std::string& id : ids_) {
      append(text, str(id == ids_[0] ? "" : ",", csv_cell(id)));
    }
    if (!predictions.classes.empty()) {
      append(text, str(",", csv_cell(label_)));
      for (const std::string& name : predictions.classes) {
        append(text, str(",", csv_cell(str("p(", name, ")"))));
      }
    } else if (predictions.outputs.size() == 1) {
      append(text, str(",", csv_cell(label_)));
    } else {
      for (const std::string& name : predictions.outputs) append(text, str(",", csv_cell(name)));
    }
    return text + "\n";
  }

  void note_finite(std::span<const float> row) {
    ++row_;
    if (std::ranges::all_of(row, [](float value) { return std::isfinite(value); })) return;
    if (not_finite_++ == 0) first_not_finite_ = row_;
  }

  std::vector<std::string> ids_;
  std::string label_;
  int64_t row_ = 0, not_finite_ = 0, first_not_finite_ = 0;
};

// Columns of the table that the model does not look at, and why.
void notice_unused(const TableEstimator& model, const data::TableSource& table,
                   const std::vector<std::string>& ids, const Console& console) {
  const HeadSpec& head = model.head();
  std::vector<std::string> unused, labels;
  for (const data::ColumnInfo& column : table.columns()) {
    const auto& inputs = model.transform().inputs();
    if (std::ranges::find(inputs, column.name, &RawInput::column) != inputs.end()) continue;
    if (holds(ids, column.name)) continue;
    (holds(head.labels, column.name) ? labels : unused).push_back(column.name);
  }
  if (!labels.empty()) {
    console.notice(str(labels.size() == 1 ? "the label column " : "the label columns ",
                       join(labels, ", "), " of the data ", labels.size() == 1 ? "is" : "are",
                       " not looked at"));
  }
  if (!unused.empty()) console.notice(str("columns not used: ", join(unused, ", ")));
}

void add_counts(const Transform::Counts& more, Transform::Counts& sum) {
  for (const auto& [column, count] : more.unknown) sum.unknown[column] += count;
  for (const auto& [column, count] : more.missing) sum.missing[column] += count;
  for (const auto& [column, count] : more.cut) sum.cut[column] += count;
}

// Errors name the file, and after the first piece which rows the piece has.
TablePredictions predict_rows(const TableEstimator& model, const Table& rows,
                              const std::string& path, int64_t before) {
  try {
    return model.predict(rows);
  } catch (Error& error) {
    if (before > 0) error.add_context(str("after row ", before));
    error.add_context(path);
    throw;
  }
}

void notice_counts(const Transform::Counts& counts, const Console& console) {
  const auto say = [&](const std::map<std::string, int64_t>& by_column, std::string_view what) {
    for (const auto& [column, count] : by_column) {
      if (count > 0) {
        console.notice(str("column '", column, "': ", counted(count, "cell"), " ", what));
      }
    }
  };
  say(counts.unknown, "with a value never seen in training, which counts as unknown");
  say(counts.missing, "missing; they are treated as in training");
  say(counts.cut, "with more words than the model reads");
}

}  // namespace

int predict_table(PredictTableArguments a, Console& console) {
  const TableEstimator model = load_table_model(a.folder);
  a.source.inherit(a.folder);
  std::vector<std::string> wanted = a.ids ? *a.ids : id_columns(a.folder);
  const auto table = open_for_model(a.source, model, wanted);
  std::vector<std::string> ids;
  for (const std::string& id : wanted) {
    const auto& columns = table->columns();
    if (std::ranges::find(columns, id, &data::ColumnInfo::name) != columns.end()) {
      ids.push_back(id);
    } else {
      console.warning(str(a.source.path, ": there is no column '", id,
                          "', which was to be written beside the predictions"));
    }
  }
  notice_unused(model, *table, ids, console);

  const bool to_file = a.out && *a.out != "-";
  std::optional<AtomicFile> file;
  // Data stay as they are, but where they would move the cursor.
  const bool is_seen = console.is_process && isatty(STDOUT_FILENO) == 1;
  PredictionLines lines(model.head(), ids);
  Transform::Counts counts;
  const auto reader = table->open();
  while (const std::optional<Table> rows = reader->next(kRowsAtOnce)) {
    const TablePredictions predictions = predict_rows(model, *rows, a.source.path, lines.rows());
    add_counts(predictions.counts, counts);
    const std::string text =
        a.json ? lines.json_lines(*rows, predictions) : lines.csv(*rows, predictions);
    if (to_file) {
      if (!file) file.emplace(*a.out);
      file->append(text);
    } else {
      console.out << (is_seen ? printable_lines(text) : text);
    }
  }
  if (lines.rows() == 0) {
    throw invalid_argument(a.source.path, ": holds no rows to predict, only the names of columns");
  }
  if (file) file->commit();
  notice_counts(counts, console);
  if (lines.not_finite() > 0) {
    console.warning(str("the predictions of ", counted(lines.not_finite(), "row"),
                        " are infinite or no numbers, first of row ", lines.first_not_finite(),
                        "; look whether its features are far from those of the training"));
  }
  if (to_file) {
    console.notice(str("predictions of ", counted(lines.rows(), "row"), " are in ", *a.out));
  }
  return kDone;
}

}  // namespace thalweg::cli
