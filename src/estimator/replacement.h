// A training that replaces the model of a folder: it keeps its files to itself until it is over, so
// that the old model can be used meanwhile, and stays when the new one fails.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace thalweg {

/// Below the model folder; there only while a training replaces the model, or after it was killed.
inline constexpr std::string_view kReplacementFolder = ".new";

/// The files of one such training. Given up, unless committed. Thread-compatible.
class Replacement {
 public:
  /// Makes an empty folder `model_folder`/.new. Throws failed_precondition when another process
  /// is at work there.
  explicit Replacement(std::string model_folder);
  ~Replacement();
  Replacement(const Replacement&) = delete;

  /// Where model.json, checkpoints and events are to be written. Checkpoints need names that are
  /// free in the model folder too (SavingOptions::moves_to).
  const std::string& folder() const;
  /// Moves all to the model folder, and removes the old model's files there (no others). A process
  /// killed amid this leaves a model.json whose weights are all there.
  void commit();

 private:
  friend bool take_over_replacement(const std::string& model_folder);
  struct State;
  explicit Replacement(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Whether `folder` holds files of a model.
bool holds_model_files(const std::string& folder);

}  // namespace thalweg
