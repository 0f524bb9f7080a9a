// ZIP archives as far as .npz files need them: members stored or deflated, also beyond 4 GiB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/base/file_access.h"

namespace thalweg {

struct ZipMember {
  std::string name;
  uint64_t offset = 0;  // of its local header
  uint64_t stored_size = 0;
  uint64_t size = 0;
  uint32_t checksum = 0;  // CRC-32
  uint16_t method = 0;    // 0 stored, 8 deflated
  bool is_encrypted = false;
};

/// Thread-safe.
class ZipReader {
 public:
  /// Reads the directory at the end. Errors: as ReadableFile; data_loss for what is no archive.
  explicit ZipReader(std::string path);

  const std::string& path() const { return file_.path(); }
  const std::vector<ZipMember>& members() const { return members_; }
  /// The member's bytes, checksum verified. Throws data_loss, and unimplemented for encryption and
  /// other methods.
  std::string read(const ZipMember& member) const;

 private:
  std::string take(uint64_t offset, uint64_t count, std::string_view what) const;

  ReadableFile file_;
  std::vector<ZipMember> members_;
};

/// Appends a stored member to `archive`, and its directory entry to `directory`.
class ZipWriter {
 public:
  void add(std::string_view name, std::string_view bytes);
  /// The whole archive.
  std::string finish();

 private:
  std::string archive_;
  std::string directory_;
  uint64_t count_ = 0;
};

}  // namespace thalweg
