#include "thalweg/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "base/posix_file.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

// Where locks are not supported, leftovers merely stay.
void lock(int fd) {
  while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
}

// Where writing `path` ends when it is a symbolic link, or a chain of them; the target need not be
// there. Replacing the link itself would cut it off from what it stood for.
std::string follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::string target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::string content(4096, '\0');
    const ssize_t size = ::readlink(target.c_str(), content.data(), content.size());
    if (size < 0) return target;  // no link, or not there: opening it says what is wrong
    content.resize(static_cast<size_t>(size));
    target = join_path(folder_name(target), content);
  }
  throw system_error("write", path, ELOOP);
}

}  // namespace

std::string read_file(const std::string& path) {
  check_path(path);
  const Descriptor fd(open_retrying(path, O_RDONLY));
  if (fd.get() < 0) throw system_error("open", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) throw system_error("read", path, errno);
  if (S_ISDIR(info.st_mode)) throw system_error("read", path, EISDIR);

  // The size is a hint only: files under /proc say 0, others may grow meanwhile.
  std::string bytes(static_cast<size_t>(info.st_size) + 1, '\0');
  size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(bytes.size() * 2 + 4096);
    const ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", path, errno);
    if (got == 0) break;
    used += static_cast<size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.append(bytes);
  file.commit();
}

// The temporary file is locked (flock) while its writer lives, which is how remove_temporaries
// tells leftovers from work in progress: a process id in a name says nothing across containers,
// where every writer may be process 1.
struct AtomicFile::State {
  static constexpr size_t kBufferSize = size_t{256} << 10;

  std::string path;
  std::string target;  // what the path stands for when it is a symbolic link
  std::string temporary;
  Descriptor fd;
  std::string buffer;
  uint64_t size = 0;
  bool failed = false;
  bool finished = false;
  bool committed = false;

  ~State() {
    if (!committed && !temporary.empty()) ::unlink(temporary.c_str());
  }

  void open();
  void write(const char* data, size_t count);
  [[noreturn]] void fail(std::string_view verb, int error) {
    failed = true;
    throw system_error(verb, path, error);
  }
};

void AtomicFile::State::open() {
  static std::atomic<unsigned> counter{0};
  check_path(path);
  target = follow_links(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (!exists && errno == ENAMETOOLONG) throw system_error("write", path, errno);
  if (exists && S_ISDIR(old.st_mode)) throw system_error("write", path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    throw invalid_argument("cannot write '", path, "': it is not a regular file");
  }
  // Room for the rest of the name within the usual 255 bytes.
  const std::string name = base_name(target).substr(0, 200);
  if (name.empty()) throw invalid_argument("cannot write '", path, "': it names no file");
  for (;;) {
    std::string candidate =
        join_path(folder_name(target),
                  str(kTemporaryPrefix, name, "-", ::getpid(), "-", counter.fetch_add(1)));
    fd.reset(open_retrying(candidate, O_WRONLY | O_CREAT | O_EXCL));
    if (fd.get() < 0 && errno == EEXIST)
      continue;  // a leftover of an earlier process of this number
    if (fd.get() < 0) throw system_error("write", path, errno);
    lock(fd.get());
    struct stat made {};
    if (::fstat(fd.get(), &made) == 0 && made.st_nlink == 0)
      continue;  // cleaned away before the lock
    temporary = std::move(candidate);
    break;
  }
  if (exists) static_cast<void>(::fchmod(fd.get(), old.st_mode & 07777));
}

void AtomicFile::State::write(const char* data, size_t count) {
  if (const int error = write_all(fd.get(), data, count); error != 0) fail("write", error);
}

AtomicFile::AtomicFile(std::string path) : state_(std::make_unique<State>()) {
  state_->path = std::move(path);
  state_->open();
}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;

void AtomicFile::append(std::string_view bytes) { append(bytes.data(), bytes.size()); }

void AtomicFile::append(const void* data, size_t size) {
  State& s = *state_;
  if (s.failed || s.finished) {
    throw failed_precondition("cannot append to '", s.path,
                              "': ", s.failed ? "an earlier write failed" : "it is finished");
  }
  s.size += size;
  if (s.buffer.size() + size < State::kBufferSize) {
    s.buffer.append(static_cast<const char*>(data), size);
    return;
  }
  s.write(s.buffer.data(), s.buffer.size());
  s.buffer.clear();
  s.write(static_cast<const char*>(data), size);
}

uint64_t AtomicFile::size() const { return state_->size; }

void AtomicFile::finish() {
  State& s = *state_;
  if (s.failed) throw failed_precondition("cannot finish '", s.path, "': an earlier write failed");
  if (s.finished) return;
  s.write(s.buffer.data(), s.buffer.size());
  s.buffer = {};
  if (::fsync(s.fd.get()) != 0) s.fail("sync", errno);
  s.finished = true;
}

void AtomicFile::commit() {
  finish();
  State& s = *state_;
  if (s.committed) return;
  if (::rename(s.temporary.c_str(), s.target.c_str()) != 0) s.fail("replace", errno);
  s.committed = true;
  s.fd.close();
  sync_folder(folder_name(s.target));
}

int remove_temporaries(const std::string& folder) {
  int removed = 0;
  for (const std::string& name : list_folder(folder)) {
    if (!name.starts_with(kTemporaryPrefix)) continue;
    const std::string path = join_path(folder, name);
    const Descriptor fd(open_retrying(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
    if (fd.get() < 0 || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

bool file_exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void make_folders(const std::string& path) {
  check_path(path);
  for (size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0777) == 0) continue;
    const int error = errno;
    if (is_folder(part)) continue;
    throw system_error("make folder", part, error);
  }
}

std::vector<std::string> list_folder(const std::string& folder) {
  check_path(folder);
  std::vector<std::string> names;
  DIR* const stream = ::opendir(folder.c_str());
  if (stream == nullptr) {
    if (errno == ENOENT) return names;
    throw system_error("list folder", folder, errno);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> closer(stream, ::closedir);
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) throw system_error("list folder", folder, errno);
  std::sort(names.begin(), names.end());
  return names;
}

bool remove_file(const std::string& path) {
  check_path(path);
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw system_error("remove", path, errno);
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  return str(folder, folder.ends_with('/') ? "" : "/", name);
}

std::string base_name(std::string_view path) {
  const size_t at = path.rfind('/');
  return std::string(at == path.npos ? path : path.substr(at + 1));
}

std::string folder_name(std::string_view path) {
  const size_t at = path.rfind('/');
  if (at == path.npos) return ".";
  return std::string(at == 0 ? path.substr(0, 1) : path.substr(0, at));
}

}  // namespace thalweg
