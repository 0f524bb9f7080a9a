// The lock is flock's on a file in the folder: the system lets it go when its process ends, however
// that ends. The file holds the process id, which is for people only.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/model_folder.h"

namespace thalweg {
namespace {

Error cannot_lock(const std::string& folder, int error) {
  const bool is_forbidden = error == EACCES || error == EPERM || error == EROFS;
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return Error(is_forbidden ? Code::kPermissionDenied
               : is_full    ? Code::kResourceExhausted
                            : Code::kUnavailable,
               str("cannot write in the model folder '", folder, "': ", std::strerror(error)));
}

// Of `folder` and its parents, those that are missing, from the innermost.
std::vector<std::string> missing_folders(std::string folder) {
  std::vector<std::string> missing;
  while (!folder.empty() && !file_exists(folder)) {
    missing.push_back(folder);
    const std::string parent = folder_name(folder);
    if (parent == folder) break;
    folder = parent;
  }
  return missing;
}

}  // namespace

struct TrainingLock::State {
  std::string folder;
  std::string path;
  std::vector<std::string> made;  // folders, from the innermost
  int fd = -1;

  void take() {
    for (;;) {
      fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (fd < 0) throw cannot_lock(folder, errno);
      if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) throw taken();
      struct stat held {};
      if (::fstat(fd, &held) != 0 || held.st_nlink > 0) break;
      ::close(fd);  // removed by whoever had the lock, between the two calls above
      fd = -1;
    }
    const std::string id = str(::getpid(), "\n");
    if (::ftruncate(fd, 0) == 0) static_cast<void>(!::write(fd, id.data(), id.size()));
  }

  Error taken() {
    char id[24] = {};
    const ssize_t size = ::read(fd, id, sizeof id - 1);
    ::close(fd);
    fd = -1;
    const std::string_view process = trim(std::string_view(id, size > 0 ? size : 0));
    return failed_precondition(
        "another training is at work in '", folder, "'", process.empty() ? "" : " (process ",
        process, process.empty() ? "" : ")", "; wait for its end, or choose another folder");
  }

  ~State() {
    if (fd >= 0) {
      ::unlink(path.c_str());  // while the lock is held: nobody else's file is removed
      ::close(fd);
    }
    for (const std::string& each : made) {
      if (::rmdir(each.c_str()) != 0) break;
    }
  }
};

TrainingLock::TrainingLock(std::string folder) : state_(std::make_unique<State>()) {
  state_->folder = std::move(folder);
  state_->path = join_path(state_->folder, kLockFile);
  state_->made = missing_folders(state_->folder);
  make_folders(state_->folder);
  state_->take();
}
TrainingLock::~TrainingLock() = default;
TrainingLock::TrainingLock(TrainingLock&&) noexcept = default;

const std::string& TrainingLock::folder() const { return state_->folder; }

}  // namespace thalweg
