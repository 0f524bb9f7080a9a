// Quantiles of a column that may be longer than memory.
//
// Munro and Paterson, "Selection and sorting with limited storage", 1980: full buffers of equal
// weight are merged in pairs, every other value of the sorted pair is kept, with twice the weight.
// Exact up to kExact values; beyond, with h mergers above each other, a rank is off by at most h /
// (2 kExact) of all values: 0.0023 % at a thousand million. Which values come out depends on the
// values and their order alone.
#pragma once

#include <cstdint>
#include <vector>

namespace thalweg {

class QuantileSketch {
 public:
  static constexpr int64_t kExact = int64_t{1} << 18;

  /// `value` is no NaN.
  void add(double value);
  int64_t count() const { return count_; }
  /// Whether at() is exact.
  bool is_exact() const { return levels_.empty(); }

  /// Everything sorted, once: then at() answers.
  void finish();
  /// The value of rank `rank` in [0, count()), from the least. Only after finish().
  double at(int64_t rank) const;
  /// The middle one, or the mean of the two middle ones.
  double median() const;

 private:
  struct Level {
    std::vector<double> values;  // sorted; empty: none waits here
    bool odd = false;            // which of each two is kept next
  };
  struct Weighted {
    double value;
    int64_t weight;
  };
  void merge_up();

  std::vector<double> buffer_;
  std::vector<Level> levels_;  // values at level i count 2^i
  int64_t count_ = 0;
  std::vector<Weighted> sorted_;
};

}  // namespace thalweg
