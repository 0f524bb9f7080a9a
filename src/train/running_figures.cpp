#include "train/running_figures.h"

#include <limits>

#include "thalweg/base/error.h"

namespace thalweg {

double figure(const std::vector<Figure>& figures, std::string_view name) {
  for (const Figure& f : figures) {
    if (f.name == name) return f.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

namespace train {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check_scalar(Output output, std::string_view what) {
  if (!output) throw invalid_argument(what, " is missing");
  if (output.shape().has_rank() && output.shape().rank() != 0) {
    throw invalid_argument(what, " must be a scalar, but ", output.name(), " is ", output.dtype(),
                           output.shape(), "; reduce it over the batch");
  }
}

}  // namespace

RunningFigures::RunningFigures(Output loss, Output loss_weight, const std::vector<Metric>& metrics)
    : has_loss_(loss), has_loss_weight_(loss && loss_weight), last_loss_(kNaN) {
  if (has_loss_) {
    check_scalar(loss, "the loss");
    fetches_.push_back(loss);
    names_.push_back("loss");
  }
  if (has_loss_weight_) {
    check_scalar(loss_weight, "the loss's weight");
    fetches_.push_back(loss_weight);
  }
  for (const Metric& metric : metrics) {
    check_scalar(metric.total, str("the total of metric '", metric.name, "'"));
    check_scalar(metric.weight, str("the weight of metric '", metric.name, "'"));
    for (const std::string& other : names_) {
      if (other == metric.name) {
        throw invalid_argument("two figures are named '", metric.name, "'; rename the metric");
      }
    }
    fetches_.push_back(metric.total);
    fetches_.push_back(metric.weight);
    names_.push_back(metric.name);
  }
  means_.resize(names_.size());
}

void RunningFigures::update(std::span<const Tensor> values, int64_t examples) {
  size_t next = 0;
  size_t mean = 0;
  if (has_loss_) {
    last_loss_ = values[next++].at(0);
    const double weight = has_loss_weight_ ? values[next++].at(0) : static_cast<double>(examples);
    // A batch without weight has no mean: whatever was fetched counts nothing.
    if (weight != 0) means_[mean].update(last_loss_ * weight, weight);
    ++mean;
  }
  for (; mean < means_.size(); ++mean, next += 2) {
    means_[mean].update(values[next].at(0), values[next + 1].at(0));
  }
}

void RunningFigures::write(std::vector<Figure>& figures) const {
  figures.resize(means_.size());
  for (size_t i = 0; i < means_.size(); ++i) {
    figures[i].name = names_[i];
    figures[i].value = means_[i].result();
  }
}

void RunningFigures::reset() {
  for (MeanMetric& mean : means_) mean.reset();
  last_loss_ = kNaN;
}

Tensor RunningFigures::to_tensor() const {
  Tensor sums(kFloat64, Shape{static_cast<int64_t>(means_.size()), 2});
  auto cells = sums.mutable_data<double>();
  for (size_t i = 0; i < means_.size(); ++i) {
    cells[2 * i] = means_[i].total();
    cells[2 * i + 1] = means_[i].weight();
  }
  return sums;
}

void RunningFigures::restore(const Tensor& sums) {
  const Shape expected{static_cast<int64_t>(means_.size()), 2};
  if (sums.dtype() != kFloat64 || sums.shape() != expected) {
    throw invalid_argument("the sums of loss and metrics are float64", expected, ", got ",
                           sums.dtype(), sums.shape());
  }
  reset();
  const auto cells = sums.data<double>();
  for (size_t i = 0; i < means_.size(); ++i) means_[i].update(cells[2 * i], cells[2 * i + 1]);
}

}  // namespace train
}  // namespace thalweg
