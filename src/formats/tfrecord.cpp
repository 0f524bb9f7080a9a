#include "thalweg/formats/tfrecord.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr size_t kHeaderSize = 12;  // length and its checksum
constexpr size_t kTrailerSize = 4;  // checksum of the data
constexpr size_t kChunkSize = size_t{64} << 10;

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

template <class T>
void append_raw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

void append_record(std::string& out, std::string_view data) {
  const uint64_t length = data.size();
  append_raw(out, length);
  append_raw(out, mask_crc(crc32c(0, &length, sizeof(length))));
  out += data;
  append_raw(out, mask_crc(crc32c(data)));
}

RecordReader::RecordReader(std::string path) : file_(std::move(path)) {}

// Reads on until buffer_ holds `wanted` bytes of the file from offset_ on, or the file ends;
// returns how many it holds.
size_t RecordReader::available(size_t wanted) {
  size_t start = static_cast<size_t>(offset_ - buffer_start_);
  if (buffer_.size() - start < wanted) {
    buffer_.erase(0, start);
    buffer_start_ = offset_;
    start = 0;
    const size_t held = buffer_.size();
    buffer_.resize(std::max(wanted, held + kChunkSize));
    const size_t got =
        file_.read(buffer_start_ + held, buffer_.data() + held, buffer_.size() - held);
    buffer_.resize(held + got);
  }
  return buffer_.size() - start;
}

RecordReader::Next RecordReader::next(std::string& record) {
  const size_t held = available(kHeaderSize);
  if (held == 0) return Next::kEnd;
  if (held < kHeaderSize) return Next::kTruncated;
  const char* header = buffer_.data() + (offset_ - buffer_start_);
  const uint64_t length = load<uint64_t>(header);
  if (load<uint32_t>(header + sizeof(length)) != mask_crc(crc32c(0, header, sizeof(length)))) {
    throw data_loss("record file '", path(), "' is damaged at byte ", offset_,
                    ": the checksum of a length is wrong");
  }
  // The file's size bounds what is allocated, whatever the length says.
  if (held < kHeaderSize + kTrailerSize || length > held - kHeaderSize - kTrailerSize) {
    const uint64_t size = std::max(file_.size(), offset_ + held);
    if (length > size - offset_ || size - offset_ - length < kHeaderSize + kTrailerSize) {
      return Next::kTruncated;
    }
  }
  const size_t whole = kHeaderSize + static_cast<size_t>(length) + kTrailerSize;
  if (available(whole) < whole) return Next::kTruncated;
  const char* data = buffer_.data() + (offset_ - buffer_start_) + kHeaderSize;
  if (load<uint32_t>(data + length) != mask_crc(crc32c(0, data, length))) {
    throw data_loss("record file '", path(), "' is damaged at byte ", offset_,
                    ": the checksum of a record of ", length, " bytes is wrong");
  }
  record.assign(data, length);
  offset_ += whole;
  return Next::kRecord;
}

}  // namespace thalweg
