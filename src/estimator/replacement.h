// A training that replaces the model of a folder: it keeps its files to itself until it is over, so
// that the old model can be used meanwhile, and stays when the new one fails.
#pragma once

#include <memory>
#include <string>

#include "thalweg/estimator/model_folder.h"

namespace thalweg {

/// The files of one such training. Given up, unless committed or kept. Thread-compatible.
class Replacement {
 public:
  /// Makes an empty folder `.new` in the model folder, of which the lock is held meanwhile.
  /// discard_replacement() comes before.
  explicit Replacement(const TrainingLock& lock);
  ~Replacement();
  Replacement(const Replacement&) = delete;

  /// Where model.json, checkpoints and events are to be written. Checkpoints need names that are
  /// free in the model folder too (SavingOptions::moves_to).
  const std::string& folder() const;
  /// Moves all to the model folder, and removes the old model's files there (no others). A process
  /// killed amid this leaves a model.json whose weights are all there; the functions below then do
  /// the rest.
  void commit();
  /// Leaves all where it is, for take_over_replacement().
  void keep();

 private:
  friend bool take_over_replacement(const TrainingLock& lock);
  struct State;
  explicit Replacement(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Removes what a killed one left, with a warning when it had saved something.
void discard_replacement(const TrainingLock& lock);

}  // namespace thalweg
