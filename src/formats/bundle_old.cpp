#include "formats/bundle_old.h"

#include <string_view>

#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"

namespace thalweg {
namespace {

// V1 keeps all in one table, names and values; V2's tables end in ".index".
bool is_table(const std::string& path) {
  constexpr std::string_view kMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
  if (!file_exists(path) || path.ends_with(".index")) return false;
  const ReadableFile file(path);
  if (file.size() < kMagic.size()) return false;
  std::string end(kMagic.size(), '\0');
  file.read(file.size() - kMagic.size(), end.data(), end.size());
  return end == kMagic;
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
