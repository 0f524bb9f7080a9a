#include "cli/paths.h"

#include <filesystem>

#include "cli/console.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::cli {

void check_data_path(const std::string& path) {
  if (path == "-") {
    throw UsageError("DATA - is stdin, which cannot be read yet; save the data in a file");
  }
  if (!file_exists(path)) throw not_found("'", path, "': there is no such file or folder");
  check_regular_file(path);
}

void check_regular_file(const std::string& path) {
  using std::filesystem::file_type;
  std::error_code unknown;
  const file_type type = std::filesystem::status(path, unknown).type();
  if (type == file_type::regular || type == file_type::directory || !file_exists(path)) return;
  throw invalid_argument("'", path, "' is a ",
                         type == file_type::fifo     ? "pipe"
                         : type == file_type::socket ? "socket"
                                                     : "device",
                         ", which cannot be read yet; save what it gives in a file");
}

void check_model_files(const std::string& folder) {
  if (!is_folder(folder)) return;
  for (const char* name : {"model.json", "saved_model.pb", "saved_model.pbtxt"}) {
    check_regular_file(join_path(folder, name));
  }
}

void check_out_folder(const std::string& path) {
  if (!file_exists(path) || is_folder(path)) return;
  throw UsageError(str("--out '", path,
                       "' is a file; give the name of a folder for the model (it is made when "
                       "missing)"));
}

void check_out_file(const std::string& path, const std::string& data_path) {
  if (is_folder(path)) {
    throw UsageError(str("--out '", path, "' is a folder; give the name of a file"));
  }
  std::error_code none;
  if (std::filesystem::equivalent(path, data_path, none)) {
    throw UsageError(str("--out '", path, "' is the data file itself; write to another file"));
  }
}

}  // namespace thalweg::cli
