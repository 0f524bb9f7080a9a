#include "formats/bundle_old.h"

#include <string_view>

#include "formats/table.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"

namespace thalweg {
namespace {

// V1 keeps all in one table, names and values; V2's tables end in ".index".
bool is_table(const std::string& path) {
  if (!file_exists(path) || path.ends_with(".index")) return false;
  const ReadableFile file(path);
  if (file.size() < kTableMagic.size()) return false;
  std::string end(kTableMagic.size(), '\0');
  file.read(file.size() - kTableMagic.size(), end.data(), end.size());
  return end == kTableMagic;
}

}  // namespace

std::string find_old_checkpoint(const std::string& prefix) {
  if (is_table(prefix)) return prefix;
  const std::string stem = std::string(base_name(prefix)) + "-00000-of-";
  for (const std::string& name : list_folder(folder_name(prefix))) {
    const std::string path = join_path(folder_name(prefix), name);
    if (name.starts_with(stem) && is_table(path)) return path;
  }
  return {};
}

}  // namespace thalweg
