// A model folder from the lock to the finished model: what a training finds there, where it writes,
// and what becomes of an older model. The same for training by steps and by solvers.
#pragma once

#include <optional>
#include <string>

#include "estimator/replacement.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg {

class FitFolder {
 public:
  /// Locks the folder (empty: there is none, and nothing is saved). Throws invalid_argument for
  /// options that contradict each other, already_exists, failed_precondition, data_loss for a
  /// folder that they do not allow to train in.
  FitFolder(const std::string& folder, const FitOptions& options);

  /// The training that is to go on, whose history and times `record` takes over; none when there is
  /// nothing to go on from. Throws failed_precondition naming what differs between the two.
  std::optional<ModelRecord> resume(ModelRecord& record);
  /// Prepares the place to write to; before the first step.
  void begin(const ModelRecord& record);

  /// Where model.json, checkpoints and events go; empty: nowhere.
  const std::string& place() const { return place_; }
  /// Where they will be moved to; empty: they stay.
  std::string moves_to() const { return replacement_ ? folder_ : std::string(); }

  /// A training that failed: what is recorded of it, and the error to throw.
  Error failed(ModelRecord& record, const Error& error);
  /// A training that ended: the record is written, and an older model replaced.
  void finish(const ModelRecord& record, FitReport& report);

 private:
  std::string folder_;
  const FitOptions& options_;
  std::optional<TrainingLock> lock_;
  std::optional<Replacement> replacement_;
  std::string place_;
};

/// Tells trainings apart whose checkpoints must not be mixed.
std::string fingerprint_of(const ModelRecord& record);

}  // namespace thalweg
