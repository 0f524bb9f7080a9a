#include <cmath>
#include <limits>

#include "estimator/head.h"
#include "thalweg/base/error.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

// Errors of predictions and of the training mean, over any number of rows.
class RegressorScore : public Score {
 public:
  explicit RegressorScore(double mean) : mean_(mean) {}

  void add(const Tensor& labels, const Tensor& predictions, const Tensor&, double loss) override {
    const auto label = labels.data<float>();
    const auto value = predictions.data<float>();
    for (size_t i = 0; i < label.size(); ++i) {
      const double error = double{value[i]} - label[i];
      // From the training mean, so that squares stay exact for labels far from 0.
      const double distance = label[i] - mean_;
      squared_ += error * error;
      absolute_ += std::abs(error);
      sum_ += distance;
      mean_squared_ += distance * distance;
      mean_absolute_ += std::abs(distance);
    }
    examples_ += static_cast<int64_t>(label.size());
    loss_ += loss * static_cast<double>(label.size());
  }

  EvaluationReport report() const override {
    const auto n = static_cast<double>(examples_);
    EvaluationReport report;
    report.metrics = figures(squared_, absolute_);
    report.baseline = figures(mean_squared_, mean_absolute_);
    report.examples = examples_;
    report.weight = n;
    report.metrics.insert(report.metrics.begin(), {"loss", loss_ / n});
    return report;
  }

 private:
  std::vector<Figure> figures(double squared, double absolute) const {
    const auto n = static_cast<double>(examples_);
    const double spread = mean_squared_ - sum_ * sum_ / n;
    const double r2 = spread > 0 ? 1 - squared / spread : std::numeric_limits<double>::quiet_NaN();
    return {
        {"mse", squared / n}, {"mae", absolute / n}, {"rmse", std::sqrt(squared / n)}, {"r2", r2}};
  }

  double mean_;
  int64_t examples_ = 0;
  double loss_ = 0, squared_ = 0, absolute_ = 0, sum_ = 0, mean_squared_ = 0, mean_absolute_ = 0;
};

class RegressorHead : public Head {
 public:
  using Head::Head;

  std::string_view kind() const override { return "regressor"; }
  DType label_dtype() const override { return kFloat32; }
  std::unique_ptr<Head> clone() const override { return std::make_unique<RegressorHead>(*this); }
  int64_t outputs() const override { return 1; }
  Shape prediction_shape(int64_t rows) const override { return {rows}; }
  std::vector<std::string> prediction_names() const override { return {"prediction"}; }

  void learn_labels(const Tensor& labels) override {
    const Tensor encoded = encode(labels);
    int64_t row = 0;
    for (const float value : encoded.data<float>()) {
      if (!std::isfinite(value)) {
        throw invalid_argument("the label of row ", row + 1, " is ", value,
                               ", expected a finite number");
      }
      ++row;
    }
  }

  void learn_training_labels(const Tensor& encoded, const Tensor&) override {
    const auto labels = encoded.data<float>();
    const auto n = static_cast<double>(labels.size());
    double sum = 0, squares = 0;
    for (const float value : labels) sum += value;
    const double mean = sum / n;
    for (const float value : labels) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / n);
    label_.mean = {mean};
    label_.deviation = {deviation > 0 ? deviation : 1};
  }

  Tensor encode(const Tensor& given) const override {
    const Tensor labels = label_vector(given);
    if (!is_numeric(labels.dtype()) && labels.dtype() != kBool) {
      throw invalid_argument("labels are of dtype ", labels.dtype(),
                             ", but a Regressor learns numbers; a Classifier tells classes apart");
    }
    return labels.dtype() == kFloat32 ? labels : labels.cast(kFloat32);
  }

  data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const override {
    return data::random_split(encoded.dim(0), fraction, seed);
  }

  void check_output(const Output& output) const override {
    const Shape& shape = output.shape();
    if (shape.has_rank() && (shape.rank() == 1 || (shape.rank() == 2 && shape.dim(1) == 1))) return;
    throw invalid_argument("the network gives ", shape,
                           ", but a Regressor predicts one number, so [?, 1] is expected: end it "
                           "with a Dense of 1 unit");
  }

  Output loss(Output labels, Output output, Output weights) const override {
    const Output values = reshape(output, {-1});
    if (!label_.standardized) return losses::mean_squared_error(labels, values, weights);
    return losses::mean_squared_error((labels - mean()) / deviation(), values, weights);
  }

  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    const Output values = predictions(output);
    Metric squared = metrics::mean_squared_error(labels, values, weights);
    Metric absolute = metrics::mean_absolute_error(labels, values, weights);
    squared.name = "mse";
    absolute.name = "mae";
    return {std::move(squared), std::move(absolute)};
  }

  Output predictions(Output output) const override {
    const Output values = reshape(output, {-1});
    return label_.standardized ? values * deviation() + mean() : values;
  }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<RegressorScore>(mean());
  }

  std::vector<Figure> baseline(const Tensor& encoded, const Tensor& weights) const override {
    RegressorScore score(mean());
    score.add(encoded, encoded, weights, 0);
    return score.report().baseline;
  }

 private:
  double mean() const { return label_.mean.empty() ? 0 : label_.mean[0]; }
  double deviation() const { return label_.deviation.empty() ? 1 : label_.deviation[0]; }
};

}  // namespace

std::unique_ptr<Head> make_regressor_head(LabelSpec label) {
  return std::make_unique<RegressorHead>(std::move(label));
}

}  // namespace thalweg
