#include "estimator/columns/value_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "thalweg/base/strings.h"

namespace thalweg {
namespace {

constexpr size_t kBytesAText = 256;

template <class Map>
void erase_below(Map& map, int64_t least) {
  std::erase_if(map, [&](const auto& entry) { return entry.second < least; });
}

}  // namespace

void ValueCounts::add(std::string_view text, int64_t times) {
  const auto found = texts_.find(text);
  if (found != texts_.end()) {
    found->second += times;
    return;
  }
  texts_.emplace(text, times);
  bytes_ += text.size();
  if (texts_.size() > capacity_ || bytes_ > kBytesAText * capacity_) forget_rarest();
}

void ValueCounts::add(const data::Column& column, int64_t begin, int64_t end) {
  const auto each = [&](auto&& add_row) {
    for (int64_t row = begin; row < end; ++row) {
      if (column.is_missing(row)) continue;
      add_row(row);
      if (integers_.size() > capacity_ || reals_.size() > capacity_) forget_rarest();
    }
  };
  switch (column.type()) {
    case data::ColumnType::kInteger: {
      const auto cells = column.integers();
      each([&](int64_t row) { ++integers_[cells[static_cast<size_t>(row)]]; });
      break;
    }
    case data::ColumnType::kReal: {
      const auto cells = column.reals();
      each(
          [&](int64_t row) { ++reals_[std::bit_cast<uint64_t>(cells[static_cast<size_t>(row)])]; });
      break;
    }
    case data::ColumnType::kText: {
      const data::Texts& cells = column.texts();
      each([&](int64_t row) {
        if (!cells[row].empty()) add(cells[row]);
      });
      break;
    }
  }
}

// At least an eighth of the values is forgotten, so that the work is little for each.
void ValueCounts::forget_rarest() {
  if (forgotten_ == 0) most_distinct_ = distinct();
  std::vector<int64_t> counts;
  for (const auto& [value, count] : texts_) counts.push_back(count);
  for (const auto& [value, count] : integers_) counts.push_back(count);
  for (const auto& [value, count] : reals_) counts.push_back(count);
  const auto middle = counts.begin() + static_cast<int64_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  int64_t least = *middle;
  const auto below = std::ranges::count_if(counts, [&](int64_t count) { return count < least; });
  if (below < std::max<int64_t>(1, std::ssize(counts) / 8)) ++least;
  erase_below(texts_, least);
  bytes_ = 0;
  for (const auto& [text, count] : texts_) bytes_ += text.size();
  erase_below(integers_, least);
  erase_below(reals_, least);
  forgotten_ += least - 1;
}

int64_t ValueCounts::distinct() const {
  return static_cast<int64_t>(texts_.size() + integers_.size() + reals_.size());
}

std::vector<ValueCounts::Entry> ValueCounts::commonest(int64_t most, int64_t min_count) const {
  std::vector<Entry> entries;
  const auto take = [&](std::string value, int64_t count) {
    if (count >= min_count) entries.emplace_back(std::move(value), count);
  };
  for (const auto& [value, count] : texts_) take(value, count);
  for (const auto& [value, count] : integers_) take(str(value), count);
  for (const auto& [value, count] : reals_) take(str(std::bit_cast<double>(value)), count);
  const auto before = [](const Entry& a, const Entry& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  const size_t kept = std::min(entries.size(), static_cast<size_t>(most));
  std::partial_sort(entries.begin(), entries.begin() + static_cast<int64_t>(kept), entries.end(),
                    before);
  entries.resize(kept);
  return entries;
}

}  // namespace thalweg
