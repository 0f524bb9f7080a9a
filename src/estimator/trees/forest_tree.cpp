#include "estimator/trees/forest_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

// A gain below this share of what it is a difference of is rounding.
constexpr double kLeastGain = 1e-10;
constexpr int64_t kSortBelow = 2;  // bins a row, from which on sorting is quicker than a histogram

struct Split {
  double gain = 0;
  int32_t column = -1;
  uint8_t last_left = 0;  // bin
  float threshold = 0;
  bool missing_right = false;
};

struct Open {
  int32_t node;
  int64_t begin, end;  // in rows_
  int64_t depth;
};

// The sums of some rows: weight, then weighted targets.
using Sums = std::vector<double>;

class Grower {
 public:
  Grower(const BinnedColumns& columns, const ForestTargets& targets, const GrowOptions& options,
         std::vector<int32_t> rows, Philox& random, std::vector<double>& gains)
      : columns_(columns),
        targets_(targets),
        options_(options),
        stride_(static_cast<size_t>(targets.width) + 1),
        rows_(std::move(rows)),
        buffer_(rows_.size()),
        random_(random),
        gains_(gains),
        order_(columns.columns.size()),
        histogram_(256 * stride_),
        total_(stride_),
        left_(stride_),
        missing_(stride_),
        nothing_(stride_) {
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  GrownTree grow() {
    tree_.nodes.emplace_back();
    std::vector<Open> open = {{0, 0, static_cast<int64_t>(rows_.size()), 0}};
    while (!open.empty()) {
      const Open now = open.back();
      open.pop_back();
      const bool mixed = add_up(now.begin, now.end);
      Split best;
      if (mixed && now.depth < options_.max_depth) best = find_split(now.begin, now.end);
      if (best.column < 0) {
        make_leaf(now.node);
        continue;
      }
      gains_[static_cast<size_t>(best.column)] += best.gain;
      const int64_t middle = partition(now.begin, now.end, best);
      const auto left = static_cast<int32_t>(tree_.nodes.size());
      tree_.nodes[static_cast<size_t>(now.node)] = {best.column, best.threshold, best.missing_right,
                                                    left,        left + 1,       0};
      tree_.nodes.resize(tree_.nodes.size() + 2);
      open.push_back({left + 1, middle, now.end, now.depth + 1});
      open.push_back({left, now.begin, middle, now.depth + 1});
    }
    return std::move(tree_);
  }

 private:
  void add_row(double* sums, size_t row) const {
    const double weight = targets_.weights[row];
    sums[0] += weight;
    if (targets_.classes) {
      sums[1 + targets_.class_of[row]] += weight;
    } else if (stride_ == 2) {
      sums[1] += weight * targets_.values[row];
    } else {
      const float* values = targets_.values.data() + row * (stride_ - 1);
      for (size_t k = 1; k < stride_; ++k) sums[k] += weight * values[k - 1];
    }
  }

  bool same_target(size_t a, size_t b) const {
    if (targets_.classes) return targets_.class_of[a] == targets_.class_of[b];
    const float* values = targets_.values.data();
    const size_t width = stride_ - 1;
    return std::equal(values + a * width, values + (a + 1) * width, values + b * width);
  }

  // Sets total_; false when all rows have the same target.
  bool add_up(int64_t begin, int64_t end) {
    std::fill(total_.begin(), total_.end(), 0.0);
    const auto first = static_cast<size_t>(rows_[static_cast<size_t>(begin)]);
    bool mixed = false;
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(rows_[static_cast<size_t>(i)]);
      add_row(total_.data(), row);
      mixed = mixed || !same_target(first, row);
    }
    return mixed;
  }

  void make_leaf(int32_t node) {
    const auto values = static_cast<int64_t>(tree_.values.size());
    if (values + targets_.width > options_.most_values) {
      throw resource_exhausted("a tree of the forest has more than ", values / targets_.width,
                               " leaves of ", targets_.width, " values (one ",
                               targets_.classes ? "a class" : "an output",
                               ") each, which is more than the memory that all trees may take; use "
                               "fewer trees or a smaller max_depth, or a model that is no forest");
    }
    tree_.nodes[static_cast<size_t>(node)].leaf =
        static_cast<int32_t>(tree_.values.size() / (stride_ - 1));
    for (size_t k = 1; k < stride_; ++k) {
      tree_.values.push_back(static_cast<float>(targets_.mean[k - 1] + total_[k] / total_[0]));
    }
  }

  // Columns in a random order, until enough could have been split.
  Split find_split(int64_t begin, int64_t end) {
    Split best;
    const double before = sum_of_squares(total_.data()) / total_[0];
    int64_t tried = 0;
    for (size_t i = 0; i < order_.size() && tried < options_.columns_a_split; ++i) {
      std::swap(order_[i], order_[i + random_.below(order_.size() - i)]);
      if (fill_bins(order_[i], begin, end)) {
        ++tried;
        look_at_bins(order_[i], before, best);
      }
    }
    return best;
  }

  // Sets bins_ to those that hold a row, in order, and missing_. False when there is one place.
  bool fill_bins(size_t column, int64_t begin, int64_t end) {
    const uint8_t* codes = columns_.codes_of(column);
    const auto bins = static_cast<int64_t>(columns_.columns[column].low.size());
    std::fill(missing_.begin(), missing_.end(), 0.0);
    bins_.clear();
    if (bins == 0) return false;
    if ((end - begin) * kSortBelow < bins) {
      fill_by_sorting(codes, begin, end);
    } else {
      fill_by_counting(codes, begin, end, bins);
    }
    return bins_.size() + (missing_[0] > 0 ? 1 : 0) > 1;
  }

