#include "thalweg/ops/distributions.h"

#include "ops/draw.h"
#include "ops/families.h"
#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

// `shape` samples for each parameter.
void samples_shape(ShapeContext& c) { c.set_output(0, requested_shape(c, 0).concat(c.input(1))); }

void check_size(const ShapeContext& c, int i, int64_t size) {
  if (!c.with_rank(i, 1).is_compatible_with(Shape{size}))
    throw c.error("`", c.input_name(i), "` must have shape [", size, "], got ", c.input(i));
}

// What chooses the numbers: a seed of two, or a key, a counter and an algorithm.
void check_choice(const ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    const std::string name = c.input_name(i);
    if (name == "seed" || name == "counter") check_size(c, i, 2);
    if (name == "key") check_size(c, i, 1);
    if (name == "alg") c.with_rank(i, 0);
  }
}

void multinomial_shape(ShapeContext& c) {
  check_choice(c);
  const Shape logits = c.with_rank(0, 2);
  c.with_rank(1, 0);
  const auto samples = known_scalar(c, 1);
  if (samples && *samples < 0) throw c.error("`num_samples` must not be negative, got ", *samples);
  c.set_output(0, Shape{logits[0], samples.value_or(kUnknownDim)});
}

void requested(ShapeContext& c) {
  check_choice(c);
  c.set_output(0, requested_shape(c, 0));
}

constexpr const char* kSeed = "seed: int = 0 | Chooses the sequence.";
constexpr const char* kSeed2 = "seed2: int = 0 | Chooses it further.";
constexpr const char* kSeedInput = "seed: Tseed | Two numbers that choose the result, `[2]`.";
constexpr const char* kSeedType = "Tseed: {int32, int64} = int64 | Type of `seed`.";
constexpr const char* kLogits = "logits: T | Logarithms of weights, `[batch, classes]`.";
constexpr const char* kCount = "num_samples: int32 | Samples a row, a scalar.";
constexpr const char* kClasses = "output: output_dtype | Classes, `[batch, num_samples]`.";
constexpr const char* kClassType = "T: {float, double, half, bfloat16} | Type of the logits.";
constexpr const char* kClassOut = "output_dtype: {int32, int64} = int64 | Type of the result.";
constexpr const char* kPoissonOut =
    "dtype: {float, double, int32, int64} = int64 | Type of the result.";
constexpr std::string_view kChosen = "its output is made of integers";
constexpr std::string_view kGammaDoc =
    "Gamma random numbers of scale 1; TensorFlow's but for the last bits of its functions.";

// By alpha, which is input kAlpha: what each sample of a parameter gives adds up.
template <int kAlpha>
void gamma_gradient(GradientContext& c) {
  const Output alpha = c.input(kAlpha), sample = c.output(0);
  if (!alpha.shape().has_rank() || !sample.shape().has_rank())
    throw unimplemented(c.node(), ": its gradient needs to know the ranks of `shape` and `alpha`");
  const Output slope = c.grad() * c.graph().add("RandomGammaGrad", {alpha, sample}).output();
  std::vector<int64_t> samples;
  for (int d = 0; d < sample.shape().rank() - alpha.shape().rank(); ++d) samples.push_back(d);
  c.set(kAlpha, samples.empty() ? slope : reduce_sum(slope, samples));
}

