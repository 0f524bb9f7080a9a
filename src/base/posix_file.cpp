#include "base/posix_file.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "thalweg/base/file_fault.h"

namespace thalweg {
namespace {

constexpr int64_t kNeverFull = std::numeric_limits<int64_t>::max();
std::atomic<int64_t> g_bytes_until_full{kNeverFull};

// How much of a write of `size` bytes the disk has room for.
size_t take_room(size_t size) {
  int64_t room = g_bytes_until_full.load();
  for (;;) {
    if (room == kNeverFull) return size;
    const int64_t taken = std::min(room, static_cast<int64_t>(size));
    if (g_bytes_until_full.compare_exchange_weak(room, room - taken))
      return static_cast<size_t>(taken);
  }
}

Code code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return Code::kPermissionDenied;
    case EISDIR:
    case ENAMETOOLONG:
    case EINVAL:
    case ELOOP: return Code::kInvalidArgument;
    case EEXIST: return Code::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM: return Code::kResourceExhausted;
    default: return Code::kUnavailable;
  }
}

}  // namespace

ScopedDiskFull::ScopedDiskFull(uint64_t bytes) { g_bytes_until_full = static_cast<int64_t>(bytes); }
ScopedDiskFull::~ScopedDiskFull() { g_bytes_until_full = kNeverFull; }

Error system_error(std::string_view verb, const std::string& path, int error) {
  return Error(code_of(error), str("cannot ", verb, " '", path, "': ", std::strerror(error)));
}

void check_path(const std::string& path) {
  if (path.empty()) throw invalid_argument("file name is empty");
  if (path.find('\0') != path.npos) {
    throw invalid_argument("file name '", path.c_str(), "' has a zero byte in it");
  }
}

int open_retrying(const std::string& path, int flags) {
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EINTR) return fd;
  }
}

void sync_folder(const std::string& folder) {
  const Descriptor fd(open_retrying(folder, O_RDONLY | O_DIRECTORY));
  if (fd.get() < 0) return;  // a folder that may be written but not read cannot be synced
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
    throw system_error("sync folder", folder, errno);
  }
}

int write_all(int fd, const char* data, size_t size) {
  while (size > 0) {
    const size_t room = take_room(std::min(size, size_t{1} << 30));
    if (room == 0) return ENOSPC;
    const ssize_t written = ::write(fd, data, room);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return 0;
}

}  // namespace thalweg
