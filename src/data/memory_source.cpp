// Tables in memory as sources.
#include <algorithm>

#include "data/memory_source.h"
#include "thalweg/base/crc32c.h"

namespace thalweg::data {
namespace {

class MemoryReader final : public TableReader {
 public:
  explicit MemoryReader(std::shared_ptr<const Table> table) : table_(std::move(table)) {}
  std::optional<Table> next(int64_t most_rows) override {
    const int64_t begin = done_;
    done_ = begin + std::min(std::max<int64_t>(most_rows, 1), table_->rows() - begin);
    if (begin == done_) return std::nullopt;
    if (begin == 0 && done_ == table_->rows()) return *table_;
    return table_->rows(begin, done_);
  }

 private:
  std::shared_ptr<const Table> table_;
  int64_t done_ = 0;
};

uint64_t hash(uint64_t so_far, const void* bytes, size_t size) {
  // Two checksums of 32 bits side by side, the second fed with the first.
  const uint32_t low = crc32c(static_cast<uint32_t>(so_far), bytes, size);
  const uint64_t mixed = so_far ^ (uint64_t{low} * 0x9E3779B97F4A7C15u) ^ size;
  return (uint64_t{crc32c(static_cast<uint32_t>(so_far >> 32), &mixed, sizeof(mixed))} << 32) | low;
}

}  // namespace

MemorySource::MemorySource(Table table, std::string name, std::vector<std::string> notes)
    : table_(std::make_shared<Table>(std::move(table))), infos_(table_->infos()) {
  name_ = std::move(name);
  notes_ = std::move(notes);
}

std::unique_ptr<TableReader> MemorySource::open() const {
  return std::make_unique<MemoryReader>(table_);
}

uint64_t MemorySource::fingerprint() const {
  uint64_t result = static_cast<uint64_t>(table_->rows());
  for (const Column& column : table_->columns()) {
    result = hash(result, column.name().data(), column.name().size());
    switch (column.type()) {
      case ColumnType::kInteger:
        result = hash(result, column.integers().data(), column.integers().size_bytes());
        break;
      case ColumnType::kReal:
        result = hash(result, column.reals().data(), column.reals().size_bytes());
        break;
      case ColumnType::kText:
        for (int64_t i = 0; i < column.size(); ++i)
          result = hash(result, column.texts()[i].data(), column.texts()[i].size());
        break;
    }
    result = hash(result, column.missing().data(), column.missing().size());
  }
  return result;
}

std::shared_ptr<const TableSource> table_source(Table table, std::string name) {
  return std::make_shared<MemorySource>(std::move(table), std::move(name));
}

}  // namespace thalweg::data
