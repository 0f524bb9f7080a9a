// Numbers by their mean squared error: of a table's model, and of a Regressor.
#include "estimator/heads/kinds.h"
#include "estimator/heads/value_head.h"
#include "estimator/heads/value_score.h"
#include "thalweg/base/error.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

class RegressionHead : public ValueHead {
 public:
  using ValueHead::ValueHead;

  std::unique_ptr<Head> clone() const override { return std::make_unique<RegressionHead>(*this); }
  int64_t outputs() const override { return static_cast<int64_t>(width()); }

  Output loss(Output labels, Output output, Output weights) const override {
    return losses::mean_squared_error(standardize(labels), shaped(output), weights);
  }

  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    const Output values = restore(shaped(output));
    Metric squared = metrics::mean_squared_error(labels, values, weights);
    Metric absolute = metrics::mean_absolute_error(labels, values, weights);
    squared.name = "mse";
    absolute.name = "mae";
    return {std::move(squared), std::move(absolute)};
  }

  Output predictions(Output output) const override { return restore(output); }

  std::vector<std::string> prediction_names() const override {
    if (width() == 1) return {"prediction"};
    std::vector<std::string> names;
    for (const std::string& name : names_) names.push_back(str("prediction_", name));
    return names;
  }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<ValueScore>(names_, guess());
  }

 protected:
  // As the labels are.
  Output shaped(Output output) const { return width() == 1 ? reshape(output, {-1}) : output; }
  // Models of before there was a prior have the mean.
  std::vector<double> guess() const { return label_.prior.empty() ? label_.mean : label_.prior; }
};

// A Regressor's: [batch] is as good as [batch, 1], and its predictions are [batch].
class RegressorHead : public RegressionHead {
 public:
  explicit RegressorHead(LabelSpec label)
      : RegressionHead("regressor", {"prediction"}, std::move(label)) {}

  std::unique_ptr<Head> clone() const override { return std::make_unique<RegressorHead>(*this); }

  void check_output(const Output& output) const override {
    const Shape& shape = output.shape();
    if (shape.has_rank() && (shape.rank() == 1 || (shape.rank() == 2 && shape.dim(1) == 1))) return;
    throw invalid_argument("the network gives ", shape,
                           ", but a Regressor predicts one number, so [?, 1] is expected: end it "
                           "with a Dense of 1 unit");
  }
  Output predictions(Output output) const override { return restore(shaped(output)); }
  Shape prediction_shape(int64_t rows) const override { return {rows}; }
};

}  // namespace

std::unique_ptr<Head> make_regressor_head(LabelSpec label) {
  return std::make_unique<RegressorHead>(std::move(label));
}

std::unique_ptr<Head> make_regression_head(const HeadSpec& spec, LabelSpec label) {
  return std::make_unique<RegressionHead>(to_string(spec.kind), spec.labels, std::move(label));
}

}  // namespace thalweg
