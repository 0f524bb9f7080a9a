#include "thalweg/formats/checkpoint_state.h"

#include "formats/message.h"
#include "proto/checkpoint_state.pb.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {

void write_checkpoint_state(const std::string& folder, const CheckpointState& state) {
  tensorflow::CheckpointState proto;
  proto.set_model_checkpoint_path(state.latest);
  for (const std::string& prefix : state.all) proto.add_all_model_checkpoint_paths(prefix);
  for (double time : state.timestamps) proto.add_all_model_checkpoint_timestamps(time);
  proto.set_last_preserved_timestamp(state.last_preserved_timestamp);
  write_file(join_path(folder, kCheckpointStateFile), encode_message_text(proto));
}

std::optional<CheckpointState> read_checkpoint_state(const std::string& folder) {
  const std::string path = join_path(folder, kCheckpointStateFile);
  if (!file_exists(path)) return std::nullopt;
  tensorflow::CheckpointState proto;
  const std::string text = read_file(path);
  try {
    parse_message_text(text, str("checkpoint state '", path, "'"), proto);
  } catch (const Error& error) {
    throw data_loss(error.message(), "; remove it, or name a checkpoint by its prefix");
  }
  CheckpointState state;
  state.latest = proto.model_checkpoint_path();
  state.all.assign(proto.all_model_checkpoint_paths().begin(),
                   proto.all_model_checkpoint_paths().end());
  state.timestamps.assign(proto.all_model_checkpoint_timestamps().begin(),
                          proto.all_model_checkpoint_timestamps().end());
  state.last_preserved_timestamp = proto.last_preserved_timestamp();
  return state;
}

std::optional<std::string> latest_checkpoint(const std::string& folder) {
  const std::optional<CheckpointState> state = read_checkpoint_state(folder);
  if (!state) return std::nullopt;
  const auto existing = [&](const std::string& prefix) -> std::optional<std::string> {
    const std::string path = join_path(folder, prefix);
    if (prefix.empty() || !checkpoint_exists(path)) return std::nullopt;
    return path;
  };
  if (auto path = existing(state->latest)) return path;
  for (auto it = state->all.rbegin(); it != state->all.rend(); ++it) {
    if (auto path = existing(*it)) return path;
  }
  return std::nullopt;
}

}  // namespace thalweg
