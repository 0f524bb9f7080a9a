// Ops that draw random numbers.
#include "thalweg/ops/random.h"

#include "ops/draw.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/base/philox.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

// The numbers do not depend on anything that can be differentiated.
void no_flow(GradientContext&) {}

void random_shape(ShapeContext& context) { context.set_output(0, requested_shape(context, 0)); }

void bounded_shape(ShapeContext& context) {
  const int first = context.num_inputs() - 2;
  context.with_rank(first, 0);
  context.with_rank(first + 1, 0);
  const auto low = context.constant_int(first);
  const auto high = context.constant_int(first + 1);
  if (low && high && *low >= *high) {
    throw context.error("`minval` ", *low, " must be below `maxval` ", *high);
  }
  random_shape(context);
}

void check_seed(const ShapeContext& context) {
  const Shape seed = context.with_rank(1, 1);
  if (seed[0] != kUnknownDim && seed[0] != 2)
    throw context.error("`seed` must have shape [2], got ", seed);
}

void stateless_shape(ShapeContext& context) {
  check_seed(context);
  random_shape(context);
}

void stateless_bounded_shape(ShapeContext& context) {
  check_seed(context);
  bounded_shape(context);
}

constexpr const char* kShapeInput = "shape: T | Shape of the result, `[rank]`.";
constexpr const char* kSeedInput = "seed: Tseed | Two numbers that choose the result, `[2]`.";
constexpr const char* kSeed = "seed: int = 0 | Chooses the sequence.";
constexpr const char* kSeed2 = "seed2: int = 0 | Chooses it further.";
constexpr const char* kShapeType = "T: {int32, int64} | Type of `shape`.";
constexpr const char* kStatelessShapeType = "T: {int32, int64} = int32 | Type of `shape`.";
constexpr const char* kSeedType = "Tseed: {int32, int64} = int64 | Type of `seed`.";
constexpr const char* kFloatType = "dtype: {half, bfloat16, float, double} | Element type.";
constexpr const char* kStatelessFloatType =
    "dtype: {half, bfloat16, float, double} = float | Element type.";

constexpr OpDef kRandomOps[] = {
    {.name = "RandomUniform",
     .inputs = {kShapeInput},
     .outputs = {"output: dtype | Numbers in [0, 1)."},
     .attrs = {kSeed, kSeed2, kFloatType, kShapeType},
     .doc = "Uniform random numbers. Those of run r of a session are a function of seed, seed2 and "
            "r alone; in run 0 they "
            "are those of TensorFlow's op in its first run.",
     .shape = random_shape,
     .gradient = no_flow,
     .effect = Effect::kRandom},
    {.name = "RandomStandardNormal",
     .inputs = {kShapeInput},
     .outputs = {"output: dtype | Numbers of mean 0 and standard deviation 1."},
     .attrs = {kSeed, kSeed2, kFloatType, kShapeType},
     .doc = "Normal random numbers, by Box and Muller. Seeds and runs as in RandomUniform.",
     .shape = random_shape,
     .gradient = no_flow,
     .effect = Effect::kRandom},
    {.name = "TruncatedNormal",
     .inputs = {kShapeInput},
     .outputs = {"output: dtype | Such numbers in (-2, 2)."},
     .attrs = {kSeed, kSeed2, kFloatType, kShapeType},
     .doc = "Normal random numbers; those beyond two standard deviations are drawn again. Seeds "
            "and runs as in "
            "RandomUniform.",
     .shape = random_shape,
     .gradient = no_flow,
     .effect = Effect::kRandom},
    {.name = "RandomUniformInt",
     .inputs = {kShapeInput, "minval: Tout | The least number, a scalar.",
                "maxval: Tout | The number after the greatest, a scalar."},
     .outputs = {"output: Tout | Integers in [minval, maxval)."},
     .attrs = {kSeed, kSeed2, "Tout: {int32, int64} | Element type.", kShapeType},
     .doc = "Uniform random integers, slightly biased unless maxval - minval is a power of two. "
            "Seeds and runs as in "
            "RandomUniform.",
     .shape = bounded_shape,
     .no_gradient = "its output is made of integers",
     .effect = Effect::kRandom},
    {.name = "RandomShuffle",
     .inputs = {"value: T | A tensor."},
     .outputs = {"output: T | Its slices along dimension 0 in random order."},
     .attrs = {kSeed, kSeed2, "T: type | Element type."},
     .doc = "Shuffles along the first dimension. Seeds and runs as in RandomUniform.",
     .shape = shape_functions::same_as_input,
     .no_gradient = "the order it chose is not kept; gather by a shuffled range instead",
     .effect = Effect::kRandom},
    {.name = "StatelessRandomUniform",
     .inputs = {kShapeInput, kSeedInput},
     .outputs = {"output: dtype | Numbers in [0, 1)."},
     .attrs = {kStatelessFloatType, kStatelessShapeType, kSeedType},
     .doc = "Uniform random numbers as a function of the seed; TensorFlow's to the bit.",
     .shape = stateless_shape,
     .gradient = no_flow},
    {.name = "StatelessRandomNormal",
     .inputs = {kShapeInput, kSeedInput},
     .outputs = {"output: dtype | Numbers of mean 0 and standard deviation 1."},
     .attrs = {kStatelessFloatType, kStatelessShapeType, kSeedType},
     .doc = "Normal random numbers as a function of the seed; TensorFlow's but for the last bits "
            "of its functions.",
     .shape = stateless_shape,
     .gradient = no_flow},
    {.name = "StatelessTruncatedNormal",
     .inputs = {kShapeInput, kSeedInput},
     .outputs = {"output: dtype | Such numbers in (-2, 2)."},
     .attrs = {kStatelessFloatType, kStatelessShapeType, kSeedType},
     .doc = "Normal random numbers within two standard deviations, as a function of the seed; "
            "TensorFlow's but for the "
            "last bits of its functions.",
     .shape = stateless_shape,
     .gradient = no_flow},
    {.name = "StatelessRandomUniformInt",
     .inputs = {kShapeInput, kSeedInput, "minval: dtype | The least number, a scalar.",
                "maxval: dtype | The number after the greatest, a scalar."},
     .outputs = {"output: dtype | Integers in [minval, maxval)."},
     .attrs = {"dtype: {int32, int64} | Element type.", "T: {int32, int64} | Type of `shape`.",
               kSeedType},
     .doc = "Uniform random integers as a function of the seed; TensorFlow's to the bit. Slightly "
            "biased unless maxval - "
            "minval is a power of two.",
     .shape = stateless_bounded_shape,
     .no_gradient = "its output is made of integers"},
};

