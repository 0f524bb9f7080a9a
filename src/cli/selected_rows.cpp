#include "cli/selected_rows.h"

#include <algorithm>
#include <utility>

#include "thalweg/base/error.h"

namespace thalweg::cli {
namespace {

constexpr int64_t kMostRowsAtOnce = 1 << 16;

class SelectedReader : public data::TableReader {
 public:
  SelectedReader(std::shared_ptr<const data::TableSource> all, RowParts parts, Part part)
      : all_(std::move(all)), reader_(all_->open()), parts_(std::move(parts)), part_(part) {}

  std::optional<Table> next(int64_t most_rows) override {
    Table result = std::exchange(rest_, Table());
    while (result.rows() < most_rows && !at_end_) {
      std::optional<Table> rows = reader_->next(std::min(most_rows, kMostRowsAtOnce));
      at_end_ = !rows.has_value();
      if (!rows) break;
      Table selected = select(*rows);
      if (selected.rows() == 0) continue;
      if (result.rows() == 0) {
        result = std::move(selected);
      } else {
        result.append(selected);
      }
    }
    if (result.rows() == 0) return std::nullopt;
    if (result.rows() > most_rows) {
      rest_ = result.rows(most_rows, result.rows());
      result = result.rows(0, most_rows);
    }
    return result;
  }

 private:
  Table select(const Table& rows) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < rows.rows(); ++i) {
      const auto row = static_cast<size_t>(row_++);
      if (row >= parts_->size()) {
        throw data_loss(all_->name(), ": has more rows than before; it has changed meanwhile");
      }
      if ((*parts_)[row] == part_) places.push_back(i);
    }
    return rows.rows(places);
  }

  std::shared_ptr<const data::TableSource> all_;
  std::unique_ptr<data::TableReader> reader_;
  RowParts parts_;
  Part part_;
  int64_t row_ = 0;
  bool at_end_ = false;
  Table rest_;
};

class SelectedRows : public data::TableSource {
 public:
  SelectedRows(std::shared_ptr<const data::TableSource> all, RowParts parts, Part part)
      : all_(std::move(all)), parts_(std::move(parts)), part_(part) {
    name_ = all_->name();
    notes_ = all_->notes();
    rows_ = std::ranges::count(*parts_, part_);
  }

  const std::vector<data::ColumnInfo>& columns() const override { return all_->columns(); }
  std::unique_ptr<data::TableReader> open() const override {
    return std::make_unique<SelectedReader>(all_, parts_, part_);
  }
  std::optional<int64_t> rows() const override { return rows_; }

  // FNV-1a over the bytes' own and the choice.
  uint64_t fingerprint() const override {
    uint64_t hash = all_->fingerprint();
    for (const Part part : *parts_) hash = (hash ^ (part == part_ ? 1U : 0U)) * 0x100000001b3U;
    return hash;
  }

 private:
  std::shared_ptr<const data::TableSource> all_;
  RowParts parts_;
  Part part_;
  int64_t rows_ = 0;
};

}  // namespace

std::shared_ptr<const data::TableSource> select_rows(std::shared_ptr<const data::TableSource> all,
                                                     RowParts parts, Part part) {
  return std::make_shared<SelectedRows>(std::move(all), std::move(parts), part);
}

}  // namespace thalweg::cli
