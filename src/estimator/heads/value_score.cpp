#include "estimator/heads/value_score.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "estimator/heads/example_weights.h"
#include "estimator/heads/figure_list.h"

namespace thalweg {
namespace {

constexpr size_t kMostErrors = size_t{1} << 27;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ValueScore::ValueScore(std::vector<std::string> names, std::vector<double> guesses,
                       bool with_deviance)
    : names_(std::move(names)),
      guesses_(std::move(guesses)),
      with_deviance_(with_deviance),
      columns_(names_.size()) {
  guesses_.resize(names_.size());
}

void ValueScore::add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                     double loss) {
  const auto label = labels.data<float>();
  const auto value = predictions.data<float>();
  const auto weight = weight_span(weights);
  const size_t width = names_.size();
  const auto rows = static_cast<size_t>(labels.dim(0));
  if (keeps_errors_ && (weights_.size() + rows) * width > kMostErrors) {
    keeps_errors_ = false;
    weights_ = {};
    for (Column& column : columns_) column.absolute = {};
  }
  double total = 0;
  for (size_t i = 0; i < rows; ++i) {
    const double w = weight_at(weight, i);
    total += w;
    if (w == 0) continue;
    if (keeps_errors_) weights_.push_back(static_cast<float>(w));
    for (size_t k = 0; k < width; ++k) {
      Column& column = columns_[k];
      const double y = label[i * width + k], prediction = value[i * width + k];
      column.errors.add(y, prediction, w);
      column.guess.add(y, guesses_[k], w);
      if (!std::isfinite(prediction)) is_finite_ = false;
      if (keeps_errors_) column.absolute.push_back(static_cast<float>(std::abs(prediction - y)));
      if (!with_deviance_) continue;
      column.deviance += w * poisson_deviance(y, prediction);
      column.guess_deviance += w * poisson_deviance(y, guesses_[k]);
    }
  }
  examples_ += labels.dim(0);
  weight_ += total;
  if (total > 0) loss_ += loss * total;
}

double ValueScore::mean_of(double (*figure)(const Column&)) const {
  double sum = 0;
  for (const Column& column : columns_) sum += figure(column);
  return sum / static_cast<double>(columns_.size());
}

double ValueScore::median() const {
  if (!keeps_errors_ || !is_finite_) return kNaN;
  double sum = 0;
  for (const Column& column : columns_) sum += weighted_median(column.absolute, weights_);
  return sum / static_cast<double>(columns_.size());
}

std::string ValueScore::why_no_median() const {
  if (keeps_errors_ || !is_finite_) return {};
  return str("more than ", kMostErrors, " errors would have to be kept; evaluate on fewer rows");
}

EvaluationReport ValueScore::report() const {
  EvaluationReport report;
  report.examples = examples_;
  report.weight = weight_;
  int64_t zeros = 0;
  for (const Column& column : columns_) zeros += column.errors.zero_labels();
  const std::string equal = is_finite_ ? "all labels are equal" : "";
  FigureList figures(report);
  figures.add("loss", loss_ / weight_);
  figures.add("mse", mean_of([](const Column& c) { return c.errors.mse(); }));
  figures.add("mae", mean_of([](const Column& c) { return c.errors.mae(); }));
  figures.add("rmse", mean_of([](const Column& c) { return c.errors.rmse(); }));
  figures.add("r2", mean_of([](const Column& c) { return c.errors.r2(); }), equal);
  figures.add("mape", mean_of([](const Column& c) { return c.errors.mape(); }),
              zeros > 0 ? str(zeros, zeros == 1 ? " label is 0" : " labels are 0",
                              ", to which an error has no ratio")
                        : std::string());
  figures.add("median_absolute_error", median(), why_no_median());
  if (with_deviance_) figures.add("deviance", columns_[0].deviance / weight_);
  figures.add("label_mean", mean_of([](const Column& c) { return c.errors.label_mean(); }));
  figures.add("prediction_mean",
              mean_of([](const Column& c) { return c.errors.prediction_mean(); }));
  if (columns_.size() > 1) {
    for (size_t k = 0; k < columns_.size(); ++k) {
      const ErrorSums& errors = columns_[k].errors;
      figures.add(str("mae/", names_[k]), errors.mae());
      figures.add(str("rmse/", names_[k]), errors.rmse());
      figures.add(str("r2/", names_[k]), errors.r2(), equal);
    }
  }
  report.baseline = {{"mse", mean_of([](const Column& c) { return c.guess.mse(); })},
                     {"mae", mean_of([](const Column& c) { return c.guess.mae(); })},
                     {"rmse", mean_of([](const Column& c) { return c.guess.rmse(); })},
                     {"r2", mean_of([](const Column& c) { return c.guess.r2(); })}};
  if (with_deviance_) report.baseline.push_back({"deviance", columns_[0].guess_deviance / weight_});
  return report;
}

}  // namespace thalweg
