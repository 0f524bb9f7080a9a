// Whose files a folder holds.
#include "thalweg/estimator/model_folder.h"

#include "estimator/json_text.h"
#include "estimator/model_files.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/train/checkpoint_manager.h"

namespace thalweg {
namespace {

constexpr size_t kMostNames = 5;

// Other programs write files of that name too.
bool has_our_record(const std::string& folder) {
  const std::string path = join_path(folder, kModelFile);
  if (!file_exists(path)) return false;
  try {
    const Json json = parse_json(read_file(path));
    return json.is_object() && json.contains("format") && json["format"] == kModelFormatName;
  } catch (const Error&) {
    return false;
  }
}

// Of a model whose model.json is lost or damaged. Checkpoints have the names that TensorFlow gives
// them, but what ours hold beside variables nobody else writes.
bool has_our_checkpoint(const std::string& folder) {
  constexpr std::string_view kIndex = ".index";
  for (const std::string& file : model_files(folder)) {
    if (!is_checkpoint_file(file) || !file.ends_with(kIndex)) continue;
    try {
      const BundleReader reader(join_path(folder, file.substr(0, file.size() - kIndex.size())));
      for (const std::string& name : reader.names()) {
        if (name.starts_with(kExtraPrefix)) return true;
      }
    } catch (const Error&) {
      continue;  // damaged: another one may tell
    }
  }
  return false;
}

}  // namespace

void check_free_for_model(const std::string& folder) {
  std::vector<std::string> names = list_folder(folder);
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  if (names.empty() || has_our_record(folder) || has_our_checkpoint(folder)) return;
  const size_t count = names.size();
  if (count > kMostNames) names.resize(kMostNames);
  throw already_exists("'", folder, "' is no model, but holds other things (", join(names, ", "),
                       count > kMostNames ? str(" and ", count - kMostNames, " more") : "",
                       "), which a training must not touch; choose another folder for the model");
}

bool is_untrained(const std::string& folder) {
  if (!has_our_record(folder)) return false;
  try {
    return read_model_record(folder).weights.empty() &&
           CheckpointManager(folder, {.read_only = true}).latest().empty();
  } catch (const Error&) {
    return false;  // damaged: who asks for the model is told how
  }
}

bool holds_replacement(const std::string& folder) {
  const std::string place = join_path(folder, kReplacementFolder);
  return is_model_folder(place) && latest_checkpoint(place);
}

}  // namespace thalweg
