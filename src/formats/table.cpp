#include "formats/table.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "formats/varint.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr size_t kFooterSize = 48;
constexpr size_t kBlockTrailerSize = 5;

class StringSink : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

  std::string bytes;
};

class StringSource : public leveldb::RandomAccessFile {
 public:
  explicit StringSource(std::string_view bytes) : bytes_(bytes) {}
  leveldb::Status Read(uint64_t offset, size_t count, leveldb::Slice* result,
                       char*) const override {
    const std::string_view part = bytes_.substr(std::min<size_t>(offset, bytes_.size()), count);
    *result = leveldb::Slice(part.data(), part.size());
    return leveldb::Status::OK();
  }

 private:
  std::string_view bytes_;
};

// The footer alone has no checksum, and LevelDB allocates what it asks for before it looks at the
// file, so its two block handles are checked first. All other handles are under a checksum.
void check_footer(std::string_view bytes) {
  if (bytes.size() < kFooterSize) throw data_loss("it is cut short (", bytes.size(), " bytes)");
  std::string_view footer = bytes.substr(bytes.size() - kFooterSize);
  if (!footer.ends_with(kTableMagic))
    throw data_loss("it is cut short, or no index of a checkpoint");
  const uint64_t body = bytes.size() - kFooterSize;
  for (int handle = 0; handle < 2; ++handle) {
    const auto offset = take_varint(footer);
    const auto size = take_varint(footer);
    if (!offset || !size || *offset > body || *size > body - *offset ||
        body - *offset - *size < kBlockTrailerSize) {
      throw data_loss("its footer is damaged");
    }
  }
}

void check(const leveldb::Status& status) {
  if (!status.ok()) throw data_loss(status.ToString());
}

}  // namespace

std::string encode_table(const std::map<std::string, std::string, std::less<>>& entries) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = size_t{256} << 10;  // as TensorFlow
  StringSink sink;
  leveldb::TableBuilder builder(options, &sink);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  check(builder.Finish());
  return std::move(sink.bytes);
}

void read_table(const std::string& bytes,
                const std::function<void(std::string_view, std::string_view)>& visit) {
  check_footer(bytes);
  StringSource source(bytes);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* opened = nullptr;
  check(leveldb::Table::Open(options, &source, bytes.size(), &opened));
  const std::unique_ptr<leveldb::Table> table(opened);

  leveldb::ReadOptions read_options;
  read_options.verify_checksums = true;
  read_options.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read_options));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    visit({it->key().data(), it->key().size()}, {it->value().data(), it->value().size()});
  }
  check(it->status());
}

}  // namespace thalweg
