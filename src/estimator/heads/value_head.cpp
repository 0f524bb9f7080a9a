#include "estimator/heads/value_head.h"

#include <algorithm>
#include <cmath>

#include "estimator/heads/example_weights.h"
#include "thalweg/base/error.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// One number for each column, beside `like` `[batch, width]`; of one column a scalar.
Output row_of(const Output& like, const std::vector<double>& numbers) {
  if (numbers.size() == 1) return scalar_like(like, numbers[0]);
  Tensor values(kFloat32, {static_cast<int64_t>(numbers.size())});
  std::ranges::copy(numbers, values.mutable_data<float>().begin());
  return cast(constant(like.graph(), values), like.dtype());
}

}  // namespace

ValueHead::ValueHead(std::string_view kind, std::vector<std::string> names, LabelSpec label,
                     double least)
    : Head(std::move(label)), kind_(kind), names_(std::move(names)), least_(least) {}

Shape ValueHead::label_shape(int64_t rows) const {
  return width() == 1 ? Shape{rows} : Shape{rows, static_cast<int64_t>(width())};
}

void ValueHead::learn_labels(const Tensor& labels) {
  const Tensor encoded = encode(labels);
  size_t i = 0;
  for (const float value : encoded.data<float>()) {
    if (!std::isfinite(value) || value < least_) {
      const std::string of = width() == 1 ? "" : str(" of '", names_[i % width()], "'");
      throw invalid_argument("the label", of, " of row ", i / width() + 1, " is ", value,
                             ", expected a finite number",
                             std::isfinite(least_) ? str(" of ", least_, " or more") : "");
    }
    ++i;
  }
}

void ValueHead::learn_training_labels(const Tensor& encoded, const Tensor& weights) {
  check_training_weights(weights, encoded.dim(0));
  const auto labels = encoded.data<float>();
  const auto weight = weight_span(weights);
  std::vector<double> total(width()), sum(width()), squares(width());
  for (size_t i = 0; i < labels.size(); ++i) {
    const double w = weight_at(weight, i / width());
    total[i % width()] += w;
    sum[i % width()] += w * labels[i];
  }
  label_.mean.resize(width());
  for (size_t k = 0; k < width(); ++k) label_.mean[k] = sum[k] / total[k];
  for (size_t i = 0; i < labels.size(); ++i) {
    const double distance = labels[i] - label_.mean[i % width()];
    squares[i % width()] += weight_at(weight, i / width()) * distance * distance;
  }
  label_.deviation.resize(width());
  for (size_t k = 0; k < width(); ++k) {
    const double deviation = std::sqrt(squares[k] / total[k]);
    label_.deviation[k] = deviation > 0 ? deviation : 1;
  }
  label_.prior = guesses(encoded, weights);
}

std::vector<double> ValueHead::guesses(const Tensor&, const Tensor&) const { return label_.mean; }

Tensor ValueHead::encode(const Tensor& given) const {
  const Tensor labels = width() == 1 ? label_vector(given) : given;
  if (labels.shape() != label_shape(labels.dim(0))) {
    throw invalid_argument("labels have the shape ", labels.shape(), ", expected ",
                           label_shape(kUnknownDim), ": ", join(names_, ", "));
  }
  if (!is_numeric(labels.dtype()) && labels.dtype() != kBool) {
    throw invalid_argument("labels are of dtype ", labels.dtype(),
                           ", but a Regressor learns numbers; a Classifier tells classes apart");
  }
  return labels.dtype() == kFloat32 ? labels : labels.cast(kFloat32);
}

data::RowSplit ValueHead::split(const Tensor& encoded, double fraction, uint64_t seed) const {
  return data::random_split(encoded.dim(0), fraction, seed);
}

void ValueHead::check_output(const Output& output) const {
  const Shape wanted{kUnknownDim, outputs()};
  if (output.shape().has_rank() && output.shape().rank() == 2 &&
      output.shape().is_compatible_with(wanted)) {
    return;
  }
  throw invalid_argument("the network gives ", output.shape(), ", but ", kind_, " of ",
                         join(names_, ", "), " wants ", wanted, ": end it with a Dense of ",
                         outputs(), outputs() == 1 ? " unit" : " units");
}

Output ValueHead::standardize(Output values) const {
  if (!is_standardized()) return values;
  std::vector<double> means(width()), deviations(width());
  for (size_t i = 0; i < width(); ++i) means[i] = mean(i), deviations[i] = deviation(i);
  return (values - row_of(values, means)) / row_of(values, deviations);
}

Output ValueHead::restore(Output values) const {
  if (!is_standardized()) return values;
  std::vector<double> means(width()), deviations(width());
  for (size_t i = 0; i < width(); ++i) means[i] = mean(i), deviations[i] = deviation(i);
  return values * row_of(values, deviations) + row_of(values, means);
}

std::vector<Figure> ValueHead::baseline(const Tensor& encoded, const Tensor& weights) const {
  // The score measures the guess beside whatever is predicted.
  const auto score = make_score();
  const Tensor zeros = Tensor::zeros(kFloat32, prediction_shape(encoded.dim(0)));
  score->add(encoded, zeros, weights, 0);
  return score->report().baseline;
}

}  // namespace thalweg
