// Records of a TFRecord file in order, from a stream, so that packed files do too. What is damaged
// is named, or left out and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/byte_stream.h"

namespace thalweg::data {

/// Thread-compatible.
class RecordStream {
 public:
  RecordStream(const StreamedFile& file, bool skip_damaged)
      : name_(file.name()), stream_(file.open()), skip_damaged_(skip_damaged) {}

  /// The next record; false at the end. Without `skip_damaged` throws data_loss naming file, number
  /// of the record and its byte; with it such records are passed over, and behind a damaged length,
  /// which hides where the next record begins, the rest of the file.
  bool next(std::string& record);
  /// Of the record given last, from 1; damaged ones count.
  int64_t number() const { return number_; }
  uint64_t offset() const { return offset_; }
  /// Damaged records so far; a rest that was given up is one.
  int64_t damaged() const { return damaged_; }

 private:
  bool give_up(const std::string& fault);
  bool read_data(std::string& record, uint64_t length);

  std::string name_;
  std::unique_ptr<ByteStream> stream_;
  bool skip_damaged_;
  bool ended_ = false;
  int64_t number_ = 0;
  uint64_t offset_ = 0, next_offset_ = 0;
  int64_t damaged_ = 0;
};

/// Whether `head`, the first bytes of a file, begin with the length of a record and its checksum.
bool begins_record(std::string_view head);

}  // namespace thalweg::data
