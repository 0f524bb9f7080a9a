#include "estimator/columns/quantile_sketch.h"

#include <algorithm>

#include "thalweg/base/error.h"

namespace thalweg {

void QuantileSketch::add(double value) {
  if (static_cast<int64_t>(buffer_.size()) == kExact) merge_up();
  buffer_.push_back(value);
  ++count_;
}

// The full buffer goes to level 0; where a buffer waits already, both become one of the next level.
void QuantileSketch::merge_up() {
  std::ranges::sort(buffer_);
  std::vector<double> rising = std::move(buffer_);
  buffer_.clear();
  for (size_t i = 0;; ++i) {
    if (i == levels_.size()) levels_.emplace_back();
    Level& level = levels_[i];
    if (level.values.empty()) {
      level.values = std::move(rising);
      return;
    }
    std::vector<double> both(level.values.size() + rising.size());
    std::ranges::merge(level.values, rising, both.begin());
    level.values.clear();
    rising.clear();
    for (size_t k = level.odd ? 1 : 0; k < both.size(); k += 2) rising.push_back(both[k]);
    level.odd = !level.odd;
  }
}

void QuantileSketch::finish() {
  sorted_.clear();
  for (const double value : buffer_) sorted_.push_back({value, 1});
  for (size_t i = 0; i < levels_.size(); ++i) {
    for (const double value : levels_[i].values) sorted_.push_back({value, int64_t{1} << i});
  }
  std::ranges::sort(sorted_, {}, &Weighted::value);
  int64_t below = 0;  // from here on `weight` is how many values lie up to and with this one
  for (Weighted& entry : sorted_) below = entry.weight += below;
}

double QuantileSketch::at(int64_t rank) const {
  THALWEG_CHECK(!sorted_.empty(), "no values, or finish() was not called");
  const auto found = std::ranges::upper_bound(sorted_, rank, {}, &Weighted::weight);
  return found == sorted_.end() ? sorted_.back().value : found->value;
}

double QuantileSketch::median() const {
  return count_ % 2 != 0 ? at(count_ / 2) : (at(count_ / 2 - 1) + at(count_ / 2)) / 2;
}

}  // namespace thalweg
