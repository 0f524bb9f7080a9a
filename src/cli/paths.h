// Paths on the command line, looked at before anything is read or written there.
#pragma once

#include <string>

namespace thalweg::cli {

/// Throws unless DATA is a regular file or a folder; UsageError for `-`.
void check_data_path(const std::string& path);

/// Throws when a file to be read whole is a pipe, a device or a socket, which may never end.
void check_regular_file(const std::string& path);

/// The same for the files by which a folder is known for a model or a SavedModel.
void check_model_files(const std::string& folder);

/// Throws UsageError when the model folder `--out` is a file.
void check_out_folder(const std::string& path);

/// Throws UsageError when the file `--out` is a folder, or the data file itself.
void check_out_file(const std::string& path, const std::string& data_path);

}  // namespace thalweg::cli
