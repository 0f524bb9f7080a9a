// Folders of several files that are never seen half written, such as an exported model.
#pragma once

#include <memory>
#include <string>

namespace thalweg {

/// A new folder under a temporary name, which commit() renames to `path`. Without commit() the
/// destructor removes it with all in it. Leftovers of killed writers of the same `path` are removed
/// first, missing parents are made. Thread-compatible.
class AtomicFolder {
 public:
  /// Throws already_exists when `path` is there, invalid_argument when it names nothing. A
  /// separator at its end changes nothing.
  explicit AtomicFolder(std::string path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where the files go until then.
  const std::string& temporary() const;
  /// Renames the folder and syncs the one that holds it. Throws already_exists when somebody else
  /// was faster.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
