// Random forests (Breiman, Machine Learning 45, 2001), by trees of our own.
//
// XGBoost has forests too, but none that is Breiman's: a tree knows one output, so classes get
// trees of their own instead of common ones by Gini's index; trees add up margins where people
// expect the mean of shares; which rows a tree has seen is not told, so nothing can be estimated
// out of bag; and histograms are made of all columns where a split looks at the square root of
// them. Here a tree is a function of the seed and its number, so that trees grow side by side and
// the result does not depend on the threads.
//
// Each tree sees `row_share` of the rows, drawn without replacement: 0.632 of them are as many
// different rows as a bootstrap sample holds, and do as well (Buehlmann and Yu, "Analyzing
// bagging", 2002). Weights of rows count in the criterion and in the leaves; rows of weight 0 are
// not there.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "estimator/trees/forest_tree.h"
#include "estimator/trees/tree_training.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kRowsInGrain = 16;
constexpr int64_t kMostLeafValues = int64_t{1} << 30;  // 4 GiB

void check(const Forest& options, const TreeTask& task) {
  check_option("trees", static_cast<double>(options.trees), 1, 1e6);
  check_option("max_depth", static_cast<double>(options.max_depth), 1, 1e4);
  check_option("row_share", options.row_share, 1e-9, 1);
  check_option("column_share", options.column_share, 0, 1);
  if (task.goal == TreeGoal::kQuantile) {
    throw invalid_argument(
        "a forest averages the means of its leaves, which says nothing of quantiles; use boosted "
        "trees for them");
  }
}

TreeLink link_of(TreeGoal goal) {
  switch (goal) {
    case TreeGoal::kBinary:
    case TreeGoal::kMultiLabel: return TreeLink::kLogOdds;
    case TreeGoal::kMultiClass: return TreeLink::kLogShares;
    case TreeGoal::kPoisson: return TreeLink::kLog;
    default: return TreeLink::kNone;
  }
}

// A logit of what the trees give, as tree_network.cpp has it.
double linked(TreeLink link, double value) {
  const double share = std::clamp(value, kLeastShare, 1 - kLeastShare);
  switch (link) {
    case TreeLink::kNone: return value;
    case TreeLink::kLog: return std::log(std::max(value, kLeastShare));
    case TreeLink::kLogShares: return std::log(share);
    case TreeLink::kLogOdds: return std::log(share) - std::log(1 - share);
  }
  throw internal_error("no link ", static_cast<int>(link));
}

ForestTargets targets_of(const TreeTask& task, const CheckedRows& rows) {
  ForestTargets targets{.width = task.outputs, .weights = rows.weights};
  targets.mean.assign(static_cast<size_t>(task.outputs), 0.0);
  if (task.goal == TreeGoal::kMultiClass) {
    targets.classes = true;
    targets.class_of.assign(rows.labels.begin(), rows.labels.end());
    return targets;
  }
  const auto width = static_cast<size_t>(task.outputs);
  if (task.goal == TreeGoal::kSquaredError || task.goal == TreeGoal::kPoisson) {
    for (size_t i = 0; i < rows.labels.size(); ++i) {
      targets.mean[i % width] += static_cast<double>(rows.weights[i / width]) * rows.labels[i];
    }
    // Rounded, so that what is taken off a label comes back exactly.
    for (double& mean : targets.mean) mean = static_cast<float>(mean / rows.total_weight);
  }
  targets.values.resize(rows.labels.size());
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    targets.values[i] = static_cast<float>(rows.labels[i] - targets.mean[i % width]);
  }
  return targets;
}

int64_t columns_a_split(const Forest& options, const TreeTask& task, int64_t columns) {
  const auto all = static_cast<double>(columns);
  const bool means = task.goal == TreeGoal::kSquaredError || task.goal == TreeGoal::kPoisson;
  const double wanted = options.column_share > 0 ? options.column_share * all
                        : means                  ? all / 3
                                                 : std::sqrt(all);
  return std::clamp<int64_t>(std::llround(wanted), 1, columns);
}

// `share` of `rows`, in their order: Knuth, "The Art of Computer Programming" 2, algorithm 3.4.2 S.
std::vector<int32_t> draw(const std::vector<int32_t>& rows, double share, Philox& random) {
  const size_t count = rows.size();
  const auto wanted = std::clamp<size_t>(
      static_cast<size_t>(std::llround(share * static_cast<double>(count))), 1, count);
  std::vector<int32_t> drawn;
  drawn.reserve(wanted);
  for (size_t i = 0; i < count && drawn.size() < wanted; ++i) {
    if (random.below(count - i) < wanted - drawn.size()) drawn.push_back(rows[i]);
  }
  return drawn;
}

class Planting {
 public:
  Planting(const Forest& options, const TreeTask& task)
      : options_(options),
        task_(task),
        rows_(check_rows(task, task.training, "training")),
        columns_(bin_columns(rows_)),
        targets_(targets_of(task, rows_)) {
    for (int64_t i = 0; i < rows_.rows; ++i) {
      if (rows_.weights[static_cast<size_t>(i)] > 0) used_.push_back(static_cast<int32_t>(i));
    }
  }

