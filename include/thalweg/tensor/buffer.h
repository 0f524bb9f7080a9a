// Memory of tensors: aligned for vector loads, kept for reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace thalweg {

/// Bytes that every buffer is aligned to: a cache line, and the widest vector.
inline constexpr size_t kAlignment = 64;

/// A block of memory; freed (or its owner released) with the last reference. Reading is
/// thread-safe, writing needs the only reference.
class Buffer {
 public:
  /// `size` uninitialised bytes. Large blocks come from a process-wide cache, since fresh pages
  /// cost more than the arithmetic on them. Throws resource_exhausted.
  static std::shared_ptr<Buffer> allocate(size_t size);
  /// Memory owned elsewhere; `release` runs with the last reference.
  static std::shared_ptr<Buffer> wrap(void* data, size_t size, std::function<void()> release);

  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  Buffer(void* data, size_t size, std::function<void()> release);
  void* data_;
  size_t size_;
  std::function<void()> release_;
};

/// Bytes held in the cache for reuse now.
size_t cached_bytes();

}  // namespace thalweg
