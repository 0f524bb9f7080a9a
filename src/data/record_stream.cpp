#include "data/record_stream.h"

#include <algorithm>
#include <cstring>

#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

constexpr size_t kHeader = 12;  // length and its checksum
constexpr size_t kTrailer = 4;  // checksum of the data

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

bool begins_record(std::string_view head) {
  return head.size() >= kHeader &&
         load<uint32_t>(head.data() + 8) == mask_crc(crc32c(0, head.data(), 8));
}

bool RecordStream::give_up(const std::string& fault) {
  if (!skip_damaged_) {
    throw data_loss(name_, ": record ", number_, " (at byte ", offset_, ") is damaged: ", fault);
  }
  ++damaged_;
  return false;
}

/// In pieces, so that memory is taken only for what is there.
bool RecordStream::read_data(std::string& record, uint64_t length) {
  constexpr uint64_t kPiece = uint64_t{4} << 20;
  record.clear();
  while (record.size() < length) {
    const size_t before = record.size();
    const auto size = static_cast<size_t>(std::min(kPiece, length - before));
    record.resize(before + size);
    if (stream_->read(record.data() + before, size) < size) return false;
  }
  return true;
}

bool RecordStream::next(std::string& record) {
  while (!ended_) {
    offset_ = next_offset_;
    char header[kHeader];
    const size_t held = stream_->read(header, sizeof(header));
    if (held == 0) {
      ended_ = true;
      break;
    }
    ++number_;
    if (held < kHeader) {
      ended_ = true;
      return give_up("the file ends inside of it");
    }
    const auto length = load<uint64_t>(header);
    if (!begins_record({header, kHeader})) {
      ended_ = true;
      return give_up(
          "the checksum of its length is wrong, so where the next one begins is unknown");
    }
    char trailer[kTrailer];
    if (!read_data(record, length) || stream_->read(trailer, kTrailer) < kTrailer) {
      ended_ = true;
      return give_up("the file ends inside of it");
    }
    next_offset_ = offset_ + kHeader + length + kTrailer;
    if (load<uint32_t>(trailer) == mask_crc(crc32c(record))) return true;
    give_up("the checksum of its data is wrong");
  }
  return false;
}

}  // namespace thalweg::data
