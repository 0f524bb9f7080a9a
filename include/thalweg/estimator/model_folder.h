// A model folder as trainings find it: whose files are there, and who may write.
//
// One training at a time works in a folder, goes only where nothing or a model of thalweg's is, and
// touches no file that is not the model's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace thalweg {

/// Below the model folder; there only while a training replaces the model, or after it was killed.
inline constexpr std::string_view kReplacementFolder = ".new";
/// In the model folder while a training works there.
inline constexpr std::string_view kLockFile = ".lock";

/// Holds a model folder for one training. The lock of a process that died holds nobody up. Where
/// the file system has no locks there are none. Thread-compatible.
class TrainingLock {
 public:
  /// Makes the folder when missing. Throws failed_precondition naming the process when another
  /// training, of this process too, has the folder; permission_denied where nothing can be written.
  explicit TrainingLock(std::string folder);
  /// Removes the folders that it made, unless there is something in them now.
  ~TrainingLock();
  TrainingLock(TrainingLock&&) noexcept;
  TrainingLock(const TrainingLock&) = delete;

  const std::string& folder() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws already_exists naming what is there unless a model may be saved in `folder`: it is
/// missing, holds nothing (names that begin with a dot do not count), or a model of thalweg's.
void check_free_for_model(const std::string& folder);

/// Whether `folder` holds a model.json but no weights, as its training ended before it saved any. A
/// next one may begin anew there.
bool is_untrained(const std::string& folder);

/// Whether a training that is to replace the model of `folder` has saved something: it is under way
/// or was killed.
bool holds_replacement(const std::string& folder);
/// A training that was to replace the model, and was killed before its end, is moved to its place,
/// to be gone on with. False when there is none that has saved anything; its folder is removed.
bool take_over_replacement(const TrainingLock& lock);

}  // namespace thalweg