constexpr OpDef kOps[] = {
    {.name = "Multinomial",
     .inputs = {kLogits, kCount},
     .outputs = {kClasses},
     .attrs = {kSeed, kSeed2, kClassType, kClassOut},
     .doc = "Draws classes with probabilities softmax(logits). Seeds and runs as in RandomUniform.",
     .shape = multinomial_shape,
     .no_gradient = kChosen,
     .effect = Effect::kRandom},
    {.name = "StatelessMultinomial",
     .inputs = {kLogits, kCount, kSeedInput},
     .outputs = {kClasses},
     .attrs = {kClassType, kSeedType, kClassOut},
     .doc = "Draws classes with probabilities softmax(logits), as a function of the seed.",
     .shape = multinomial_shape,
     .no_gradient = kChosen},
    {.name = "RandomGamma",
     .inputs = {"shape: S | Shape of the samples of each alpha.", "alpha: T | Shape parameters."},
     .outputs = {"output: T | `[shape..., alpha...]`."},
     .attrs = {kSeed, kSeed2, "S: {int32, int64} | Type of `shape`.",
               "T: {float, double} | Element type."},
     .doc = kGammaDoc,
     .shape = samples_shape,
     .gradient = gamma_gradient<1>,
     .effect = Effect::kRandom},
    {.name = "StatelessRandomGammaV2",
     .inputs = {"shape: T | Shape of the result, whose last dimensions are those of `alpha`.",
                kSeedInput, "alpha: dtype | Shape parameters."},
     .outputs = {"output: dtype | Numbers of that shape."},
     .attrs = {"dtype: {float, double} | Element type.", "T: {int32, int64} | Type of `shape`.",
               kSeedType},
     .doc = kGammaDoc,
     .shape = requested,
     .gradient = gamma_gradient<2>},
    {.name = "StatelessRandomGammaV3",
     .inputs = {"shape: shape_dtype | Shape of the result, whose last dimensions are those of "
                "`alpha`.",
                "key: uint64 | Key of the generator, `[1]`.",
                "counter: uint64 | Where its numbers begin, `[2]`.",
                "alg: int32 | Algorithm: 1 (Philox), or 3 for any.",
                "alpha: dtype | Shape parameters."},
     .outputs = {"output: dtype | Numbers of that shape."},
     .attrs = {"dtype: {float, double} | Element type.",
               "shape_dtype: {int32, int64} = int32 | Type of `shape`."},
     .doc = kGammaDoc,
     .shape = requested,
     .gradient = gamma_gradient<4>},
    {.name = "RandomPoisson",
     .inputs = {"shape: S | Shape of the samples of each rate.", "rate: dtype | Means."},
     .outputs = {"output: dtype | `[shape..., rate...]`."},
     .attrs = {kSeed, kSeed2, "S: {int32, int64} | Type of `shape`.",
               "dtype: {float, double} | Element type."},
     .doc = "The first version of RandomPoissonV2, of one type.",
     .shape = samples_shape,
     .no_gradient = "its output is made of whole numbers",
     .effect = Effect::kRandom},
    {.name = "RandomPoissonV2",
     .inputs = {"shape: S | Shape of the samples of each rate.", "rate: R | Means."},
     .outputs = {"output: dtype | `[shape..., rate...]`."},
     .attrs = {kSeed, kSeed2, "S: {int32, int64} | Type of `shape`.",
               "R: {half, float, double, int32, int64} = double | Type of `rate`.", kPoissonOut},
     .doc = "Poisson random numbers. Seeds and runs as in RandomUniform.",
     .shape = samples_shape,
     .no_gradient = "its output is made of whole numbers",
     .effect = Effect::kRandom},
    {.name = "StatelessRandomPoisson",
     .inputs = {"shape: T | Shape of the result, whose last dimensions are those of `lam`.",
                kSeedInput, "lam: Rtype | Means."},
     .outputs = {"output: dtype | Numbers of that shape."},
     .attrs = {"Rtype: {half, float, double, int32, int64} | Type of `lam`.",
               "dtype: {float, double, int32, int64} | Type of the result.",
               "T: {int32, int64} | Type of `shape`.", kSeedType},
     .doc = "Poisson random numbers as a function of the seed.",
     .shape = requested,
     .no_gradient = "its output is made of whole numbers"},
    {.name = "ParameterizedTruncatedNormal",
     .inputs = {"shape: T | Shape of the result, `[rank]`.",
                "means: dtype | Means, a scalar or one for each of the first dimension.",
                "stdevs: dtype | Standard deviations.", "minvals: dtype | Lower bounds.",
                "maxvals: dtype | Upper bounds."},
     .outputs = {"output: dtype | Numbers within the bounds."},
     .attrs = {kSeed, kSeed2, "dtype: {half, bfloat16, float, double} | Element type.",
               "T: {int32, int64} | Type of `shape`."},
     .doc = "Normal random numbers within bounds, exact also far from the mean. Seeds and runs as "
            "in RandomUniform.",
     .shape = requested,
     .no_gradient = "TensorFlow has none",
     .effect = Effect::kRandom},
};

}  // namespace

std::span<const OpDef> distributions_ops() { return kOps; }

Output multinomial(Output logits, int64_t num_samples, const RandomOptions& options) {
  Graph& graph = logits.graph();
  return draw(graph, "Multinomial", {logits, int_constant(graph, num_samples)}, {}, options)
      .output();
}

Output stateless_multinomial(Output logits, int64_t num_samples, Output seed,
                             const StatelessRandomOptions& options) {
  Graph& graph = logits.graph();
  return graph
      .add("StatelessMultinomial", {logits, int_constant(graph, num_samples), seed}, {},
           {.name = options.name})
      .output();
}

Output random_gamma(const IntVector& shape, Output alpha, const RandomOptions& options) {
  Graph& graph = alpha.graph();
  return draw(graph, "RandomGamma", {shape.in(graph), alpha}, {}, options).output();
}

Output random_poisson(const IntVector& shape, Output rate, const RandomOptions& options) {
  Graph& graph = rate.graph();
  return draw(graph, "RandomPoissonV2", {shape.in(graph), rate}, {{"dtype", options.dtype}},
              options)
      .output();
}

Output parameterized_truncated_normal(const IntVector& shape, Output mean, Output stddev,
                                      Output low, Output high, const RandomOptions& options) {
  Graph& graph = mean.graph();
  return draw(graph, "ParameterizedTruncatedNormal", {shape.in(graph), mean, stddev, low, high}, {},
              options)
      .output();
}

}  // namespace thalweg
