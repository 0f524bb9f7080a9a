// The bytes of a file in order, unpacked on the way when it is gzip or zstd, never held whole: what
// is larger than memory goes through too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace thalweg::data {

/// Thread-compatible.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// The next `size` bytes into `out`; returns how many there were, fewer only at the end. Throws
  /// data_loss naming the file when it cannot be unpacked.
  virtual size_t read(void* out, size_t size) = 0;
};

/// A file that can be streamed again and again, or bytes that stand for one. Immutable,
/// thread-safe.
class StreamedFile {
 public:
  /// Errors: not_found, permission_denied, invalid_argument (a folder, a device, a pipe).
  explicit StreamedFile(const std::string& path);
  /// `name` is for messages.
  StreamedFile(std::string name, std::string bytes);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;

  const std::string& name() const { return name_; }
  /// As it lies there.
  uint64_t size() const;
  bool is_packed() const { return packing_ != Packing::kNone; }
  std::unique_ptr<ByteStream> open() const;
  /// Of the bytes as they lie there; reads them all.
  uint64_t fingerprint() const;
  /// Up to `size` unpacked bytes from the beginning.
  std::string head(size_t size) const;

 private:
  enum class Packing { kNone, kGzip, kZstd };
  struct Origin;

  void find_packing();

  std::string name_;
  std::shared_ptr<const Origin> origin_;
  Packing packing_ = Packing::kNone;
};

}  // namespace thalweg::data
