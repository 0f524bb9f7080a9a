#include "cli/spread.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "thalweg/base/error.h"
#include "thalweg/base/philox.h"

namespace thalweg::cli {
namespace {

constexpr int kDraws = 200;
constexpr size_t kMostPoints = 500;
constexpr double kLeastProbability = 1e-15;

// `figures` of how often each row was drawn; their deviations over the draws.
std::map<std::string, double> spreads(
    size_t rows, uint64_t seed,
    const std::function<std::map<std::string, double>(const std::vector<double>&)>& figures) {
  if (rows < 2) return {};
  Philox random(mix_seed(seed, "spread"));
  struct Sums {
    double sum = 0, squares = 0;
    int count = 0;
  };
  std::map<std::string, Sums> sums;
  std::vector<double> counts;
  for (int draw = 0; draw < kDraws; ++draw) {
    counts.assign(rows, 0);
    for (size_t i = 0; i < rows; ++i) ++counts[random.below(rows)];
    for (const auto& [name, value] : figures(counts)) {
      if (!std::isfinite(value)) continue;  // a draw without one of the classes
      Sums& s = sums[name];
      s.sum += value;
      s.squares += value * value;
      ++s.count;
    }
  }
  std::map<std::string, double> result;
  for (const auto& [name, s] : sums) {
    if (s.count < kDraws / 2) continue;
    const double mean = s.sum / s.count;
    result[name] = std::sqrt(std::max(0.0, s.squares / s.count - mean * mean));
  }
  return result;
}

double weighted_mean(std::span<const double> values, const std::vector<double>& counts) {
  return std::inner_product(values.begin(), values.end(), counts.begin(), 0.0) /
         static_cast<double>(values.size());
}

// Share of pairs of a positive and a negative row in the right order; equal scores count half.
double ranking(const ClassRows& rows, const std::vector<size_t>& order,
               const std::vector<double>& counts) {
  double negatives = 0, positives = 0, pairs = 0;
  for (size_t begin = 0; begin < order.size();) {
    double tied_positive = 0, tied_negative = 0;
    size_t end = begin;
    for (; end < order.size() && rows.score[order[end]] == rows.score[order[begin]]; ++end) {
      (rows.positive[order[end]] ? tied_positive : tied_negative) += counts[order[end]];
    }
    pairs += tied_positive * (negatives + tied_negative / 2);
    positives += tied_positive;
    negatives += tied_negative;
    begin = end;
  }
  return pairs / (positives * negatives);
}

void add_class_rows(const Table& rows, const TablePredictions& predictions,
                    const std::string& label, size_t positive, ClassRows& result) {
  const auto& classes = predictions.classes;
  const size_t width = classes.size();
  const auto values = predictions.values.data<float>();
  const data::Column& column = rows.column(label);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    const std::string truth = column.cell(i);
    const auto found = std::ranges::find(classes, truth);
    if (found == classes.end()) continue;
    const auto row = values.subspan(static_cast<size_t>(i) * width, width);
    // Rows without a prediction have no place in a ranking.
    if (!std::ranges::all_of(row, [](float p) { return std::isfinite(p); })) continue;
    result.right.push_back(predictions.labels[static_cast<size_t>(i)] == truth ? 1 : 0);
    result.probability.push_back(row[static_cast<size_t>(found - classes.begin())]);
    if (width != 2) continue;
    result.score.push_back(row[positive]);
    result.positive.push_back(static_cast<size_t>(found - classes.begin()) == positive);
  }
}

void add_scatter(std::span<const double> labels, std::span<const double> predictions,
                 TableFitFacts& facts) {
  const size_t step = std::max<size_t>(1, (labels.size() + kMostPoints - 1) / kMostPoints);
  for (size_t i = 0; i < labels.size(); i += step) {
    if (!std::isfinite(predictions[i])) continue;
    facts.scatter.emplace_back(labels[i], predictions[i]);
  }
}

}  // namespace

std::map<std::string, double> class_spreads(const ClassRows& rows, uint64_t seed) {
  std::vector<double> loss;
  for (const double p : rows.probability) loss.push_back(-std::log(std::max(p, kLeastProbability)));
  std::vector<size_t> order(rows.score.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return rows.score[a] < rows.score[b]; });
  return spreads(rows.right.size(), seed, [&](const std::vector<double>& counts) {
    std::map<std::string, double> figures = {{"accuracy", weighted_mean(rows.right, counts)},
                                             {"log_loss", weighted_mean(loss, counts)}};
    if (!order.empty()) figures["auc"] = ranking(rows, order, counts);
    return figures;
  });
}

std::map<std::string, double> number_spreads(std::span<const double> labels,
                                             std::span<const double> predictions, uint64_t seed) {
  std::vector<double> errors, squares, label_squares;
  for (size_t i = 0; i < labels.size(); ++i) {
    errors.push_back(std::abs(labels[i] - predictions[i]));
    squares.push_back(errors.back() * errors.back());
    label_squares.push_back(labels[i] * labels[i]);
  }
  return spreads(labels.size(), seed, [&](const std::vector<double>& counts) {
    const double mse = weighted_mean(squares, counts), mean = weighted_mean(labels, counts);
    const double variance = weighted_mean(label_squares, counts) - mean * mean;
    return std::map<std::string, double>{{"mse", mse},
                                         {"mae", weighted_mean(errors, counts)},
                                         {"rmse", std::sqrt(mse)},
                                         {"r2", 1 - mse / variance}};
  });
}

void add_spreads(const TableEstimator& model, const TableTask& task, const Table& rows,
                 TableFitFacts& facts) {
  const HeadSpec& head = task.head;
  const bool has_numbers = head.kind == HeadKind::kRegression || head.kind == HeadKind::kPoisson;
  if (head.labels.size() != 1 || (!task.has_classes && !has_numbers) || rows.rows() == 0) return;
  const TablePredictions predictions = model.predict(rows);
  std::map<std::string, double> found;
  if (task.has_classes) {
    const auto place = std::ranges::find(predictions.classes, head.positive);
    const size_t positive = place == predictions.classes.end()
                                ? predictions.classes.size() - 1
                                : static_cast<size_t>(place - predictions.classes.begin());
    ClassRows classes;
    add_class_rows(rows, predictions, head.labels[0], positive, classes);
    found = class_spreads(classes, facts.seed);
  } else {
    const data::Column& column = rows.column(head.labels[0]);
    const auto values = predictions.values.data<float>();
    std::vector<double> labels, numbers;
    for (int64_t i = 0; i < rows.rows(); ++i) {
      labels.push_back(column.number(i));
      numbers.push_back(values[static_cast<size_t>(i)]);
    }
    add_scatter(labels, numbers, facts);
    found = number_spreads(labels, numbers, facts.seed);
  }
  if (!head.weight.empty()) return;
  for (auto& metric : facts.metrics) {
    const auto spread = found.find(metric.name);
    if (spread != found.end() && metric.validation) metric.spread = spread->second;
  }
}

}  // namespace thalweg::cli
