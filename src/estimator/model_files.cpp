#include "estimator/model_files.h"

#include <algorithm>
#include <filesystem>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/train/checkpoint_manager.h"

namespace thalweg {
namespace {

constexpr std::string_view kCheckpointPrefix = "ckpt-";
constexpr std::string_view kEventFiles = "events.out.tfevents.";

bool is_model_file(std::string_view name) {
  return name == kModelFile || name == kCheckpointStateFile || name == kBestCheckpointFile ||
         name == kEventsFolder || is_checkpoint_file(name);
}

}  // namespace

bool is_checkpoint_file(std::string_view name) {
  if (!name.starts_with(kCheckpointPrefix)) return false;
  name.remove_prefix(kCheckpointPrefix.size());
  const size_t dot = name.find('.');
  if (dot == 0 || dot == name.npos) return false;
  const bool is_number = std::ranges::all_of(
      name.substr(0, dot), [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
  return is_number && (name.substr(dot) == ".index" || name.substr(dot).starts_with(".data-"));
}

std::vector<std::string> model_files(const std::string& folder) {
  std::vector<std::string> files = list_folder(folder);
  std::erase_if(files, [](const std::string& name) { return !is_model_file(name); });
  return files;
}

void remove_tree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) throw unavailable("cannot remove '", path, "': ", error.message());
}

void remove_events(const std::string& model_folder) {
  const std::string events = join_path(model_folder, kEventsFolder);
  std::error_code not_empty;
  for (const char* part : {"train", "validation", "weights"}) {
    const std::string folder = join_path(events, part);
    if (!is_folder(folder)) continue;
    for (const std::string& name : list_folder(folder)) {
      if (name.starts_with(kEventFiles)) remove_file(join_path(folder, name));
    }
    std::filesystem::remove(folder, not_empty);
  }
  std::filesystem::remove(events, not_empty);
}

}  // namespace thalweg
