#include "estimator/heads/quantile_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/heads/example_weights.h"
#include "estimator/heads/figure_list.h"

namespace thalweg {

QuantileScore::QuantileScore(std::vector<double> quantiles, std::vector<double> guesses)
    : quantiles_(std::move(quantiles)), guesses_(std::move(guesses)), columns_(quantiles_.size()) {
  guesses_.resize(quantiles_.size());
}

void QuantileScore::add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                        double loss) {
  const auto label = labels.data<float>();
  const auto value = predictions.data<float>();
  const auto weight = weight_span(weights);
  const size_t width = quantiles_.size();
  double total = 0;
  for (size_t i = 0; i < label.size(); ++i) {
    const double w = weight_at(weight, i);
    total += w;
    if (w == 0) continue;
    for (size_t k = 0; k < width; ++k) {
      const double prediction = value[i * width + k];
      if (!std::isfinite(prediction)) is_finite_ = false;
      columns_[k].pinball += w * pinball(label[i], prediction, quantiles_[k]);
      columns_[k].guess += w * pinball(label[i], guesses_[k], quantiles_[k]);
      if (label[i] <= prediction) columns_[k].covered += w;
      if (quantiles_[k] == 0.5) median_errors_.add(label[i], prediction, w);
    }
  }
  examples_ += labels.dim(0);
  weight_ += total;
  if (total > 0) loss_ += loss * total;
}

EvaluationReport QuantileScore::report() const {
  EvaluationReport report;
  report.examples = examples_;
  report.weight = weight_;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(columns_.size()) * weight_;
  double sum = 0, guess = 0;
  for (const Column& column : columns_) sum += column.pinball, guess += column.guess;
  FigureList figures(report);
  figures.add("loss", loss_ / weight_);
  figures.add("pinball", sum / count);
  if (std::ranges::find(quantiles_, 0.5) != quantiles_.end()) {
    figures.add("mae", median_errors_.mae());
  }
  for (size_t k = 0; k < columns_.size(); ++k) {
    figures.add(str("pinball/q", quantiles_[k]), columns_[k].pinball / weight_);
    figures.add(str("coverage/q", quantiles_[k]),
                is_finite_ ? columns_[k].covered / weight_ : kNaN);
  }
  report.baseline = {{"pinball", guess / count}};
  for (size_t k = 0; k < columns_.size(); ++k) {
    report.baseline.push_back({str("pinball/q", quantiles_[k]), columns_[k].guess / weight_});
  }
  return report;
}

}  // namespace thalweg