  void fill_by_counting(const uint8_t* codes, int64_t begin, int64_t end, int64_t bins) {
    std::fill_n(histogram_.begin(), static_cast<size_t>(bins) * stride_, 0.0);
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(rows_[static_cast<size_t>(i)]);
      const uint8_t code = codes[row];
      add_row(
          code == BinnedColumns::kMissing ? missing_.data() : histogram_.data() + code * stride_,
          row);
    }
    for (int64_t bin = 0; bin < bins; ++bin) {
      const double* sums = histogram_.data() + static_cast<size_t>(bin) * stride_;
      if (sums[0] > 0) bins_.push_back({static_cast<uint8_t>(bin), sums});
    }
  }

  void fill_by_sorting(const uint8_t* codes, int64_t begin, int64_t end) {
    keys_.clear();
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(rows_[static_cast<size_t>(i)]);
      keys_.push_back(static_cast<uint32_t>(codes[row]) << 24 | static_cast<uint32_t>(i - begin));
    }
    std::sort(keys_.begin(), keys_.end());
    double* sums = histogram_.data() - stride_;
    int last = -1;
    for (uint32_t key : keys_) {
      const auto code = static_cast<uint8_t>(key >> 24);
      const auto row = static_cast<size_t>(rows_[static_cast<size_t>(begin + (key & 0xffffff))]);
      if (code == BinnedColumns::kMissing) {
        add_row(missing_.data(), row);
        continue;
      }
      if (code != last) {
        last = code;
        sums += stride_;
        std::fill_n(sums, stride_, 0.0);
        bins_.push_back({code, sums});
      }
      add_row(sums, row);
    }
  }

  static double square(double x) { return x * x; }

  double sum_of_squares(const double* sums) const {
    double result = 0;
    for (size_t k = 1; k < stride_; ++k) result += square(sums[k]);
    return result;
  }

  // Sum over both sides of (sum of targets)^2 / weight, which splits are to make large; `extra` is
  // put to the left.
  double score(const double* extra) const {
    double left = 0, right = 0;
    for (size_t k = 1; k < stride_; ++k) {
      const double sum = left_[k] + extra[k];
      left += square(sum);
      right += square(total_[k] - sum);
    }
    const double weight = left_[0] + extra[0];
    return left / weight + right / (total_[0] - weight);
  }

  void look_at_bins(size_t column, double before, Split& best) {
    const bool some_missing = missing_[0] > 0;
    const BinnedColumns::Column& values = columns_.columns[column];
    std::fill(left_.begin(), left_.end(), 0.0);
    const size_t count = bins_.size() - (some_missing ? 0 : 1);
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < stride_; ++k) left_[k] += bins_[i].sums[k];
      const bool last = i + 1 == bins_.size();  // all numbers left, what is missing right
      for (const bool missing_right : {true, false}) {
        if (!missing_right && (!some_missing || last)) continue;
        const double* extra = missing_right ? nothing_.data() : missing_.data();
        const double after = score(extra);
        const double gain = after - before;
        if (gain <= best.gain || gain <= kLeastGain * after) continue;
        best = {gain, static_cast<int32_t>(column), bins_[i].code,
                last ? std::numeric_limits<float>::infinity()
                     : between(values.high[bins_[i].code], values.low[bins_[i + 1].code]),
                missing_right};
        // Where nothing is missing, a later missing value goes with the larger part.
        if (!some_missing) best.missing_right = left_[0] * 2 < total_[0];
      }
    }
  }

  // A value t with a < t <= b.
  static float between(float a, float b) {
    const auto middle = static_cast<float>(a + (static_cast<double>(b) - a) / 2);
    return middle > a ? middle : b;
  }

  // Rows of the left child come first, in their order. Returns where the right ones begin.
  int64_t partition(int64_t begin, int64_t end, const Split& split) {
    const uint8_t* codes = columns_.codes_of(static_cast<size_t>(split.column));
    int64_t left = begin;
    int64_t right = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int32_t row = rows_[static_cast<size_t>(i)];
      const uint8_t code = codes[row];
      const bool goes_right =
          code == BinnedColumns::kMissing ? split.missing_right : code > split.last_left;
      if (goes_right) {
        buffer_[static_cast<size_t>(right++)] = row;
      } else {
        rows_[static_cast<size_t>(left++)] = row;
      }
    }
    std::copy_n(buffer_.begin(), right, rows_.begin() + left);
    return left;
  }

  struct Bin {
    uint8_t code;
    const double* sums;
  };

  const BinnedColumns& columns_;
  const ForestTargets& targets_;
  const GrowOptions& options_;
  size_t stride_;
  std::vector<int32_t> rows_, buffer_;
  Philox& random_;
  std::vector<double>& gains_;
  std::vector<size_t> order_;
  Sums histogram_, total_, left_, missing_, nothing_;
  std::vector<Bin> bins_;
  std::vector<uint32_t> keys_;
  GrownTree tree_;
};

}  // namespace

GrownTree grow_tree(const BinnedColumns& columns, const ForestTargets& targets,
                    const GrowOptions& options, std::vector<int32_t> rows, Philox& random,
                    std::vector<double>& gains) {
  return Grower(columns, targets, options, std::move(rows), random, gains).grow();
}

}  // namespace thalweg
