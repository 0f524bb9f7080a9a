#include "thalweg/nn/initializers.h"

#include <algorithm>
#include <cmath>

#include "nn/call_text.h"
#include "nn/orthogonal.h"
#include "thalweg/base/philox.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/random.h"

namespace thalweg {
namespace {

// The standard deviation of a standard normal cut at two.
constexpr double kTruncatedDeviation = 0.87962566103423978;

const std::vector<CallForm>& forms() {
  static const std::vector<CallForm> kForms = {
      {"zeros"},
      {"ones"},
      {"constant", {"value"}},
      {"uniform", {"low", "high"}},
      {"normal", {"mean", "standard deviation"}},
      {"truncated_normal", {"mean", "standard deviation"}},
      {"glorot_uniform"},
      {"glorot_normal"},
      {"he_uniform"},
      {"he_normal"},
      {"lecun_uniform"},
      {"lecun_normal"},
      {"orthogonal", {"gain"}, {1.0}},
  };
  return kForms;
}

// The wanted variance of a variance-scaling initializer; 0 for the others.
double variance(std::string_view name, const Shape& shape) {
  const Fans fans = compute_fans(shape);
  const double in = std::max(fans.in, 1.0);
  if (name.starts_with("glorot_")) return 2 / std::max(fans.in + fans.out, 1.0);
  if (name.starts_with("he_")) return 2 / in;
  if (name.starts_with("lecun_")) return 1 / in;
  return 0;
}

Tensor orthogonal_value(const Shape& shape, DType dtype, double gain, uint64_t seed) {
  if (shape.rank() < 2) {
    throw invalid_argument("initializer `orthogonal` wants at least 2 dimensions, got ", shape);
  }
  const int64_t columns = shape.dim(-1);
  const int64_t rows = columns == 0 ? 0 : shape.num_elements() / columns;
  const bool by_column = rows >= columns;
  const int64_t count = std::min(rows, columns), length = std::max(rows, columns);
  const std::vector<double> vectors = orthonormal_vectors(count, length, seed);
  Tensor value(kFloat64, shape);
  const auto out = value.mutable_data<double>();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t at = by_column ? c * length + r : r * length + c;
      out[static_cast<size_t>(r * columns + c)] = gain * vectors[static_cast<size_t>(at)];
    }
  }
  return value.cast(dtype);
}

}  // namespace

Fans compute_fans(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double window = 1;
  for (int i = 0; i + 2 < shape.rank(); ++i) window *= static_cast<double>(shape[i]);
  return {window * static_cast<double>(shape.dim(-2)), window * static_cast<double>(shape.dim(-1))};
}

Initializer::Initializer(std::string_view text) {
  CallText call = parse_call("initializer", text, forms());
  name_ = std::move(call.name);
  arguments_ = std::move(call.arguments);
  if (name_ == "uniform" && arguments_[0] > arguments_[1]) {
    throw invalid_argument("initializer `", text, "`: low is above high");
  }
  if (name_.ends_with("normal") && arguments_.size() == 2 && arguments_[1] < 0) {
    throw invalid_argument("initializer `", text, "`: the standard deviation is negative");
  }
}

std::string Initializer::to_string() const { return to_call_text(name_, arguments_); }

Output Initializer::operator()(Graph& graph, const Shape& shape, DType dtype,
                               std::string_view variable) const {
  if (!is_floating(dtype)) {
    throw invalid_argument("initializer `", name_, "` gives floating numbers, not ", dtype);
  }
  if (!shape.is_fully_defined()) {
    throw invalid_argument("variable `", variable, "` needs a fully known shape, got ", shape);
  }
  const auto filled = [&](double value) {
    return fill(shape, constant(graph, Tensor(value).cast(dtype)));
  };
  if (name_ == "zeros") return filled(0);
  if (name_ == "ones") return filled(1);
  if (name_ == "constant") return filled(arguments_[0]);

  const uint64_t seed = mix_seed(graph.seed(), variable);
  if (name_ == "orthogonal") {
    return constant(graph, orthogonal_value(shape, dtype, arguments_[0], seed));
  }
  const Output seeds = constant(
      graph, Tensor::of<int64_t>({static_cast<int64_t>(graph.seed()), static_cast<int64_t>(seed)}));
  const auto uniform = [&](double low, double high) {
    return stateless_random_uniform(shape, seeds, {.dtype = dtype}) * (high - low) + low;
  };
  const auto truncated = [&](double mean, double deviation) {
    return stateless_truncated_normal(shape, seeds, {.dtype = dtype}) * deviation + mean;
  };
  if (name_ == "uniform") return uniform(arguments_[0], arguments_[1]);
  if (name_ == "truncated_normal") return truncated(arguments_[0], arguments_[1]);
  if (name_ == "normal") {
    return stateless_random_normal(shape, seeds, {.dtype = dtype}) * arguments_[1] + arguments_[0];
  }
  const double v = variance(name_, shape);
  if (name_.ends_with("_normal")) return truncated(0, std::sqrt(v) / kTruncatedDeviation);
  const double limit = std::sqrt(3 * v);
  return uniform(-limit, limit);
}

namespace initializers {
namespace {

Initializer make(std::string_view name, std::initializer_list<double> arguments) {
  return Initializer(to_call_text(name, {arguments.begin(), arguments.size()}));
}

}  // namespace

Initializer zeros() { return "zeros"; }
Initializer ones() { return "ones"; }
Initializer constant(double value) { return make("constant", {value}); }
Initializer uniform(double low, double high) { return make("uniform", {low, high}); }
Initializer normal(double mean, double standard_deviation) {
  return make("normal", {mean, standard_deviation});
}
Initializer truncated_normal(double mean, double standard_deviation) {
  return make("truncated_normal", {mean, standard_deviation});
}
Initializer glorot_uniform() { return "glorot_uniform"; }
Initializer glorot_normal() { return "glorot_normal"; }
Initializer he_uniform() { return "he_uniform"; }
Initializer he_normal() { return "he_normal"; }
Initializer lecun_uniform() { return "lecun_uniform"; }
Initializer lecun_normal() { return "lecun_normal"; }
Initializer orthogonal(double gain) { return make("orthogonal", {gain}); }

}  // namespace initializers
}  // namespace thalweg
