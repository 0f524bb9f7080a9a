// Names of the files of a checkpoint.
#pragma once

#include <string>

namespace thalweg {

/// "<prefix>.index".
std::string index_path(const std::string& prefix);
/// "<prefix>.data-00000-of-00001".
std::string shard_path(const std::string& prefix, int shard, int num_shards);

}  // namespace thalweg
