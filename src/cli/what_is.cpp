#include "cli/what_is.h"

#include <algorithm>

#include "cli/paths.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/saved_model.h"

namespace thalweg::cli {
namespace {

constexpr size_t kMostNames = 5;
constexpr std::string_view kKeras =
    "a Keras model, which thalweg does not read; in TensorFlow, model.export(FOLDER) writes a "
    "SavedModel, which it does";

struct Kind {
  std::string_view magic;  // at `offset`; empty: told by the ending alone
  size_t offset;
  std::string_view ending;
  std::string_view what;
};

// The first that fits counts.
constexpr Kind kKinds[] = {
    {"\x89HDF", 0, "", kKeras},
    {"PK\x03\x04", 0, ".keras", kKeras},
    {"PK\x03\x04", 0, ".npz",
     "arrays of NumPy; thalweg run MODEL --input NAME=FILE:ARRAY takes one of them, and "
     "load_weights() of the library reads weights from it"},
    {"PK\x03\x04", 0, "",
     "a ZIP archive, such as PyTorch writes, and nothing that thalweg reads; SavedModels, frozen "
     "graphs and TensorFlow's checkpoints it does"},
    {"\x93NUMPY", 0, "", "an array of NumPy; thalweg run MODEL --input NAME=FILE takes it"},
    {"TFL3", 4, "",
     "a model of TensorFlow Lite, which thalweg does not read; give the SavedModel that it was "
     "made from"},
    {std::string_view("\0\0\x08", 3), 0, "",
     "data in MNIST's layout; fit, evaluate and predict take its folder"},
    {"\x1f\x8b", 0, "", "a gzip archive; unpack it, and show what is in it"},
    {"", 0, ".safetensors",
     "weights of safetensors, which load_weights() of the library reads; the model that they are "
     "of is not in it"},
    {"", 0, ".onnx",
     "an ONNX model, which thalweg does not read; give the SavedModel or the frozen graph of it"},
    {"", 0, ".csv", "a table; fit, evaluate and predict take it as DATA"},
    {"", 0, ".tsv", "a table; fit, evaluate and predict take it as DATA, with --delimiter tab"},
    {"", 0, ".json", "a JSON file, such as fit --model takes for a network"},
    {"", 0, ".tfrecord", "records of TensorFlow: data, and no model"},
};

std::string kind_of_file(const std::string& path) {
  char bytes[16] = {};
  const size_t size = ReadableFile(path).read(0, bytes, sizeof bytes);
  const std::string_view begin(bytes, size);
  if (base_name(path).starts_with("events.out.tfevents.")) {
    return str("curves for TensorBoard: tensorboard --logdir ", folder_name(path));
  }
  for (const Kind& kind : kKinds) {
    const bool fits = kind.magic.empty() || (begin.size() > kind.offset &&
                                             begin.substr(kind.offset).starts_with(kind.magic));
    if (fits && path.ends_with(kind.ending)) return std::string(kind.what);
  }
  return {};
}

std::string names_of(std::vector<std::string> names) {
  const size_t count = names.size();
  if (count > kMostNames) names.resize(kMostNames);
  return join(names, ", ") + (count > kMostNames ? str(" and ", count - kMostNames, " more") : "");
}

std::string kind_of_folder(const std::string& path) {
  const std::vector<std::string> names = list_folder(path);
  if (names.empty()) return "an empty folder";
  std::vector<std::string> checkpoints, models, graphs;
  bool has_events = false, has_images = false;
  for (const std::string& name : names) {
    const std::string inside = join_path(path, name);
    if (is_folder(inside)) {
      if (is_saved_model(inside) || is_model_folder(inside)) models.push_back(name);
    } else if (name.ends_with(".index")) {
      checkpoints.push_back(name.substr(0, name.size() - 6));
    } else if (name.ends_with(".pb") || name.ends_with(".pbtxt")) {
      graphs.push_back(name);
    }
    has_events = has_events || name.starts_with("events.out.tfevents.");
    has_images = has_images || name.find("-images-idx3-ubyte") != std::string::npos;
  }
  const auto holds = [&](std::string_view what, const std::vector<std::string>& found) {
    return str("a folder with ", what, " (", names_of(found), "); give one of them, such as ",
               join_path(path, found.back()));
  };
  if (!checkpoints.empty()) return holds("checkpoints", checkpoints);
  if (!models.empty()) return holds("models in it", models);
  if (!graphs.empty()) return holds("graphs", graphs);
  if (has_images) return "a folder of images in MNIST's layout: fit, evaluate and predict take it";
  if (has_events) return str("curves for TensorBoard: tensorboard --logdir ", path);
  return str("a folder that holds no ", kModelFile, ", no saved_model.pb and no checkpoint, but ",
             names_of(names));
}

}  // namespace

bool is_known_otherwise(const std::string& path) { return !kind_of_file(path).empty(); }

void refuse_to_show(const std::string& path) {
  if (!file_exists(path)) throw not_found("'", path, "': there is no such file or folder");
  const std::string kind = is_folder(path) ? kind_of_folder(path) : kind_of_file(path);
  throw invalid_argument("'", path, "' is no model: it is ",
                         kind.empty() ? "a file that thalweg does not know" : kind);
}

void check_is_model(const std::string& folder) {
  check_model_files(folder);
  if (!is_model_folder(folder)) {
    if (is_folder(folder) && is_saved_model(folder)) {
      throw invalid_argument("'", folder,
                             "' is a SavedModel, and this takes a model that fit has trained; "
                             "thalweg run calls a SavedModel");
    }
    refuse_to_show(folder);
  }
}

std::unique_ptr<Estimator> load_model(const std::string& folder) {
  check_is_model(folder);
  return Estimator::load(folder);
}

}  // namespace thalweg::cli
