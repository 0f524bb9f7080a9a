#include "thalweg/base/atomic_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/posix_file.h"
#include "thalweg/base/file.h"

namespace thalweg {

// As with AtomicFile a lock tells a folder that is being written from one left behind.
struct AtomicFolder::State {
  std::string path;
  std::string temporary;
  Descriptor fd;
  bool committed = false;

  ~State() {
    std::error_code ignored;
    if (!committed && !temporary.empty()) std::filesystem::remove_all(temporary, ignored);
  }

  Error is_there() const {
    return already_exists("'", path, "' is there already: give another name, or remove it");
  }
  void open();
  void remove_leftovers(const std::string& stem) const;
};

void AtomicFolder::State::open() {
  static std::atomic<unsigned> counter{0};
  check_path(path);
  const std::string name = base_name(path);
  if (name.empty() || name == "." || name == "..") {
    throw invalid_argument("cannot make the folder '", path, "': it names none");
  }
  if (file_exists(path)) throw is_there();
  make_folders(folder_name(path));
  const std::string stem = str(kTemporaryPrefix, name.substr(0, 200), "-");
  remove_leftovers(stem);
  for (;;) {
    std::string candidate =
        join_path(folder_name(path), str(stem, ::getpid(), "-", counter.fetch_add(1)));
    if (::mkdir(candidate.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      throw system_error("make folder", path, errno);
    }
    fd.reset(open_retrying(candidate, O_RDONLY | O_DIRECTORY));
    if (fd.get() < 0) {
      if (errno == ENOENT) continue;  // cleaned away before the lock
      const int error = errno;
      ::rmdir(candidate.c_str());
      throw system_error("make folder", path, error);
    }
    while (::flock(fd.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat made {};
    if (::fstat(fd.get(), &made) == 0 && made.st_nlink == 0) continue;
    temporary = std::move(candidate);
    return;
  }
}

void AtomicFolder::State::remove_leftovers(const std::string& stem) const {
  for (const std::string& name : list_folder(folder_name(path))) {
    if (!name.starts_with(stem)) continue;
    const std::string old = join_path(folder_name(path), name);
    const Descriptor held(open_retrying(old, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (held.get() < 0 || ::flock(held.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    std::filesystem::remove_all(old, ignored);
  }
}

AtomicFolder::AtomicFolder(std::string path) : state_(std::make_unique<State>()) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  state_->path = std::move(path);
  state_->open();
}
AtomicFolder::~AtomicFolder() = default;

const std::string& AtomicFolder::temporary() const { return state_->temporary; }

void AtomicFolder::commit() {
  State& s = *state_;
  if (s.committed) return;
  // What is in it must be on the disk before it is to be seen there.
  if (::fsync(s.fd.get()) != 0 && errno != EINVAL) throw system_error("sync folder", s.path, errno);
  if (::rename(s.temporary.c_str(), s.path.c_str()) != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR) {
      throw s.is_there();
    }
    throw system_error("make folder", s.path, errno);
  }
  s.committed = true;
  s.fd.close();
  sync_folder(folder_name(s.path));
}

}  // namespace thalweg
