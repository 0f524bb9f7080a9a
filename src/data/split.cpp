#include "thalweg/data/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "thalweg/base/philox.h"

namespace thalweg::data {
namespace {

void check_fraction(double fraction) {
  if (fraction >= 0 && fraction < 1) return;  // false for NaN
  throw invalid_argument("validation fraction ", fraction, ", expected 0 or more and less than 1");
}

void shuffle(std::vector<int64_t>& rows, uint64_t seed) {
  Philox random(seed);
  for (size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1], rows[static_cast<size_t>(random.below(i))]);
}

/// Rows of each class, classes in the order of their labels.
std::vector<std::vector<int64_t>> rows_by_class(const Tensor& labels) {
  std::vector<std::vector<int64_t>> result;
  visit_dtype(labels.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
      std::map<T, std::vector<int64_t>> classes;
      int64_t row = 0;
      for (const T& label : labels.data<T>()) classes[label].push_back(row++);
      for (auto& [label, rows] : classes) result.push_back(std::move(rows));
    } else {
      throw invalid_argument("labels of ", labels.dtype(),
                             " have no classes to keep the shares of; use integers, bool "
                             "or strings, or random_split()");
    }
  });
  return result;
}

/// How many rows of each class go to validation: the floor of its share, then one more for the
/// largest remainders, round after round where some classes have none to give, until the total is
/// right.
std::vector<int64_t> shares(const std::vector<std::vector<int64_t>>& classes, int64_t rows,
                            double fraction) {
  std::vector<int64_t> result;
  std::vector<double> remainder;
  int64_t left = std::llround(fraction * static_cast<double>(rows));
  for (const auto& members : classes) {
    const double share = fraction * static_cast<double>(members.size());
    result.push_back(
        std::min(static_cast<int64_t>(share), static_cast<int64_t>(members.size()) - 1));
    remainder.push_back(share - std::floor(share));
    left -= result.back();
  }
  std::vector<size_t> order(classes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return remainder[a] != remainder[b] ? remainder[a] > remainder[b]
                                        : classes[a].size() > classes[b].size();
  });
  bool given = true;
  while (left > 0 && given) {
    given = false;
    for (const size_t i : order) {
      if (left <= 0) break;
      // The last one trains.
      if (result[i] + 1 >= static_cast<int64_t>(classes[i].size())) continue;
      ++result[i];
      --left;
      given = true;
    }
  }
  return result;
}

/// Moves `count` random members of `rows` to validation, the others to training.
void deal(std::vector<int64_t> rows, int64_t count, uint64_t seed, RowSplit& split) {
  shuffle(rows, seed);
  split.validation.insert(split.validation.end(), rows.begin(), rows.begin() + count);
  split.training.insert(split.training.end(), rows.begin() + count, rows.end());
}

void sort(RowSplit& split) {
  std::ranges::sort(split.training);
  std::ranges::sort(split.validation);
}

}  // namespace

RowSplit stratified_split(const Tensor& labels, double fraction, uint64_t seed) {
  check_fraction(fraction);
  if (labels.rank() != 1)
    throw invalid_argument("labels must be a vector, got ", labels.dtype(), labels.shape());
  const auto classes = rows_by_class(labels);
  const auto counts = shares(classes, labels.dim(0), fraction);
  RowSplit split;
  for (size_t i = 0; i < classes.size(); ++i) deal(classes[i], counts[i], mix_seed(seed, i), split);
  sort(split);
  return split;
}

RowSplit random_split(int64_t rows, double fraction, uint64_t seed) {
  check_fraction(fraction);
  if (rows < 0) throw invalid_argument("cannot split ", rows, " rows");
  std::vector<int64_t> all(static_cast<size_t>(rows));
  std::iota(all.begin(), all.end(), int64_t{0});
  const int64_t count = std::min(std::llround(fraction * static_cast<double>(rows)),
                                 std::max<long long>(0, rows - 1));
  RowSplit split;
  deal(std::move(all), count, mix_seed(seed, uint64_t{0}), split);
  sort(split);
  return split;
}

}  // namespace thalweg::data
