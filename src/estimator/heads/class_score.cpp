#include "estimator/heads/class_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/heads/class_labels.h"
#include "estimator/heads/example_weights.h"
#include "estimator/heads/figure_list.h"
#include "estimator/metrics/macro_ranking.h"
#include "estimator/metrics/ranking.h"

namespace thalweg {
namespace {

constexpr size_t kMostScores = size_t{1} << 26;
constexpr size_t kMostClassesOfConfusion = 1000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<Figure> class_baseline(std::span<const double> support, std::span<const double> shares,
                                   size_t positive) {
  constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
  const size_t classes = support.size();
  const auto commonest = static_cast<size_t>(std::ranges::max_element(shares) - shares.begin());
  double weight = 0, loss = 0, brier = 0, squares = 0;
  int64_t occurring = 0;
  for (const double share : shares) squares += share * share;
  for (size_t k = 0; k < classes; ++k) {
    if (support[k] == 0) continue;
    ++occurring;
    weight += support[k];
    loss -= support[k] * std::log(std::clamp(shares[k], kEpsilon, 1 - kEpsilon));
    brier += support[k] * (squares - 2 * shares[k] + 1);
  }
  if (classes == 2) brier /= 2;
  // A ranking by chance: its precision is the share of the class, whatever the threshold; and the
  // mean of all shares is 1 / classes.
  const bool can_rank = occurring > 1;
  const double chance = classes == 2 ? support[positive] / weight : 1.0 / occurring;
  return {{"accuracy", support[commonest] / weight},
          {"auc", can_rank ? 0.5 : kNaN},
          {"pr_auc", can_rank ? chance : kNaN},
          {"log_loss", loss / weight},
          {"brier", brier / weight}};
}

ClassScore::ClassScore(const LabelSpec& label, size_t positive)
    : names_(label.class_names),
      shares_(class_shares(label)),
      positive_(positive),
      counts_(names_.size()),
      not_finite_(names_.size()) {
  if (classes() > kMostClassesOfConfusion) return;
  confusion_.assign(classes(), std::vector<int64_t>(classes()));
  weighted_confusion_.assign(classes(), std::vector<double>(classes()));
}

void ClassScore::add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                     double loss) {
  const auto label = labels.data<int64_t>();
  const auto probabilities = predictions.data<float>();
  const auto weight = weight_span(weights);
  double total = 0;
  for (size_t i = 0; i < label.size(); ++i) {
    const double w = weight_at(weight, i);
    if (w != 1) has_weights_ = true;
    total += w;
    add_row(static_cast<size_t>(label[i]), probabilities.subspan(i * classes(), classes()), w);
  }
  examples_ += labels.dim(0);
  weight_ += total;
  if (total == 0) return;
  loss_ += loss * total;
  log_loss_ += log_loss(probabilities, classes(), label, weight) * total;
  brier_ += brier_score(probabilities, classes(), label, weight) * total;
  keep_scores(label, probabilities, weight);
}

void ClassScore::add_row(size_t label, std::span<const float> row, double weight) {
  const std::optional<size_t> best = best_class(row);
  if (!best) {
    ++not_finite_[label];
    counts_.add_undecided(label, weight);
    if (weight > 0) has_undecided_ = true;
    return;
  }
  counts_.add(label, *best, weight);
  if (!confusion_.empty()) {
    ++confusion_[label][*best];
    weighted_confusion_[label][*best] += weight;
  }
  if (weight == 0) return;
  const size_t spoken_of = is_binary() ? positive_ : *best;
  calibration_.add(row[spoken_of], label == spoken_of, weight);
  if (is_binary()) positive_sum_ += weight * row[positive_];
}

void ClassScore::keep_scores(std::span<const int64_t> labels, std::span<const float> probabilities,
                             std::span<const float> weights) {
  const size_t width = is_binary() ? 1 : classes();
  if (keeps_scores_ && scores_.size() + labels.size() * width > kMostScores) {
    keeps_scores_ = false;
    scores_ = {};
    weights_ = {};
    labels_ = {};
  }
  if (!keeps_scores_) return;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto weight = static_cast<float>(weight_at(weights, i));
    if (weight == 0) continue;
    const auto row = probabilities.subspan(i * classes(), classes());
    if (is_binary()) {
      scores_.push_back(row[positive_]);
    } else {
      scores_.insert(scores_.end(), row.begin(), row.end());
    }
    weights_.push_back(weight);
    labels_.push_back(static_cast<int32_t>(labels[i]));
  }
}

