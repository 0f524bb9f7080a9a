#include "data/packed_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "data/regular_file.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::data {

struct PackedReader::State {
  std::string path;
  std::string bytes;
  bool packed = false;
  size_t used = 0;  // of bytes
  z_stream zip{};
  bool between_members = false;  // gzip files may be joined end to end
};

PackedReader::PackedReader(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.path = path;
  check_regular_file(path);
  s.bytes = read_file(path);
  s.packed = s.bytes.size() >= 2 && s.bytes[0] == '\x1f' && s.bytes[1] == '\x8b';
  if (!s.packed) return;
  constexpr int kGzipOnly = 16;
  if (inflateInit2(&s.zip, MAX_WBITS + kGzipOnly) != Z_OK)
    throw resource_exhausted(path, ": no memory to unpack it");
}

PackedReader::~PackedReader() {
  if (state_->packed) inflateEnd(&state_->zip);
}

size_t PackedReader::read(void* out, size_t size) {
  State& s = *state_;
  if (!s.packed) {
    const size_t count = std::min(size, s.bytes.size() - s.used);
    std::memcpy(out, s.bytes.data() + s.used, count);
    s.used += count;
    return count;
  }
  constexpr size_t kMost = std::numeric_limits<uInt>::max();
  size_t done = 0;
  while (done < size) {
    if (s.between_members) {
      if (s.used == s.bytes.size()) break;
      inflateReset(&s.zip);
      s.between_members = false;
    }
    const auto in = static_cast<uInt>(std::min(kMost, s.bytes.size() - s.used));
    const auto room = static_cast<uInt>(std::min(kMost, size - done));
    s.zip.next_in = reinterpret_cast<Bytef*>(s.bytes.data() + s.used);
    s.zip.avail_in = in;
    s.zip.next_out = static_cast<Bytef*>(out) + done;
    s.zip.avail_out = room;
    const int status = inflate(&s.zip, Z_NO_FLUSH);
    s.used += in - s.zip.avail_in;
    done += room - s.zip.avail_out;
    if (status == Z_STREAM_END) {
      s.between_members = true;
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && s.used == s.bytes.size() && s.zip.avail_out != 0)) {
      throw data_loss(s.path, ": the gzip file is cut short: it ends after ", s.bytes.size(),
                      " bytes in the middle of its data; get it again");
    } else if (status != Z_OK) {
      throw data_loss(s.path, ": the gzip file is damaged near byte ", s.used, " (",
                      s.zip.msg == nullptr ? zError(status) : s.zip.msg, "); get it again");
    }
  }
  return done;
}

bool PackedReader::at_end() {
  char next = 0;
  return read(&next, 1) == 0;
}

uint64_t PackedReader::most_bytes_left() const {
  constexpr uint64_t kMostInflation = 1032;  // of deflate: 258 bytes from two bits
  const uint64_t left = state_->bytes.size() - state_->used;
  // zlib may hold a window of output back for the caller.
  return state_->packed ? left * kMostInflation + 65536 : left;
}

}  // namespace thalweg::data
