#include "formats/table.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

#include <map>

#include "hex.h"
#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::to_hex;
using Entries = std::map<std::string, std::string, std::less<>>;

Entries read(const std::string& bytes) {
  Entries entries;
  read_table(bytes,
             [&](std::string_view key, std::string_view value) { entries.emplace(key, value); });
  return entries;
}

Entries many() {
  Entries entries = {{"", "header"}};
  for (int i = 0; i < 20000; ++i)
    entries[str("layer", i * 7919 % 20000, "/kernel")] = std::string(i % 60, 'v');
  return entries;
}

TEST(Table, GivesBackItsEntriesAcrossBlocks) { EXPECT_EQ(read(encode_table(many())), many()); }

class Sink : public leveldb::WritableFile {
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

TEST(Table, ReadsSnappyBlocksAsTensorFlow1Writes) {
  leveldb::Options options;
  options.compression = leveldb::kSnappyCompression;
  Sink sink;
  leveldb::TableBuilder builder(options, &sink);
  for (const auto& [key, value] : many()) builder.Add(key, value);
  ASSERT_TRUE(builder.Finish().ok());
  EXPECT_LT(sink.bytes.size(), encode_table(many()).size() / 2);
  EXPECT_EQ(read(sink.bytes), many());
}

TEST(Table, EveryCutIsSeen) {
  const std::string bytes = encode_table({{"", "header"}, {"a", "1"}, {"b", "2"}});
  for (size_t size = 0; size < bytes.size(); ++size) {
    expect_error(Code::kDataLoss, [&] { read(bytes.substr(0, size)); });
  }
}

// Bytes without meaning (padding of the footer) may change unseen; the entries may not.
TEST(Table, AChangedByteNeverChangesAnEntry) {
  const Entries entries = {{"", "header"}, {"a", "1"}, {"b", "2"}};
  const std::string good = encode_table(entries);
  int seen = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      try {
        EXPECT_EQ(read(bad), entries) << "byte " << i;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::kDataLoss);
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 150);
}

TEST(Table, AFooterThatAsksForTheWorldAllocatesNothing) {
  std::string bytes = encode_table({{"a", "1"}});
  // The index handle's size: 2^63.
  bytes.replace(bytes.size() - 48, 14,
                std::string("\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00", 14));
  expect_error(
      Code::kDataLoss, [&] { read(bytes); }, "footer");
}

}  // namespace
}  // namespace thalweg
