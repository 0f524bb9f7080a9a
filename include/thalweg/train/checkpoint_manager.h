// A folder of checkpoints of one training: the last few, and the best. tf.train.CheckpointManager.
//
// Each is a TensorFlow V2 bundle `ckpt-<step>`; the file `checkpoint` names the newest, as
// TensorFlow writes it, and `best` the best with its metric. A process killed at any moment leaves
// whole checkpoints and perhaps leftovers, which the next start removes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/base/clock.h"
#include "thalweg/graph/graph.h"
#include "thalweg/runtime/variable_store.h"

namespace thalweg {

/// Names of tensors in a checkpoint that are no variables start with this.
inline constexpr std::string_view kExtraPrefix = "_thalweg/";
inline constexpr std::string_view kBestCheckpointFile = "best";

struct CheckpointOptions {
  /// Newest checkpoints to keep, at least 1.
  int64_t keep_last = 5;
  /// Whether the one with the best metric stays as well.
  bool keep_best = true;
  bool higher_is_better = false;
  /// For whoever only restores: the folder is left as it is, leftovers of killed writers included.
  bool read_only = false;
  /// Names of new checkpoints are free in this folder too, as they will be moved there.
  std::string moves_to = {};
  /// For time stamps; null: the machine's clock. Must outlive the manager.
  const Clock* clock = nullptr;
};

struct CheckpointRecord {
  std::string prefix;  // with the folder
  int64_t step = 0;
  double timestamp = 0;  // seconds since 1970
};

struct BestCheckpoint {
  std::string prefix;  // with the folder
  int64_t step = 0;
  double metric = 0;
};

/// What a checkpoint holds beside variables, by name without kExtraPrefix: place in the data, ...
using CheckpointExtras = std::map<std::string, Tensor, std::less<>>;

struct RestoredCheckpoint {
  std::string prefix;  // with the folder
  CheckpointExtras extras;
};

/// Thread-compatible; one for a folder at a time.
class CheckpointManager {
 public:
  /// Makes the folder when missing, removes leftovers of killed writers, and finds what is there.
  explicit CheckpointManager(std::string folder, CheckpointOptions options = {});

  const std::string& folder() const { return folder_; }
  /// Oldest first.
  const std::vector<CheckpointRecord>& checkpoints() const { return records_; }
  /// Prefix of the newest; empty when there is none.
  std::string latest() const { return records_.empty() ? std::string() : records_.back().prefix; }
  const std::optional<BestCheckpoint>& best() const { return best_; }

  /// Writes `ckpt-<step>` (`ckpt-<step>-2` beside one of that step, which it replaces), then the
  /// records, then removes what is kept no longer (never the best, never the newest). Returns the
  /// prefix. A finite `metric` better than the best makes this the best. Throws resource_exhausted
  /// on a full disk; the older checkpoints are then as before.
  std::string save(const VariableStore& variables, int64_t step,
                   const CheckpointExtras& extras = {}, std::optional<double> metric = {});
  /// Gives the newest checkpoint its metric after it was saved. Throws failed_precondition when
  /// there is none.
  void set_metric(double metric);
  /// Whether `metric` would make a checkpoint the best.
  bool is_best(double metric) const;

  /// Gives every variable of `graph` its value from the checkpoint and returns the extras. On an
  /// error no variable has changed: invalid_argument naming the variable and both shapes or dtypes,
  /// or the variable that the checkpoint lacks; data_loss (or not_found for a missing file) naming
  /// the damaged file and the newest whole checkpoint to use instead.
  CheckpointExtras restore(const std::string& prefix, const Graph& graph,
                           VariableStore& variables) const;
  /// The newest whole checkpoint, with a warning for each damaged one passed over. `check` sees the
  /// extras, and may throw, before any variable changes. Throws data_loss when there are
  /// checkpoints but none is whole, not_found when there is none.
  RestoredCheckpoint restore_latest(
      const Graph& graph, VariableStore& variables,
      const std::function<void(const CheckpointExtras&)>& check = {}) const;
  /// Lets the next save() replace all checkpoints and records there are. Until then they stay on
  /// the disk as they are, though checkpoints() and best() know no more of them. Once that one is
  /// whole they do not come back, also when a kill leaves their files.
  void replace_with_next();

 private:
  void write_records(const std::vector<CheckpointRecord>& records) const;
  void remove_old();
  // The newest whole checkpoint other than `prefix`; empty when there is none.
  std::string whole_besides(const std::string& prefix) const;

  std::string folder_;
  CheckpointOptions options_;
  std::vector<CheckpointRecord> records_;
  std::vector<CheckpointRecord> replaced_;  // by the next save()
  std::optional<BestCheckpoint> best_;
};

}  // namespace thalweg
