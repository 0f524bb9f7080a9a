// Files for parsers that read files: written anew for each input, gone at the end.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace thalweg {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& ending)
      : path_("/tmp/thalweg-fuzz-" + std::to_string(::getpid()) + ending) {}
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }
  bool write(const uint8_t* data, size_t size) const {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    if (file == nullptr) return false;
    const bool whole = std::fwrite(data, 1, size, file) == size;
    return std::fclose(file) == 0 && whole;
  }

 private:
  std::string path_;
};

/// A folder with a saved_model.pb.
class ScratchModel {
 public:
  ScratchModel() { ::mkdir(folder_.c_str(), 0700); }
  ~ScratchModel() {
    ::unlink(file().c_str());
    ::rmdir(folder_.c_str());
  }
  ScratchModel(const ScratchModel&) = delete;

  const std::string& folder() const { return folder_; }
  bool write(const uint8_t* data, size_t size) const {
    std::FILE* const out = std::fopen(file().c_str(), "wb");
    if (out == nullptr) return false;
    const bool whole = std::fwrite(data, 1, size, out) == size;
    return std::fclose(out) == 0 && whole;
  }

 private:
  std::string file() const { return folder_ + "/saved_model.pb"; }
  const std::string folder_ = "/tmp/thalweg-fuzz-model-" + std::to_string(::getpid());
};

}  // namespace thalweg
