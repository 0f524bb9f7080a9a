#include "data/byte_stream.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "data/regular_file.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file_access.h"

namespace thalweg::data {

constexpr size_t kPiece = size_t{256} << 10;

struct StreamedFile::Origin {
  std::optional<ReadableFile> file;
  std::string bytes;

  uint64_t size() const { return file ? file->size() : bytes.size(); }
  size_t read(uint64_t offset, void* out, size_t count) const {
    if (file) return file->read(offset, out, count);
    if (offset >= bytes.size()) return 0;
    const size_t size = std::min(count, bytes.size() - static_cast<size_t>(offset));
    std::memcpy(out, bytes.data() + offset, size);
    return size;
  }
};

namespace {

template <class Origin>
class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(std::shared_ptr<const Origin> origin) : origin_(std::move(origin)) {}
  size_t read(void* out, size_t size) override {
    const size_t count = origin_->read(offset_, out, size);
    offset_ += count;
    return count;
  }

 private:
  std::shared_ptr<const Origin> origin_;
  uint64_t offset_ = 0;
};

/// Packed bytes piece by piece.
template <class Origin>
class PackedBytes {
 public:
  PackedBytes(std::string name, std::shared_ptr<const Origin> origin)
      : name_(std::move(name)), origin_(std::move(origin)), piece_(kPiece) {}
  /// Reads on when all is used; false at the end.
  bool more() {
    if (used_ < held_) return true;
    offset_ += held_;
    held_ = origin_->read(offset_, piece_.data(), piece_.size());
    used_ = 0;
    return held_ != 0;
  }
  unsigned char* data() { return piece_.data() + used_; }
  size_t size() const { return held_ - used_; }
  void use(size_t count) { used_ += count; }
  uint64_t place() const { return offset_ + used_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::shared_ptr<const Origin> origin_;
  std::vector<unsigned char> piece_;
  uint64_t offset_ = 0;
  size_t held_ = 0, used_ = 0;
};

Error cut_short(const std::string& name, const char* kind, uint64_t bytes) {
  return data_loss(name, ": the ", kind, " file is cut short: it ends after ", bytes,
                   " bytes in the middle of its data; get it again");
}

template <class Origin>
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(PackedBytes<Origin> in) : in_(std::move(in)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&zip_, MAX_WBITS + kGzipOnly) != Z_OK)
      throw resource_exhausted(in_.name(), ": no memory to unpack it");
  }
  ~GzipStream() override { inflateEnd(&zip_); }

  size_t read(void* out, size_t size) override {
    constexpr size_t kMost = size_t{1} << 30;
    size_t done = 0;
    while (done < size) {
      const bool more = in_.more();
      if (between_members_) {  // gzip files may be joined end to end
        if (!more) break;
        inflateReset(&zip_);
        between_members_ = false;
      }
      const auto room = static_cast<uInt>(std::min(kMost, size - done));
      zip_.next_in = in_.data();
      zip_.avail_in = static_cast<uInt>(in_.size());
      zip_.next_out = static_cast<Bytef*>(out) + done;
      zip_.avail_out = room;
      const int status = inflate(&zip_, Z_NO_FLUSH);
      in_.use(in_.size() - zip_.avail_in);
      const size_t made = room - zip_.avail_out;
      done += made;
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status == Z_BUF_ERROR || (status == Z_OK && !more && made == 0)) {
        if (!more) throw cut_short(in_.name(), "gzip", in_.place());
      } else if (status != Z_OK) {
        throw data_loss(in_.name(), ": the gzip file is damaged near byte ", in_.place(), " (",
                        zip_.msg == nullptr ? zError(status) : zip_.msg, "); get it again");
      }
    }
    return done;
  }

 private:
  PackedBytes<Origin> in_;
  z_stream zip_{};
  bool between_members_ = false;
};

template <class Origin>
class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(PackedBytes<Origin> in) : in_(std::move(in)), zip_(ZSTD_createDStream()) {
    if (zip_ == nullptr) throw resource_exhausted(in_.name(), ": no memory to unpack it");
  }
  ~ZstdStream() override { ZSTD_freeDStream(zip_); }

  size_t read(void* out, size_t size) override {
    size_t done = 0;
    while (done < size) {
      const bool more = in_.more();
      if (!more && between_frames_) break;
      ZSTD_inBuffer input{in_.data(), in_.size(), 0};
      ZSTD_outBuffer output{static_cast<char*>(out) + done, size - done, 0};
      const size_t status = ZSTD_decompressStream(zip_, &output, &input);
      if (ZSTD_isError(status)) {
        throw data_loss(in_.name(), ": the zstd file is damaged near byte ", in_.place(), " (",
                        ZSTD_getErrorName(status), "); get it again");
      }
      in_.use(input.pos);
      done += output.pos;
      between_frames_ = status == 0;
      if (!more && output.pos == 0 && !between_frames_)
        throw cut_short(in_.name(), "zstd", in_.place());
    }
    return done;
  }

 private:
  PackedBytes<Origin> in_;
  ZSTD_DStream* zip_;
  bool between_frames_ = true;
};

}  // namespace

StreamedFile::StreamedFile(const std::string& path) : name_(path) {
  check_regular_file(path);
  origin_ = std::make_shared<Origin>(Origin{.file = ReadableFile(path)});
  find_packing();
}

StreamedFile::StreamedFile(std::string name, std::string bytes) : name_(std::move(name)) {
  origin_ = std::make_shared<Origin>(Origin{.bytes = std::move(bytes)});
  find_packing();
}

StreamedFile::~StreamedFile() = default;

void StreamedFile::find_packing() {
  char head[4] = {};
  const std::string_view magic(head, origin_->read(0, head, sizeof(head)));
  if (magic.starts_with("\x1f\x8b")) packing_ = Packing::kGzip;
  if (magic == "\x28\xb5\x2f\xfd") packing_ = Packing::kZstd;
}

uint64_t StreamedFile::size() const { return origin_->size(); }

std::unique_ptr<ByteStream> StreamedFile::open() const {
  PackedBytes<Origin> packed(name_, origin_);
  switch (packing_) {
    case Packing::kGzip: return std::make_unique<GzipStream<Origin>>(std::move(packed));
    case Packing::kZstd: return std::make_unique<ZstdStream<Origin>>(std::move(packed));
    case Packing::kNone: break;
  }
  return std::make_unique<PlainStream<Origin>>(origin_);
}

uint64_t StreamedFile::fingerprint() const {
  std::vector<char> piece(kPiece);
  uint32_t sum = 0;
  uint64_t offset = 0;
  while (const size_t count = origin_->read(offset, piece.data(), piece.size())) {
    sum = crc32c(sum, piece.data(), count);
    offset += count;
  }
  return (uint64_t{sum} << 32) ^ offset;
}

std::string StreamedFile::head(size_t size) const {
  std::string result(size, '\0');
  result.resize(open()->read(result.data(), size));
  return result;
}

}  // namespace thalweg::data
