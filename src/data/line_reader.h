// Text line by line, from a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_stream.h"

namespace thalweg::data {

/// Thread-compatible.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  /// The next line without what ends it; false at the end. Holds until the next call.
  bool next(std::string_view& line);
  /// Of the line given last, from 1.
  int64_t number() const { return number_; }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string held_;
  size_t used_ = 0;
  int64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace thalweg::data
