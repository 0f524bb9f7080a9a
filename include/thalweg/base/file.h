// Files as training jobs need them: whole reads, and writes that are never seen half done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// The bytes of `path`. Errors: not_found, permission_denied, invalid_argument (a folder),
/// unavailable (read failed).
std::string read_file(const std::string& path);

/// Replaces `path` (what a symbolic link leads to) by `bytes` in one step: temporary name in the
/// same folder, fsync, rename, fsync of the folder. The old file stays on any error but that of the
/// last step, and the temporary one is removed. A full disk is resource_exhausted.
void write_file(const std::string& path, std::string_view bytes);

/// The same for content written piece by piece. Without commit() the destructor removes the
/// temporary file. After a failed write it can only be destroyed. Thread-compatible.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile(const AtomicFile&) = delete;

  void append(std::string_view bytes);
  void append(const void* data, size_t size);
  uint64_t size() const;
  /// Writes and syncs all, but under the temporary name; commit() then only renames. For several
  /// files that must appear together.
  void finish();
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Suffix-bearing names that AtomicFile uses start with this; leftovers of a killed process can be
/// found and removed.
inline constexpr std::string_view kTemporaryPrefix = ".tmp-";
/// Removes leftovers of killed writers from `folder`, but no file that a living writer, here or in
/// another process, still works on; returns how many.
int remove_temporaries(const std::string& folder);

bool file_exists(const std::string& path);
bool is_folder(const std::string& path);
/// Makes `path` and its missing parents.
void make_folders(const std::string& path);
/// Names (not paths) in `folder`, sorted; empty when it does not exist.
std::vector<std::string> list_folder(const std::string& folder);
/// Removes one file; false when it was not there.
bool remove_file(const std::string& path);
/// `folder`/`name` with exactly one separator; `name` alone when absolute or folder is empty.
std::string join_path(std::string_view folder, std::string_view name);
/// The part after the last separator, and the part before it ("." when there is none).
std::string base_name(std::string_view path);
std::string folder_name(std::string_view path);

}  // namespace thalweg
