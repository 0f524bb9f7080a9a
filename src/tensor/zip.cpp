// Layouts from PKWARE's APPNOTE.TXT: local header 4.3.7, directory 4.3.12, ZIP64 4.3.14 and 4.5.3.
#include "tensor/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr uint32_t kLocalMark = 0x04034b50, kEntryMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr uint32_t kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kLocator64Size = 20,
                 kEnd64Size = 56;
constexpr size_t kLongestComment = 65535;
constexpr uint32_t kMax32 = std::numeric_limits<uint32_t>::max();
constexpr uint16_t kMax16 = std::numeric_limits<uint16_t>::max();
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kVersion = 20, kVersion64 = 45;
// A deflated byte gives at most 1032; whoever claims more lies.
constexpr uint64_t kMostExpansion = 1040;

template <class T>
T get(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Sizes and offset that did not fit 32 bits stand in an extra field, in this order.
void read_zip64_field(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const auto id = get<uint16_t>(extra, 0);
    const size_t length = get<uint16_t>(extra, 2);
    if (length > extra.size() - 4) return;
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (id != kZip64Field) continue;
    for (uint64_t* value : {&member.size, &member.stored_size, &member.offset}) {
      if (*value != kMax32 || field.size() < 8) continue;
      *value = get<uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
}

std::string inflate_all(const std::string& stored, const ZipMember& member) {
  if (member.size / kMostExpansion > stored.size()) {
    throw data_loss("member '", member.name, "' claims ", member.size, " bytes from ",
                    stored.size(), " stored ones, which cannot be");
  }
  std::string bytes(member.size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw internal_error("zlib does not start");
  size_t in = 0, out = 0;
  int state = Z_OK;
  constexpr size_t kPiece = size_t{1} << 30;  // zlib counts in 32 bits
  while (state == Z_OK) {
    const size_t give = std::min(kPiece, stored.size() - in);
    const size_t room = std::min(kPiece, bytes.size() - out);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + in));
    stream.avail_in = static_cast<uInt>(give);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + out);
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    in += give - stream.avail_in;
    out += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || out != bytes.size()) {
    throw data_loss("member '", member.name, "' cannot be unpacked: it is damaged");
  }
  return bytes;
}

