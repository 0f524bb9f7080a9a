// A disk that fills up on demand, so that tests can show what a failed write leaves behind.
#pragma once

#include <cstdint>

namespace thalweg {

/// While it lives, writes through thalweg/base/file.h fail as on a full disk once `bytes` more
/// bytes have been written by this process. For tests only; one at a time.
class ScopedDiskFull {
 public:
  explicit ScopedDiskFull(uint64_t bytes);
  ~ScopedDiskFull();
  ScopedDiskFull(const ScopedDiskFull&) = delete;
};

}  // namespace thalweg
