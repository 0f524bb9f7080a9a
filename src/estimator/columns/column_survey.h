// What one look at a column of a table tells of its nature.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>

#include "estimator/columns/column_scan.h"

namespace thalweg {

class ColumnSurvey {
 public:
  /// At most so many values are told apart.
  static constexpr int64_t kMostDistinct = 100000;

  /// `columns`: how many there are, which share the memory.
  ColumnSurvey(data::ColumnInfo info, int64_t columns);
  void add(const data::Column& cells);

  const data::ColumnInfo& info() const { return info_; }
  bool is_text() const { return info_.type == data::ColumnType::kText; }
  int64_t present() const { return scan_.rows() - scan_.missing(); }
  int64_t missing() const { return scan_.missing(); }
  int64_t distinct() const { return scan_.distinct(); }
  /// Whether there are more values than were told apart.
  bool has_many() const { return scan_.has_ended(); }
  /// The share of values that differ, of the rows until there were too many.
  double distinct_share() const { return scan_.distinct_share(); }
  /// How many values occur more than once.
  int64_t repeated() const;
  bool all_differ() const { return !has_many() && distinct() == present(); }
  /// Of numbers. No infinite one is counted.
  const Moments& moments() const { return moments_; }
  /// Integers: each is greater than the one before.
  bool rises() const { return rises_; }
  /// Texts.
  bool are_dates() const { return present() > 0 && dates_ == present(); }
  double mean_words() const;
  /// Those that read as numbers, and one that does not.
  int64_t numbers() const { return numbers_; }
  const std::string& no_number() const { return no_number_; }
  /// The separator that most texts hold, of "|;, ", if any holds one; in how many; how many parts
  /// there are, at most 1000 are told apart.
  struct Parts {
    char separator = 0;
    int64_t cells = 0;
    int64_t distinct = 0;
  };
  std::optional<Parts> parts(std::string_view separators) const;
  /// The commonest value.
  std::string commonest() const;

 private:
  void add_text(std::string_view cell);

  struct Separator {
    char character;
    int64_t cells = 0;
    std::set<std::string, std::less<>> parts = {};
  };
  data::ColumnInfo info_;
  ColumnScan scan_;
  Moments moments_;
  bool rises_ = true;
  std::optional<int64_t> last_;
  int64_t dates_ = 0, words_ = 0, numbers_ = 0;
  std::string no_number_;
  std::array<Separator, 4> separators_ = {{{'|'}, {';'}, {','}, {' '}}};
};

}  // namespace thalweg
