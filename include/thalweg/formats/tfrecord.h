// TFRecord framing: byte strings one after another, each with its length and two checksums. Event
// files and data sets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thalweg/base/file_access.h"

namespace thalweg {

/// Appends `data` framed as one record: length u64, its masked checksum, data, its masked checksum;
/// little endian.
void append_record(std::string& out, std::string_view data);

/// Reads records one by one, also from a file that is still being written. Thread-compatible.
class RecordReader {
 public:
  enum class Next {
    kRecord,
    kEnd,        // the file ends between two records
    kTruncated,  // it ends inside one: a writer is at work, or was killed
  };

  /// Errors: as ReadableFile.
  explicit RecordReader(std::string path);

  /// The next record into `record`. After kEnd and kTruncated the reader stays where it was, and
  /// may be asked again when the file has grown. Throws data_loss naming file and offset for a
  /// wrong checksum, and stays there too.
  Next next(std::string& record);

  /// Where the next record starts, in bytes.
  uint64_t offset() const { return offset_; }
  const std::string& path() const { return file_.path(); }

 private:
  size_t available(size_t wanted);

  ReadableFile file_;
  uint64_t offset_ = 0;  // of the next record
  std::string buffer_;   // what is known of the file from buffer_start_ on
  uint64_t buffer_start_ = 0;
};

}  // namespace thalweg
