// What `thalweg show` says of files of other programs: SavedModels, graphs, checkpoints.
#pragma once

#include <optional>
#include <string>

#include "cli/common_options.h"

namespace thalweg::cli {

struct ShowFile {
  std::string path;
  std::optional<std::string> tensor;  // of a checkpoint: the one to print
  bool json = false;
};

/// Whether the path is one of them, by what is there, not by its name alone.
bool is_file_of_others(const std::string& path);
void show_file(const ShowFile& wanted, Console& console);
/// The tensor of a model's weights.
void show_model_tensor(const std::string& folder, const ShowFile& wanted, Console& console);

}  // namespace thalweg::cli