Output draw_stateless(std::string_view op, const IntVector& shape, const Output& seed,
                      const StatelessRandomOptions& options) {
  Graph& graph = seed.graph();
  return graph.add(op, {shape.in(graph), seed}, {{"dtype", options.dtype}}, {.name = options.name})
      .output();
}

}  // namespace

std::span<const OpDef> random_ops() { return kRandomOps; }

Node& draw(Graph& graph, std::string_view op, std::vector<Output> inputs, AttrMap attrs,
           const RandomOptions& options) {
  int64_t seed = options.seed.value_or(0);
  int64_t seed2 = options.seed2.value_or(0);
  if (!options.seed && !options.seed2) {
    seed = static_cast<int64_t>(graph.seed());
    // Reserving a name below the node's makes it one that no other node can have.
    const std::string name =
        graph.unique_name(str(options.name.empty() ? std::string(op) : options.name, "/seed"));
    const uint64_t hash = mix_seed(graph.seed(), name);
    seed2 = static_cast<int64_t>(hash == 0 ? 1 : hash);
  }
  attrs.emplace("seed", seed);
  attrs.emplace("seed2", seed2);
  return graph.add(op, std::move(inputs), std::move(attrs), {.name = options.name});
}

Output random_uniform(Graph& graph, const IntVector& shape, const RandomOptions& options) {
  return draw(graph, "RandomUniform", {shape.in(graph)}, {{"dtype", options.dtype}}, options)
      .output();
}

Output random_normal(Graph& graph, const IntVector& shape, const RandomOptions& options) {
  return draw(graph, "RandomStandardNormal", {shape.in(graph)}, {{"dtype", options.dtype}}, options)
      .output();
}

Output truncated_normal(Graph& graph, const IntVector& shape, const RandomOptions& options) {
  return draw(graph, "TruncatedNormal", {shape.in(graph)}, {{"dtype", options.dtype}}, options)
      .output();
}

Output random_uniform_int(const IntVector& shape, const Output& low, const Output& high,
                          const RandomOptions& options) {
  return draw(low.graph(), "RandomUniformInt", {shape.in(low.graph()), low, high}, {}, options)
      .output();
}

Output random_shuffle(const Output& x, const RandomOptions& options) {
  return draw(x.graph(), "RandomShuffle", {x}, {}, options).output();
}

Output stateless_random_uniform(const IntVector& shape, const Output& seed,
                                const StatelessRandomOptions& options) {
  return draw_stateless("StatelessRandomUniform", shape, seed, options);
}

Output stateless_random_normal(const IntVector& shape, const Output& seed,
                               const StatelessRandomOptions& options) {
  return draw_stateless("StatelessRandomNormal", shape, seed, options);
}

Output stateless_truncated_normal(const IntVector& shape, const Output& seed,
                                  const StatelessRandomOptions& options) {
  return draw_stateless("StatelessTruncatedNormal", shape, seed, options);
}

Output stateless_random_uniform_int(const IntVector& shape, const Output& seed, const Output& low,
                                    const Output& high, const StatelessRandomOptions& options) {
  Graph& graph = seed.graph();
  return graph
      .add("StatelessRandomUniformInt", {shape.in(graph), seed, low, high}, {},
           {.name = options.name})
      .output();
}

}  // namespace thalweg
