#include "cli/data_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "cli/options.h"
#include "cli/paths.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"
#include "thalweg/data/idx.h"
#include "thalweg/data/numeric_csv.h"

namespace thalweg::cli {
namespace {

const std::vector<std::string> kFashionNames = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                                                "Coat",        "Sandal",    "Shirt",    "Sneaker",
                                                "Bag",         "Ankle boot"};

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

bool is_number_text(const std::string& text) { return parse_number(text).has_value(); }
double number_of(const std::string& text) { return parse_number(text).value_or(0); }

// A whole number however it is written: 1, 1.0, 1e3.
bool is_whole_text(const std::string& text) {
  return is_number_text(text) && std::trunc(number_of(text)) == number_of(text);
}

/// Labels that are written in several ways (1 and 1.0) in the way of the first row that has them:
/// one number is one class. `names`: how classes that are known already are written.
void unify_numbers(std::vector<std::string>& labels, const std::vector<std::string>& names) {
  std::map<double, std::string> written;
  for (const auto* texts : {&names, &std::as_const(labels)}) {
    for (const std::string& text : *texts) {
      if (!is_whole_text(text) || std::abs(number_of(text)) > 0x1p53) continue;
      written.emplace(number_of(text), text);
    }
  }
  const std::set<std::string> known(names.begin(), names.end());
  for (std::string& label : labels) {
    if (known.contains(label) || !is_whole_text(label)) continue;
    const auto found = written.find(number_of(label));
    if (found != written.end()) label = found->second;
  }
}

data::CsvOptions csv_options(const DataOptions& source) {
  data::CsvOptions options{.header = !source.no_header};
  options.header_remedy = "give --no-header";
  options.delimiter_remedy = "set --delimiter";
  if (!source.delimiter) return options;
  const std::string& text = *source.delimiter;
  if (text == "tab" || text == "\\t") {
    options.delimiter = '\t';
  } else if (text.size() == 1) {
    options.delimiter = text[0];
  } else {
    throw UsageError(str("--delimiter takes one character, or tab; got '", text, "'"));
  }
  return options;
}

std::string strip_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool is_fashion_folder(const std::string& path) {
  std::string name = base_name(strip_slashes(path));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("fashion") != std::string::npos;
}

// Classes of images are the numbers 0, 1, ..., each of which needs its name.
void check_class_names(const std::vector<std::string>& names, const Tensor& labels,
                       const std::string& path) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw UsageError(str("--class-names: '", name, "' stands there twice; names must differ"));
    }
  }
  const auto values = labels.data<int64_t>();
  if (values.empty()) return;
  const auto [least, most] = std::ranges::minmax_element(values);
  const auto count = static_cast<int64_t>(names.size());
  if (*least < 0) {
    throw UsageError(
        str("--class-names is for labels 0, 1, ..., but '", path, "' has the label ", *least));
  }
  if (count == *most + 1) return;
  throw UsageError(str("--class-names gives ", counted(count, "name"), ", but the labels in '",
                       path, "' are 0 to ", *most, ": ", counted(*most + 1, "class", "classes")));
}

/// An idx file, perhaps packed, told by its first bytes.
bool is_idx_file(const std::string& path) {
  unsigned char magic[2] = {};
  if (ReadableFile(path).read(0, magic, 2) != 2) return false;
  return (magic[0] == 0 && magic[1] == 0) || (magic[0] == 0x1f && magic[1] == 0x8b);
}

TrainingData open_folder(const std::string& path, const TrainingRequest& request,
                         const ModelRecord* record, const Console& console) {
  if (request.label) throw UsageError("--label is for tables, but DATA is a folder of images");
  if (request.task == "regression") {
    throw UsageError("--task regression is for tables, but DATA is a folder of images");
  }
  TrainingData result{.data = data::read_idx_folder(path, data::Split::kTrain)};
  result.is_images = true;
  result.rows = result.data.size().value_or(0);
  if (record != nullptr) {
    result.class_names = record->label.class_names;
  } else if (request.class_names) {
    result.class_names = split(*request.class_names, ',');
    check_class_names(result.class_names, result.data.component(1), path);
  } else {
    const Tensor labels = result.data.component(1);
    const auto values = labels.data<int64_t>();
    const std::set<int64_t> distinct(values.begin(), values.end());
    result.classes = static_cast<int64_t>(distinct.size());
    const bool fits = distinct.size() == kFashionNames.size() && *distinct.begin() == 0 &&
                      *distinct.rbegin() == static_cast<int64_t>(kFashionNames.size()) - 1;
    if (fits && is_fashion_folder(path)) {
      result.class_names = kFashionNames;
      console.notice(
          str("classes 0 to 9 are given Fashion-MNIST's names, as the folder's name "
              "holds 'fashion'; --class-names changes that"));
    }
  }
  if (!result.class_names.empty()) {
    result.classes = static_cast<int64_t>(result.class_names.size());
  }
  return result;
}

void notice_ignored(const data::NumericTable& table, const ModelRecord& record,
                    const Console& console) {
  std::vector<std::string> ignored;
  for (const std::string& column : table.columns) {
    if (std::ranges::find(record.input.columns, column) == record.input.columns.end()) {
      ignored.push_back(column);
    }
  }
  if (!ignored.empty()) console.notice(str("columns not used: ", join(ignored, ", ")));
}

