// How often each value of a column occurs, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "thalweg/data/table.h"

namespace thalweg {

/// Counts texts, and integers and reals by what Column::cell writes for them. Manku and Motwani,
/// "Approximate frequency counts over data streams", 2002: where there are more values than
/// `capacity`, or texts of more than 256 bytes for each of it, the rarest are forgotten, so that
/// counts are too small by at most forgotten().
class ValueCounts {
 public:
  using Entry = std::pair<std::string, int64_t>;

  explicit ValueCounts(int64_t capacity) : capacity_(static_cast<size_t>(capacity)) {}

  void add(std::string_view text, int64_t times = 1);
  /// The cells of rows [begin, end) that are there, but empty texts.
  void add(const data::Column& column, int64_t begin, int64_t end);

  int64_t forgotten() const { return forgotten_; }
  /// How many values were known before the first were forgotten.
  int64_t most_distinct() const { return forgotten_ == 0 ? distinct() : most_distinct_; }
  /// How many values are known; those forgotten do not count.
  int64_t distinct() const;
  /// The most frequent first, of equally frequent ones the first by their bytes; at most `most`,
  /// none that occurs less than `min_count` times.
  std::vector<Entry> commonest(int64_t most, int64_t min_count = 1) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void forget_rarest();

  size_t capacity_;
  size_t bytes_ = 0;  // of texts_
  int64_t forgotten_ = 0, most_distinct_ = 0;
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> texts_;
  std::unordered_map<int64_t, int64_t> integers_;
  std::unordered_map<uint64_t, int64_t> reals_;  // by their bits
};

}  // namespace thalweg
