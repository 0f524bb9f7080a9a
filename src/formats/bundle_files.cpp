#include "formats/bundle_files.h"

#include <string_view>

#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

std::string five_digits(int value) {
  const std::string digits = str(value);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

bool is_shard_of(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return false;
  name.remove_prefix(base.size());
  return name.starts_with(".data-") && name.find("-of-", 6) != name.npos;
}

}  // namespace

std::string index_path(const std::string& prefix) { return prefix + ".index"; }

std::string shard_path(const std::string& prefix, int shard, int num_shards) {
  return str(prefix, ".data-", five_digits(shard), "-of-", five_digits(num_shards));
}

bool checkpoint_exists(const std::string& prefix) { return file_exists(index_path(prefix)); }

bool remove_checkpoint(const std::string& prefix) {
  const bool removed = remove_file(index_path(prefix));
  const std::string folder = folder_name(prefix);
  const std::string base = base_name(prefix);
  for (const std::string& name : list_folder(folder)) {
    if (is_shard_of(name, base)) remove_file(join_path(folder, name));
  }
  return removed;
}

}  // namespace thalweg
