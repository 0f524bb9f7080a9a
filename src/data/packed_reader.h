// The bytes of a file in order, unpacked when the file is gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace thalweg::data {

/// Errors are data_loss naming the file, and those of read_file. Thread-compatible.
class PackedReader {
 public:
  explicit PackedReader(const std::string& path);
  ~PackedReader();
  PackedReader(const PackedReader&) = delete;

  /// The next `size` bytes into `out`; returns how many there were before the end.
  size_t read(void* out, size_t size);
  /// Whether nothing follows. For gzip this is also what checks the checksum at the end.
  bool at_end();
  /// More bytes than this cannot follow: a bound for what a header promises, before memory is taken
  /// for it.
  uint64_t most_bytes_left() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg::data
