#include "thalweg/formats/tfrecord.h"

#include <vector>

#include "hex.h"
#include "testing.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::from_hex;
using testing::TemporaryFolder;
using testing::to_hex;
using Next = RecordReader::Next;

std::string framed(std::initializer_list<std::string_view> records) {
  std::string bytes;
  for (const std::string_view record : records) append_record(bytes, record);
  return bytes;
}

TEST(TFRecord, FramesAsTensorFlowDoes) {
  const std::string event =
      from_hex("09 00 00 00 00 00 00 f0 3f 1a 0d 62 72 61 69 6e 2e 45 76 65 6e 74 3a 32");
  EXPECT_EQ(to_hex(framed({event})),
            "18 00 00 00 00 00 00 00 a3 7f 4b 22 09 00 00 00 00 00 00 f0 3f 1a 0d 62 72 61 69 6e "
            "2e 45 76 65 6e 74 "
            "3a 32 86 bf 57 7a");
}

TEST(RecordReader, GivesBackRecordsOfAllSizes) {
  const TemporaryFolder folder;
  std::vector<std::string> records;
  std::string bytes;
  for (const size_t size : {0, 1, 11, 65536, 70000, 3, 200000, 0}) {
    records.push_back(std::string(size, static_cast<char>('a' + size % 26)));
    append_record(bytes, records.back());
  }
  write_file(folder / "r", bytes);
  RecordReader reader(folder / "r");
  std::string record;
  for (const std::string& expected : records) {
    ASSERT_EQ(reader.next(record), Next::kRecord);
    EXPECT_EQ(record, expected);
  }
  EXPECT_EQ(reader.next(record), Next::kEnd);
  EXPECT_EQ(reader.offset(), bytes.size());
}

TEST(RecordReader, AnyCutInsideARecordIsATruncatedTail) {
  const TemporaryFolder folder;
  const std::string bytes = framed({"first", "second record"});
  const size_t first = framed({"first"}).size();
  for (size_t size = 0; size <= bytes.size(); ++size) {
    write_file(folder / "r", bytes.substr(0, size));
    RecordReader reader(folder / "r");
    std::string record;
    int count = 0;
    Next last = reader.next(record);
    for (; last == Next::kRecord; last = reader.next(record)) ++count;
    EXPECT_EQ(count, size == bytes.size() ? 2 : size >= first ? 1 : 0) << size;
    EXPECT_EQ(last,
              size == 0 || size == first || size == bytes.size() ? Next::kEnd : Next::kTruncated)
        << size;
  }
}

TEST(RecordReader, FollowsAFileThatGrows) {
  const TemporaryFolder folder;
  AppendFile file(folder / "r");
  RecordReader reader(folder / "r");
  const std::string bytes = framed({"one", "two"});
  std::string record;
  std::vector<std::string> read;
  EXPECT_EQ(reader.next(record), Next::kEnd);
  for (const char byte : bytes) {
    file.append({&byte, 1});
    if (reader.next(record) == Next::kRecord) read.push_back(record);
  }
  EXPECT_EQ(read, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(reader.next(record), Next::kEnd);
}

TEST(RecordReader, NamesFileAndPlaceOfDamage) {
  const TemporaryFolder folder;
  const std::string good = framed({"first", "second record"});
  const size_t first = framed({"first"}).size();
  for (size_t i = first; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    write_file(folder / "r", bad);
    RecordReader reader(folder / "r");
    std::string record;
    ASSERT_EQ(reader.next(record), Next::kRecord);
    EXPECT_EQ(record, "first");
    expect_error(
        Code::kDataLoss, [&] { reader.next(record); }, folder / "r", str("byte ", first),
        "checksum");
    EXPECT_EQ(reader.offset(), first);
  }
}

TEST(RecordReader, ALengthBeyondTheFileAllocatesNothing) {
  const TemporaryFolder folder;
  // 2^62 and 2^64 - 1 with their right checksums.
  std::string record;
  for (const uint64_t length : {uint64_t{1} << 62, ~uint64_t{0}}) {
    std::string bytes(reinterpret_cast<const char*>(&length), 8);
    const uint32_t crc = mask_crc(crc32c(bytes));
    bytes.append(reinterpret_cast<const char*>(&crc), 4);
    write_file(folder / "r", bytes + std::string(100, 'x'));
    RecordReader reader(folder / "r");
    EXPECT_EQ(reader.next(record), Next::kTruncated);
  }
}

}  // namespace
}  // namespace thalweg
