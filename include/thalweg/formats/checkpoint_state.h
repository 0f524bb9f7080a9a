// The text file `checkpoint` in a folder of checkpoints: which one is the newest, and which are
// kept. TensorFlow's CheckpointState.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

inline constexpr std::string_view kCheckpointStateFile = "checkpoint";

/// Prefixes are relative to the folder, or absolute.
struct CheckpointState {
  std::string latest;              // empty: none yet
  std::vector<std::string> all;    // oldest first
  std::vector<double> timestamps;  // seconds since 1970, one for each of `all`, or none
  double last_preserved_timestamp = 0;
};

/// Replaces `folder`/checkpoint in one step.
void write_checkpoint_state(const std::string& folder, const CheckpointState& state);

/// Empty when there is no such file. Throws data_loss naming the file and line when it cannot be
/// understood.
std::optional<CheckpointState> read_checkpoint_state(const std::string& folder);

/// The prefix (with the folder) of the newest checkpoint that exists: the one named latest, else
/// the last of `all`.
std::optional<std::string> latest_checkpoint(const std::string& folder);

}  // namespace thalweg
