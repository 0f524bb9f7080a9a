// A table in memory as a source: the user's own, and what is read whole.
#pragma once

#include "thalweg/data/table_source.h"

namespace thalweg::data {

class MemorySource final : public TableSource {
 public:
  MemorySource(Table table, std::string name, std::vector<std::string> notes = {});
  const std::vector<ColumnInfo>& columns() const override { return infos_; }
  std::unique_ptr<TableReader> open() const override;
  std::optional<int64_t> rows() const override { return table_->rows(); }
  uint64_t fingerprint() const override;

 private:
  std::shared_ptr<const Table> table_;
  std::vector<ColumnInfo> infos_;
};

}  // namespace thalweg::data