  // As many trees as the task's after_round wants.
  bool grow() {
    const GrowOptions grow = {.max_depth = options_.max_depth,
                              .columns_a_split = columns_a_split(options_, task_, rows_.columns),
                              .most_values = kMostLeafValues / options_.trees};
    const int64_t threads = num_threads();
    while (made() < options_.trees) {
      const int64_t first = made();
      const int64_t count = std::min(options_.trees - first, 4 * threads);
      plant(grow, first, count);
      for (int64_t i = first; i < first + count; ++i) {
        if (!task_.after_round || task_.after_round({.round = i + 1})) continue;
        trees_.resize(static_cast<size_t>(i) + 1);
        gains_.resize(trees_.size());
        return i + 1 == options_.trees;
      }
    }
    return true;
  }

  TreeTraining finish() {
    TreeTraining result;
    const auto scale = static_cast<float>(1.0 / static_cast<double>(made()));
    const std::vector<float> base(static_cast<size_t>(task_.outputs), 0.0f);
    result.ensemble =
        join_trees(trees_, rows_.columns, task_.outputs, base, scale, link_of(task_.goal));
    std::vector<double> gains(static_cast<size_t>(rows_.columns), 0.0);
    for (const std::vector<double>& tree : gains_) {
      for (size_t c = 0; c < gains.size(); ++c) gains[c] += tree[c];
    }
    result.importance = to_shares(std::move(gains));
    if (task_.wants_out_of_bag && options_.row_share < 1) estimate_out_of_bag(result);
    return result;
  }

  int64_t made() const { return static_cast<int64_t>(trees_.size()); }

 private:
  void plant(const GrowOptions& grow, int64_t first, int64_t count) {
    trees_.resize(static_cast<size_t>(first + count));
    gains_.resize(trees_.size());
    std::atomic<int64_t> next = first;
    parallel_for(std::min<int64_t>(count, num_threads()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t worker = begin; worker < end; ++worker) {
        for (int64_t t = next++; t < first + count; t = next++) {
          const auto at = static_cast<size_t>(t);
          Philox random = stream(t);
          gains_[at].assign(static_cast<size_t>(rows_.columns), 0.0);
          trees_[at] = grow_tree(columns_, targets_, grow, draw(used_, options_.row_share, random),
                                 random, gains_[at]);
        }
      }
    });
  }

  Philox stream(int64_t tree) const {
    return Philox(mix_seed(task_.seed, "forest"), static_cast<uint64_t>(tree));
  }

  // Which rows a tree has seen is drawn once more: it takes less time than it would memory.
  std::vector<uint8_t> seen_by(int64_t tree) const {
    Philox random = stream(tree);
    std::vector<uint8_t> seen(static_cast<size_t>(rows_.rows), 0);
    for (int32_t row : draw(used_, options_.row_share, random)) seen[static_cast<size_t>(row)] = 1;
    return seen;
  }

  void estimate_out_of_bag(TreeTraining& result) const {
    const auto width = static_cast<size_t>(task_.outputs);
    std::vector<double> sums(static_cast<size_t>(rows_.rows) * width, 0.0);
    std::vector<int32_t> counts(static_cast<size_t>(rows_.rows), 0);
    for (int64_t t = 0; t < made(); ++t) {
      const std::vector<uint8_t> seen = seen_by(t);
      const GrownTree& tree = trees_[static_cast<size_t>(t)];
      parallel_for(rows_.rows, kRowsInGrain * 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const auto row = static_cast<size_t>(i);
          if (seen[row] != 0) continue;
          const float* values = leaf_values(tree, rows_.features + i * rows_.columns);
          for (size_t k = 0; k < width; ++k) sums[row * width + k] += values[k];
          ++counts[row];
        }
      });
    }
    result.out_of_bag = Tensor(kFloat32, {rows_.rows, task_.outputs});
    auto out = result.out_of_bag.mutable_data<float>();
    const TreeLink link = link_of(task_.goal);
    for (size_t i = 0; i < sums.size(); ++i) {
      const int32_t count = counts[i / width];
      out[i] = count == 0 ? NAN : static_cast<float>(linked(link, sums[i] / count));
    }
    result.out_of_bag_rows =
        std::count_if(counts.begin(), counts.end(), [](int32_t count) { return count > 0; });
  }

  const float* leaf_values(const GrownTree& tree, const float* x) const {
    const GrownTree::Node* node = tree.nodes.data();
    while (node->column >= 0) {
      const float value = x[node->column];
      const bool right = std::isnan(value) ? node->missing_right : !(value < node->threshold);
      node = tree.nodes.data() + (right ? node->right : node->left);
    }
    return tree.values.data() + node->leaf * task_.outputs;
  }

  const Forest& options_;
  const TreeTask& task_;
  CheckedRows rows_;
  BinnedColumns columns_;
  ForestTargets targets_;
  std::vector<int32_t> used_;  // rows that count
  std::vector<GrownTree> trees_;
  std::vector<std::vector<double>> gains_;  // by tree and column
};

}  // namespace

TreeTraining train_forest(const Forest& options, const TreeTask& task) {
  check(options, task);
  Planting planting(options, task);
  const bool complete = planting.grow();
  TreeTraining result = planting.finish();
  const int64_t trees = planting.made();
  result.interrupted = !complete;
  result.message =
      complete ? str("all ", trees, " trees made") : str("stopped after ", trees, " trees");
  for (int64_t i = 1; i <= trees; ++i) result.history.push_back({.round = i});
  return result;
}

}  // namespace thalweg
