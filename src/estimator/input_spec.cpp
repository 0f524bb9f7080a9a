#include "thalweg/estimator/input_spec.h"

#include <cmath>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

constexpr double kPixelScale = 1.0 / 255;

// Ids for an Embedding stay what they are.
bool is_id(DType dtype) { return dtype == kInt32 || dtype == kInt64; }

Output row_constant(Graph& graph, const std::vector<float>& values, std::string name) {
  const Shape shape{static_cast<int64_t>(values.size())};
  return constant(graph, Tensor::from(std::span<const float>(values), shape), {.name = name});
}

Shape with_batch(const Shape& example) { return Shape{kUnknownDim}.concat(example); }

}  // namespace

InputSpec InputSpec::of(const data::Component& features) {
  if (!is_numeric(features.dtype) && features.dtype != kBool) {
    throw invalid_argument("features '", features.name, "' are of dtype ", features.dtype,
                           ", expected numbers");
  }
  if (!features.shape.is_fully_defined() || features.shape.rank() >= Shape::kMaxRank) {
    throw invalid_argument("features '", features.name, "' have the shape ", features.shape,
                           ", expected the same known shape for every example");
  }
  const bool pixels = features.dtype == kUInt8;
  return {.dtype = features.dtype,
          .shape = features.shape,
          .scale = pixels ? kPixelScale : 1,
          .add_channel = pixels && features.shape.rank() == 2};
}

void InputSpec::standardize(const Tensor& rows) {
  check(rows);
  if (!is_floating(dtype) || shape.rank() != 1) {
    throw invalid_argument("features of ", dtype, shape,
                           " cannot be standardised, expected a vector of floats an example; set "
                           "standardize to false");
  }
  const int64_t count = rows.dim(0), width = shape.dim(0);
  const Tensor values = rows.cast(kFloat64);
  const double* x = values.data<double>().data();
  std::vector<double> sums(static_cast<size_t>(width)), squares(static_cast<size_t>(width));
  for (int64_t i = 0; i < count * width; ++i) sums[static_cast<size_t>(i % width)] += x[i];
  for (double& sum : sums) sum /= static_cast<double>(count);
  for (int64_t i = 0; i < count * width; ++i) {
    const auto column = static_cast<size_t>(i % width);
    squares[column] += (x[i] - sums[column]) * (x[i] - sums[column]);
  }
  mean.assign(sums.begin(), sums.end());
  deviation.clear();
  for (const double square : squares) {
    const auto value = static_cast<float>(std::sqrt(square / static_cast<double>(count)));
    deviation.push_back(value > 0 && std::isfinite(value) ? value : 1.f);
  }
}

Shape InputSpec::batch_shape() const { return with_batch(shape); }

Shape InputSpec::network_shape() const {
  return with_batch(add_channel ? shape.concat({1}) : shape);
}

DType InputSpec::network_dtype() const { return is_id(dtype) ? dtype : kFloat32; }

Output InputSpec::prepare(Output batch) const {
  const NameScope scope(batch.graph(), "input");
  Output x = cast(batch, network_dtype());
  if (!mean.empty()) {
    Graph& graph = batch.graph();
    x = (x - row_constant(graph, mean, "mean")) / row_constant(graph, deviation, "deviation");
  }
  if (scale != 1) x = x * scale;
  return add_channel ? expand_dims(x, -1) : x;
}

void InputSpec::check(const Tensor& rows) const {
  if (rows.dtype() == dtype && batch_shape().is_compatible_with(rows.shape())) return;
  throw invalid_argument("features are ", rows.dtype(), rows.shape(), ", but the model takes ",
                         dtype, batch_shape(), ", where ? is the number of rows");
}

}  // namespace thalweg
