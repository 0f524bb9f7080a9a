// What is in a folder of checkpoints: names of bundles, leftovers, the record of the best one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thalweg/train/checkpoint_manager.h"

namespace thalweg::train {

/// "ckpt-40", or "ckpt-40-2" for a second one of a step.
struct CheckpointName {
  int64_t step = 0;
  int64_t revision = 1;

  std::string to_string() const;
  /// Empty when `name` is none.
  static std::optional<CheckpointName> parse(std::string_view name);
  friend auto operator<=>(const CheckpointName&, const CheckpointName&) = default;
};

/// Says in the state file, in one step, that the training of `old` is over and that `first` begins
/// another one: it names the latest, but not among all. The functions below then know no more of
/// the old ones, though their files may still be there.
void mark_replaced(const std::string& folder, const std::vector<CheckpointRecord>& old,
                   const CheckpointRecord& first);

/// All checkpoints with an index, oldest first, as the state file orders them; `now` is the time of
/// those that it does not name.
std::vector<CheckpointRecord> list_checkpoints(const std::string& folder, double now);

/// Removes temporary files of writers that are gone, data files without an index, and what
/// mark_replaced() has told to be over.
void remove_leftovers(const std::string& folder);

/// The file `best`: prefix, step and metric. Empty when there is none, when it cannot be understood
/// (with a warning) and when its checkpoint is gone.
std::optional<BestCheckpoint> read_best(const std::string& folder);
void write_best(const std::string& folder, const BestCheckpoint& best);

}  // namespace thalweg::train
