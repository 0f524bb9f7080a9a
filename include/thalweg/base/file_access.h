// Files that are read in pieces, and files that grow: checkpoints, record files, logs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace thalweg {

/// Reads any part of a file, without loading the rest. Thread-safe.
class ReadableFile {
 public:
  /// Errors: not_found, permission_denied, invalid_argument (a folder).
  explicit ReadableFile(std::string path);
  ~ReadableFile();
  ReadableFile(ReadableFile&&) noexcept;
  ReadableFile(const ReadableFile&) = delete;

  const std::string& path() const;
  /// Its size now; a file that is being written grows.
  uint64_t size() const;
  /// Copies up to `count` bytes from `offset` on; returns how many there were, fewer only at the
  /// end of the file.
  size_t read(uint64_t offset, void* out, size_t count) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A new file that readers may follow while it grows. Thread-compatible.
class AppendFile {
 public:
  /// Creates `path`. Errors: already_exists, not_found (the folder), permission_denied,
  /// resource_exhausted.
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(AppendFile&&) noexcept;
  AppendFile(const AppendFile&) = delete;

  const std::string& path() const;
  uint64_t size() const;
  /// Hands `bytes` to the system: they outlive this process, though not a loss of power. When that
  /// fails, what had been written of them is taken back as far as the system lets us, and the file
  /// is as before.
  void append(std::string_view bytes);
  /// Waits until all is on the disk.
  void sync();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