uint32_t checksum_of(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipReader::ZipReader(std::string path) : file_(std::move(path)) {
  const uint64_t file_size = file_.size();
  const uint64_t tail_size = std::min<uint64_t>(file_size, kEndSize + kLongestComment);
  const std::string tail = take(file_size - tail_size, tail_size, "directory");
  size_t end = std::string::npos;
  for (size_t at = tail.size() >= kEndSize ? tail.size() - kEndSize + 1 : 0; at-- > 0;) {
    if (get<uint32_t>(tail, at) == kEndMark) {
      end = at;
      break;
    }
  }
  if (end == std::string::npos) {
    throw data_loss("'", file_.path(), "' is no ZIP archive (or is cut short)");
  }
  uint64_t count = get<uint16_t>(tail, end + 10);
  uint64_t size = get<uint32_t>(tail, end + 12);
  uint64_t offset = get<uint32_t>(tail, end + 16);
  const bool may_be_64 = count == kMax16 || size == kMax32 || offset == kMax32;
  if (may_be_64 && end >= kLocator64Size &&
      get<uint32_t>(tail, end - kLocator64Size) == kLocator64Mark) {
    const std::string end64 =
        take(get<uint64_t>(tail, end - kLocator64Size + 8), kEnd64Size, "directory");
    if (get<uint32_t>(end64, 0) != kEnd64Mark) {
      throw data_loss("'", file_.path(), "': its directory is damaged");
    }
    count = get<uint64_t>(end64, 32);
    size = get<uint64_t>(end64, 40);
    offset = get<uint64_t>(end64, 48);
  }
  const std::string directory = take(offset, size, "directory");
  std::string_view rest = directory;
  for (uint64_t i = 0; i < count; ++i) {
    if (rest.size() < kEntrySize || get<uint32_t>(rest, 0) != kEntryMark) {
      throw data_loss("'", file_.path(), "': its directory ends after ", i, " of ", count,
                      " members");
    }
    ZipMember member;
    member.is_encrypted = (get<uint16_t>(rest, 8) & 1) != 0;
    member.method = get<uint16_t>(rest, 10);
    member.checksum = get<uint32_t>(rest, 16);
    member.stored_size = get<uint32_t>(rest, 20);
    member.size = get<uint32_t>(rest, 24);
    const size_t name = get<uint16_t>(rest, 28), extra = get<uint16_t>(rest, 30),
                 comment = get<uint16_t>(rest, 32);
    member.offset = get<uint32_t>(rest, 42);
    if (rest.size() - kEntrySize < name + extra + comment) {
      throw data_loss("'", file_.path(), "': its directory is cut short");
    }
    member.name = rest.substr(kEntrySize, name);
    read_zip64_field(rest.substr(kEntrySize + name, extra), member);
    members_.push_back(std::move(member));
    rest.remove_prefix(kEntrySize + name + extra + comment);
  }
}

std::string ZipReader::take(uint64_t offset, uint64_t count, std::string_view what) const {
  if (offset > file_.size() || count > file_.size() - offset) {
    throw data_loss("'", file_.path(), "': its ", what, " lies beyond the end of the file");
  }
  std::string bytes(count, '\0');
  if (file_.read(offset, bytes.data(), count) != count) {
    throw data_loss("'", file_.path(), "' became shorter while it was read");
  }
  return bytes;
}

std::string ZipReader::read(const ZipMember& member) const {
  try {
    if (member.is_encrypted) throw unimplemented("member '", member.name, "' is encrypted");
    const std::string local = take(member.offset, kLocalSize, "member");
    if (get<uint32_t>(local, 0) != kLocalMark) {
      throw data_loss("member '", member.name, "' is not where the directory says");
    }
    const uint64_t begin =
        member.offset + kLocalSize + get<uint16_t>(local, 26) + get<uint16_t>(local, 28);
    std::string stored = take(begin, member.stored_size, "member");
    if (member.method != 0 && member.method != Z_DEFLATED) {
      throw unimplemented("member '", member.name, "' is packed by method ", member.method,
                          "; stored and deflated ones are read");
    }
    if (member.method == 0 && member.size != member.stored_size) {
      throw data_loss("member '", member.name, "' has two sizes");
    }
    std::string bytes = member.method == 0 ? std::move(stored) : inflate_all(stored, member);
    if (checksum_of(bytes) != member.checksum) {
      throw data_loss("member '", member.name, "' is damaged: its checksum is wrong");
    }
    return bytes;
  } catch (Error& error) {
    error.add_context(file_.path());
    throw;
  }
}

void ZipWriter::add(std::string_view name, std::string_view bytes) {
  if (name.size() > kMax16) {
    throw invalid_argument("the name '", name.substr(0, 32), "...' has ", name.size(),
                           " bytes; a ZIP archive takes at most ", kMax16);
  }
  const uint64_t offset = archive_.size();
  const bool is_large = bytes.size() >= kMax32 || offset >= kMax32;
  const uint32_t checksum = checksum_of(bytes);
  const auto size32 = static_cast<uint32_t>(is_large ? kMax32 : bytes.size());
  const auto common = [&](std::string& out, uint16_t extra) {
    put<uint16_t>(out, is_large ? kVersion64 : kVersion);
    put<uint16_t>(out, 0x0800);  // the name is UTF-8
    put<uint16_t>(out, 0);       // stored
    put<uint16_t>(out, 0);       // midnight ...
    put<uint16_t>(out, 0x0021);  // ... of 1980-01-01: the same arrays give the same bytes
    put<uint32_t>(out, checksum);
    put<uint32_t>(out, size32);
    put<uint32_t>(out, size32);
    put<uint16_t>(out, static_cast<uint16_t>(name.size()));
    put<uint16_t>(out, extra);
  };
  put<uint32_t>(archive_, kLocalMark);
  common(archive_, is_large ? 20 : 0);
  archive_ += name;
  if (is_large) {
    put<uint16_t>(archive_, kZip64Field);
    put<uint16_t>(archive_, 16);
    put<uint64_t>(archive_, bytes.size());
    put<uint64_t>(archive_, bytes.size());
  }
  archive_ += bytes;

  put<uint32_t>(directory_, kEntryMark);
  put<uint16_t>(directory_, is_large ? kVersion64 : kVersion);
  common(directory_, is_large ? 28 : 0);
  put<uint16_t>(directory_, 0);  // comment
  put<uint16_t>(directory_, 0);  // disk
  put<uint16_t>(directory_, 0);  // attributes
  put<uint32_t>(directory_, 0);
  put<uint32_t>(directory_, is_large ? kMax32 : static_cast<uint32_t>(offset));
  directory_ += name;
  if (is_large) {
    put<uint16_t>(directory_, kZip64Field);
    put<uint16_t>(directory_, 24);
    put<uint64_t>(directory_, bytes.size());
    put<uint64_t>(directory_, bytes.size());
    put<uint64_t>(directory_, offset);
  }
  ++count_;
}

std::string ZipWriter::finish() {
  const uint64_t offset = archive_.size();
  archive_ += directory_;
  const bool is_large = offset >= kMax32 || directory_.size() >= kMax32 || count_ >= kMax16;
  if (is_large) {
    const uint64_t end64 = archive_.size();
    put<uint32_t>(archive_, kEnd64Mark);
    put<uint64_t>(archive_, kEnd64Size - 12);
    put<uint16_t>(archive_, kVersion64);
    put<uint16_t>(archive_, kVersion64);
    put<uint32_t>(archive_, 0);
    put<uint32_t>(archive_, 0);
    put<uint64_t>(archive_, count_);
    put<uint64_t>(archive_, count_);
    put<uint64_t>(archive_, directory_.size());
    put<uint64_t>(archive_, offset);
    put<uint32_t>(archive_, kLocator64Mark);
    put<uint32_t>(archive_, 0);
    put<uint64_t>(archive_, end64);
    put<uint32_t>(archive_, 1);
  }
  put<uint32_t>(archive_, kEndMark);
  put<uint16_t>(archive_, 0);
  put<uint16_t>(archive_, 0);
  const auto count16 = static_cast<uint16_t>(std::min<uint64_t>(count_, kMax16));
  put<uint16_t>(archive_, count16);
  put<uint16_t>(archive_, count16);
  put<uint32_t>(archive_, static_cast<uint32_t>(std::min<uint64_t>(directory_.size(), kMax32)));
  put<uint32_t>(archive_, static_cast<uint32_t>(std::min<uint64_t>(offset, kMax32)));
  put<uint16_t>(archive_, 0);
  return std::move(archive_);
}

}  // namespace thalweg
