// Which files of a model folder are the model's, told from others' by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// "ckpt-12.index", "ckpt-12-2.data-00000-of-00001".
bool is_checkpoint_file(std::string_view name);
/// Names in `folder` that are files of a model, or its folder of events; sorted.
std::vector<std::string> model_files(const std::string& folder);

/// Removes a file, or a folder with all in it; nothing when it is not there.
void remove_tree(const std::string& path);
/// Removes the curves of a model, but nothing else that lies beside them.
void remove_events(const std::string& model_folder);

}  // namespace thalweg
