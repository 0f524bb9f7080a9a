// The system calls that the file classes share, with errors as thalweg::Error. Private to base.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

#include "thalweg/base/error.h"

namespace thalweg {

/// "cannot <verb> '<path>': <reason>" with the code that fits `error`, an errno value.
Error system_error(std::string_view verb, const std::string& path, int error);

/// Throws invalid_argument for a name that no file can have.
void check_path(const std::string& path);

/// Owns a file descriptor; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

/// open(2), again after a signal; -1 with errno set on errors.
int open_retrying(const std::string& path, int flags);

/// Brings the names in a folder to the disk.
void sync_folder(const std::string& folder);

/// Writes all of it, unless the disk is full or ScopedDiskFull says so; an errno value, 0 when
/// done.
int write_all(int fd, const char* data, size_t size);

}  // namespace thalweg
