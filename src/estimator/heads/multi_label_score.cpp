#include "estimator/heads/multi_label_score.h"

#include <cmath>
#include <limits>

#include "estimator/heads/class_labels.h"
#include "estimator/heads/example_weights.h"
#include "estimator/heads/figure_list.h"
#include "estimator/metrics/class_metrics.h"
#include "estimator/metrics/macro_ranking.h"

namespace thalweg {
namespace {

constexpr size_t kMostScores = size_t{1} << 26;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double binary_log_loss(float probability, bool is_positive) {
  const float both[] = {1 - probability, probability};
  const int64_t label[] = {is_positive ? 1 : 0};
  return log_loss(both, 2, label);
}

}  // namespace

MultiLabelScore::MultiLabelScore(const LabelSpec& label)
    : names_(label.class_names), shares_(label.prior), counts_(names_.size()) {
  shares_.resize(names_.size());
}

void MultiLabelScore::add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                          double loss) {
  const auto label = labels.data<float>();
  const auto probability = predictions.data<float>();
  const auto weight = weight_span(weights);
  const auto rows = static_cast<size_t>(labels.dim(0));
  if (keeps_scores_ && scores_.size() + label.size() > kMostScores) {
    keeps_scores_ = false;
    scores_ = {};
    weights_ = {};
    labels_ = {};
  }
  double total = 0;
  for (size_t i = 0; i < rows; ++i) {
    const double w = weight_at(weight, i);
    total += w;
    if (w == 0) continue;
    bool all_right = true;
    for (size_t k = 0; k < classes(); ++k) {
      const float p = probability[i * classes() + k];
      const bool truth = label[i * classes() + k] != 0;
      const bool is_known = std::isfinite(p);
      const bool predicted = p > 0.5F;
      if (!is_known) is_finite_ = false;
      const bool right = is_known && predicted == truth;
      all_right = all_right && right;
      if (truth) counts_[k].positives += w;
      if (predicted) counts_[k].predicted += w;
      if (truth && predicted) counts_[k].right += w;
      if (right) label_right_ += w;
      log_loss_ += w * binary_log_loss(p, truth);
      if (!keeps_scores_) continue;
      scores_.push_back(p);
      labels_.push_back(truth ? 1 : 0);
    }
    if (all_right) all_right_ += w;
    if (keeps_scores_) weights_.push_back(static_cast<float>(w));
  }
  examples_ += labels.dim(0);
  weight_ += total;
  if (total > 0) loss_ += loss * total;
}

EvaluationReport MultiLabelScore::report() const {
  EvaluationReport report;
  report.examples = examples_;
  report.weight = weight_;
  ClassCounts counts(classes());
  Counts sum;
  for (size_t k = 0; k < classes(); ++k) {
    counts.support[k] = counts_[k].positives;
    counts.predicted[k] = counts_[k].predicted;
    counts.right[k] = counts_[k].right;
    sum.positives += counts_[k].positives;
    sum.predicted += counts_[k].predicted;
    sum.right += counts_[k].right;
  }
  report.classes = class_figures(counts, names_);

  MacroRanking ranking{.roc_auc = kNaN, .average_precision = kNaN};
  if (keeps_scores_ && is_finite_) {
    ranking = macro_ranking(scores_, classes(), weights_, [&](size_t row, size_t k) {
      return labels_[row * classes() + k] != 0;
    });
  }
  std::string reason;
  if (!keeps_scores_) {
    reason = str("more than ", kMostScores,
                 " probabilities would have to be kept; evaluate on "
                 "fewer rows");
  } else if (is_finite_) {
    reason = "each label is there in all rows or in none";
  }
  const auto cells = weight_ * static_cast<double>(classes());
  FigureList figures(report);
  figures.add("loss", loss_ / weight_);
  figures.add("accuracy", all_right_ / weight_);
  figures.add("label_accuracy", label_right_ / cells);
  figures.add("auc", ranking.roc_auc, reason);
  figures.add("pr_auc", ranking.average_precision, reason);
  figures.add("log_loss", is_finite_ ? log_loss_ / cells : kNaN);
  figures.add("micro_precision", sum.right / sum.predicted, "no label is predicted");
  figures.add("micro_recall", sum.right / sum.positives, "no label is there");
  figures.add("micro_f1", 2 * sum.right / (sum.positives + sum.predicted),
              "no label is there or predicted");
  const ClassAverages macro = macro_average(report.classes);
  figures.add("macro_precision", macro.precision, "no label is there or predicted");
  figures.add("macro_recall", macro.recall, "no label is there or predicted");
  figures.add("macro_f1", macro.f1, "no label is there or predicted");
  report.baseline = baseline();
  return report;
}

// Of each label its share of the training rows, and so the commoner of there and not there.
std::vector<Figure> MultiLabelScore::baseline() const {
  double right = 0, loss = 0;
  for (size_t k = 0; k < classes(); ++k) {
    const double positives = counts_[k].positives, negatives = weight_ - positives;
    const auto share = static_cast<float>(shares_[k]);
    right += share > 0.5F ? positives : negatives;
    if (positives > 0) loss += positives * binary_log_loss(share, true);
    if (negatives > 0) loss += negatives * binary_log_loss(share, false);
  }
  const auto cells = weight_ * static_cast<double>(classes());
  return {{"label_accuracy", right / cells}, {"log_loss", loss / cells}};
}

}  // namespace thalweg
