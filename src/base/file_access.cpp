#include "thalweg/base/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/posix_file.h"

namespace thalweg {

struct ReadableFile::State {
  std::string path;
  Descriptor fd;
};

ReadableFile::ReadableFile(std::string path) : state_(std::make_unique<State>()) {
  check_path(path);
  state_->path = std::move(path);
  state_->fd.reset(open_retrying(state_->path, O_RDONLY));
  if (state_->fd.get() < 0) throw system_error("open", state_->path, errno);
  struct stat info {};
  if (::fstat(state_->fd.get(), &info) != 0) throw system_error("read", state_->path, errno);
  if (S_ISDIR(info.st_mode)) throw system_error("read", state_->path, EISDIR);
}
ReadableFile::~ReadableFile() = default;
ReadableFile::ReadableFile(ReadableFile&&) noexcept = default;

const std::string& ReadableFile::path() const { return state_->path; }

uint64_t ReadableFile::size() const {
  struct stat info {};
  if (::fstat(state_->fd.get(), &info) != 0) throw system_error("read", state_->path, errno);
  return static_cast<uint64_t>(info.st_size);
}

size_t ReadableFile::read(uint64_t offset, void* out, size_t count) const {
  char* const bytes = static_cast<char*>(out);
  size_t done = 0;
  while (done < count) {
    const size_t piece = std::min<size_t>(count - done, size_t{1} << 30);
    const ssize_t got =
        ::pread(state_->fd.get(), bytes + done, piece, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", state_->path, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

struct AppendFile::State {
  std::string path;
  Descriptor fd;
  uint64_t size = 0;
};

AppendFile::AppendFile(std::string path) : state_(std::make_unique<State>()) {
  check_path(path);
  state_->path = std::move(path);
  state_->fd.reset(open_retrying(state_->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND));
  if (state_->fd.get() < 0) throw system_error("write", state_->path, errno);
}
AppendFile::~AppendFile() = default;
AppendFile::AppendFile(AppendFile&&) noexcept = default;

const std::string& AppendFile::path() const { return state_->path; }
uint64_t AppendFile::size() const { return state_->size; }

void AppendFile::append(std::string_view bytes) {
  State& s = *state_;
  if (const int error = write_all(s.fd.get(), bytes.data(), bytes.size()); error != 0) {
    static_cast<void>(!::ftruncate(s.fd.get(), static_cast<off_t>(s.size)));
    throw system_error("write", s.path, error);
  }
  s.size += bytes.size();
}

void AppendFile::sync() {
  if (::fsync(state_->fd.get()) != 0) throw system_error("sync", state_->path, errno);
}

}  // namespace thalweg
