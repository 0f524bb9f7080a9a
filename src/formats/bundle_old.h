// Checkpoints of TensorFlow's format V1, which are told apart only to be refused by their name.
#pragma once

#include <string>

namespace thalweg {

/// The file of a V1 checkpoint that `prefix` names: itself, or its first shard. Empty: none.
std::string find_old_checkpoint(const std::string& prefix);

}  // namespace thalweg