EvaluationReport ClassScore::report() const {
  EvaluationReport report;
  report.examples = examples_;
  report.weight = weight_;
  report.confusion = confusion_;
  if (has_weights_) report.weighted_confusion = weighted_confusion_;
  report.not_finite = not_finite_;
  report.classes = class_figures(counts_, names_);
  report.calibration = calibration_.bins();

  double right = 0;
  for (const double r : counts_.right) right += r;
  FigureList figures(report);
  figures.add("loss", loss_ / weight_);
  figures.add("accuracy", right / weight_);
  report_ranking(report);
  figures.add("log_loss", log_loss_ / weight_);
  figures.add("brier", brier_ / weight_);
  report_choices(report);
  figures.add("calibration_error", has_undecided_ ? kNaN : calibration_error(report.calibration));
  if (is_binary()) {
    figures.add("label_mean", counts_.support[positive_] / weight_);
    figures.add("prediction_mean", has_undecided_ ? kNaN : positive_sum_ / weight_);
  }
  report.baseline = class_baseline(counts_.support, shares_, positive_);
  return report;
}

// Empty when rows with weight are of two classes or more.
std::string ClassScore::only_class() const {
  const auto occurs = [](double support) { return support > 0; };
  if (std::ranges::count_if(counts_.support, occurs) != 1) return {};
  const auto found = std::ranges::find_if(counts_.support, occurs);
  return names_[static_cast<size_t>(found - counts_.support.begin())];
}

void ClassScore::report_ranking(EvaluationReport& report) const {
  double auc = kNaN, precision = kNaN;
  std::string reason;
  if (has_undecided_) {
    // Rows without a score have no place.
  } else if (!keeps_scores_) {
    reason = str("more than ", kMostScores,
                 " probabilities would have to be kept; evaluate on "
                 "fewer rows");
  } else if (is_binary()) {
    std::vector<uint8_t> is_positive(labels_.size());
    for (size_t i = 0; i < labels_.size(); ++i) {
      is_positive[i] = static_cast<size_t>(labels_[i]) == positive_ ? 1 : 0;
    }
    const Ranking ranking(scores_, is_positive, weights_);
    auc = ranking.roc_auc();
    precision = ranking.average_precision();
    report.roc = ranking.roc();
    report.precision_recall = ranking.precision_recall();
  } else {
    const MacroRanking ranking =
        macro_ranking(scores_, classes(), weights_,
                      [&](size_t row, size_t c) { return static_cast<size_t>(labels_[row]) == c; });
    auc = ranking.roc_auc;
    precision = ranking.average_precision;
  }
  if (reason.empty() && !has_undecided_) {
    reason = str("all rows are of the class '", only_class(),
                 "', so there is nothing to rank them against");
  }
  FigureList figures(report);
  figures.add("auc", auc, reason);
  figures.add("pr_auc", precision, reason);
}

void ClassScore::report_choices(EvaluationReport& report) const {
  FigureList figures(report);
  if (is_binary()) {
    const ClassFigures& positive = report.classes[positive_];
    figures.add("precision", positive.precision,
                str("no row is predicted as '", positive.name, "'"));
    figures.add("recall", positive.recall, str("no row is of the class '", positive.name, "'"));
    figures.add("f1", positive.f1,
                str("no row is of the class '", positive.name, "' or predicted as it"));
  }
  const ClassAverages macro = macro_average(report.classes);
  figures.add("macro_precision", macro.precision);
  figures.add("macro_recall", macro.recall);
  figures.add("macro_f1", macro.f1);
  const ClassAverages weighted = weighted_average(report.classes);
  figures.add("weighted_precision", weighted.precision);
  figures.add("weighted_recall", weighted.recall);
  figures.add("weighted_f1", weighted.f1);
}

}  // namespace thalweg