// To go on with a training of an older version.
TrainingData open_table(const DataOptions& source, const TrainingRequest& request,
                        const ModelRecord& record, const Console& console) {
  data::CsvOptions options = csv_options(source);
  options.label = request.label ? *request.label : record.label.column;
  data::NumericTable table = data::read_numeric_csv(source.path, options);
  notice_ignored(table, record, console);
  const Tensor features = data::select_columns(table, record.input.columns);
  TrainingData result{.data = Dataset::from_tensors({features, features})};
  result.is_classification = record.kind == "classifier";
  Tensor labels;
  if (result.is_classification) {
    unify_numbers(table.labels, record.label.class_names);
    result.class_names = record.label.class_names;
    result.classes = static_cast<int64_t>(result.class_names.size());
    labels = data::class_indices(table.labels, result.class_names);
  } else {
    labels = data::label_numbers(table.labels);
  }
  result.rows = features.dim(0);
  result.data = Dataset::from_tensors({features, labels});
  result.columns = record.input.columns;
  result.label = std::move(table.label_column);
  return result;
}

ModelData table_for_model(const DataOptions& source, const ModelRecord& record, bool needs_labels,
                          const Console& console) {
  if (record.input.columns.empty()) {
    throw invalid_argument("'", source.path, "': the model was trained on ", record.input.dtype,
                           record.input.shape,
                           " images, not on a table; give a folder in MNIST's "
                           "layout");
  }
  data::CsvOptions options = csv_options(source);
  options.label = record.label.column;
  options.label_optional = !needs_labels;
  data::NumericTable table = data::read_numeric_csv(source.path, options);
  notice_ignored(table, record, console);
  if (needs_labels && record.kind == "classifier") {
    unify_numbers(table.labels, record.label.class_names);
  }
  ModelData result;
  try {
    result.features = data::select_columns(table, record.input.columns);
    if (needs_labels) {
      result.labels = record.kind == "classifier"
                          ? data::class_indices(table.labels, record.label.class_names)
                          : data::label_numbers(table.labels);
    }
  } catch (Error& error) {
    error.add_context(source.path);
    throw;
  }
  return result;
}

ModelData images_for_model(const std::string& path, const ModelRecord& record,
                           const std::string& split) {
  if (!record.input.columns.empty()) {
    throw invalid_argument("'", path, "': holds images, but the model was trained on a table with ",
                           "the columns ", join(record.input.columns, ", "));
  }
  const Dataset data =
      data::read_idx_folder(path, split == "train" ? data::Split::kTrain : data::Split::kTest);
  ModelData result;
  result.features = data.component(0);
  result.labels = data.component(1);
  return result;
}

}  // namespace

TrainingData open_training_data(const DataOptions& source, const TrainingRequest& request,
                                const ModelRecord* record, const Console& console) {
  check_data_path(source.path);
  if (!is_folder(source.path)) return open_table(source, request, *record, console);
  source.check_is_for_images();
  return open_folder(source.path, request, record, console);
}

ModelData open_model_data(const DataOptions& source, const ModelRecord& record,
                          const std::optional<std::string>& split, bool needs_labels,
                          const Console& console) {
  check_data_path(source.path);
  if (is_folder(source.path)) {
    source.check_is_for_images();
    return images_for_model(source.path, record, split.value_or("test"));
  }
  if (split) throw_no_split(source.path);
  if (!needs_labels && record.input.columns.empty() && is_idx_file(source.path)) {
    source.check_is_for_images();
    return {.features = data::read_idx_tensor(source.path), .labels = {}};
  }
  return table_for_model(source, record, needs_labels, console);
}

ModelData open_test_data(const std::string& path, const TrainingData& training) {
  constexpr std::string_view kRemedy = "; mend the files t10k-..., or take them out of the folder";
  try {
    const Dataset data = data::read_idx_folder(path, data::Split::kTest);
    const data::Component wanted = training.data.spec()[0], found = data.spec()[0];
    if (found.dtype != wanted.dtype || !found.shape.is_compatible_with(wanted.shape)) {
      throw invalid_argument("'", path, "': its images are ", found.dtype, found.shape,
                             ", but those to train on are ", wanted.dtype, wanted.shape, kRemedy);
    }
    ModelData result{.features = data.component(0), .labels = data.component(1)};
    const Tensor labels = training.data.component(1);
    std::set<int64_t> known(labels.data<int64_t>().begin(), labels.data<int64_t>().end());
    for (size_t i = 0; i < training.class_names.size(); ++i) known.insert(static_cast<int64_t>(i));
    int64_t row = 0;
    for (const int64_t label : result.labels.data<int64_t>()) {
      ++row;
      if (known.contains(label)) continue;
      throw invalid_argument("'", path, "': row ", row, " has the label ", label,
                             ", which no row to train on has", kRemedy);
    }
    return result;
  } catch (Error& error) {
    error.add_context("the test set");
    throw;
  }
}

bool has_test_files(const std::string& path) {
  if (!is_folder(path)) return false;
  const auto is_test = [](const std::string& name) { return name.starts_with("t10k-"); };
  return std::ranges::count_if(list_folder(path), is_test) >= 2;
}

}  // namespace thalweg::cli
