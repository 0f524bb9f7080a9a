// Stateless random ops as TensorFlow 2 writes them: of a key and a counter instead of a seed, which
// StatelessRandomGetKeyCounter makes of one.
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

// The numbers do not depend on anything that can be differentiated.
void no_flow(GradientContext&) {}

void check_pair(const ShapeContext& c, int i) {
  const Shape shape = c.with_rank(i, 1);
  if (shape[0] != kUnknownDim && shape[0] != 2)
    throw c.error("`", c.input_name(i), "` must have shape [2], got ", shape);
}

void seed_shape(ShapeContext& c) {
  check_pair(c, 1);
  c.set_output(0, requested_shape(c, 0));
}

void keyed_shape(ShapeContext& c) {
  const Shape key = c.with_rank(1, 1);
  if (key[0] != kUnknownDim && key[0] != 1) throw c.error("`key` must have shape [1], got ", key);
  check_pair(c, 2);
  c.with_rank(3, 0);
  for (int i = 4; i < c.num_inputs(); ++i) c.with_rank(i, 0);
  c.set_output(0, requested_shape(c, 0));
}

void key_counter_shape(ShapeContext& c) {
  check_pair(c, 0);
  c.set_output(0, Shape{1});
  c.set_output(1, Shape{2});
  if (c.num_outputs() > 2) c.set_output(2, Shape{});
}

constexpr const char* kShape = "shape: Tshape | Shape of the result, `[rank]`.";
constexpr const char* kKey = "key: uint64 | Key of the generator, `[1]`.";
constexpr const char* kCounter = "counter: uint64 | Where its numbers begin, `[2]`.";
constexpr const char* kAlg = "alg: int32 | Algorithm: 1 (Philox), or 3 for any.";
constexpr const char* kShapeType = "Tshape: {int32, int64} = int32 | Type of `shape`.";
constexpr const char* kFloats = "dtype: {half, bfloat16, float, double} = float | Element type.";
constexpr std::string_view kIntegers = "its output is made of integers";

constexpr OpDef keyed(std::string_view name, const char* output, std::string_view doc) {
  return {.name = name,
          .inputs = {kShape, kKey, kCounter, kAlg},
          .outputs = {output},
          .attrs = {kFloats, kShapeType},
          .doc = doc,
          .shape = keyed_shape,
          .gradient = no_flow};
}

constexpr OpDef kOps[] = {
    keyed("StatelessRandomUniformV2", "output: dtype | Numbers in [0, 1).",
          "Uniform random numbers as a function of key and counter; TensorFlow's to the bit."),
    keyed("StatelessRandomNormalV2", "output: dtype | Numbers of mean 0 and standard deviation 1.",
          "Normal random numbers as a function of key and counter; TensorFlow's but for the last "
          "bits of its functions."),
    keyed("StatelessTruncatedNormalV2", "output: dtype | Such numbers in (-2, 2).",
          "Normal random numbers within two standard deviations, as a function of key and "
          "counter; TensorFlow's but for the last bits of its functions."),
    {.name = "StatelessRandomUniformIntV2",
     .inputs = {kShape, kKey, kCounter, kAlg, "minval: dtype | The least number, a scalar.",
                "maxval: dtype | The number after the greatest, a scalar."},
     .outputs = {"output: dtype | Integers in [minval, maxval)."},
     .attrs = {"dtype: {int32, int64, uint32, uint64} | Element type.", kShapeType},
     .doc = "Uniform random integers as a function of key and counter; TensorFlow's to the bit. "
            "Slightly biased unless maxval - minval is a power of two.",
     .shape = keyed_shape,
     .no_gradient = kIntegers},
    {.name = "StatelessRandomUniformFullIntV2",
     .inputs = {kShape, kKey, kCounter, kAlg},
     .outputs = {"output: dtype | Any integers of the type."},
     .attrs = {"dtype: {int32, int64, uint32, uint64} = uint64 | Element type.", kShapeType},
     .doc = "Random bits as a function of key and counter; TensorFlow's.",
     .shape = keyed_shape,
     .no_gradient = kIntegers},
    {.name = "StatelessRandomUniformFullInt",
     .inputs = {"shape: T | Shape of the result, `[rank]`.",
                "seed: Tseed | Two numbers that choose the result, `[2]`."},
     .outputs = {"output: dtype | Any integers of the type."},
     .attrs = {"dtype: {int32, int64, uint32, uint64} = uint64 | Element type.",
               "T: {int32, int64} = int32 | Type of `shape`.",
               "Tseed: {int32, int64} = int64 | Type of `seed`."},
     .doc = "Random bits as a function of the seed; TensorFlow's.",
     .shape = seed_shape,
     .no_gradient = kIntegers},
    {.name = "StatelessRandomGetKeyCounter",
     .inputs = {"seed: Tseed | Two numbers, `[2]`."},
     .outputs = {"key: uint64 | Key of the generator, `[1]`.",
                 "counter: uint64 | Where its numbers begin, `[2]`."},
     .attrs = {"Tseed: {int32, int64} = int64 | Type of `seed`."},
     .doc = "Scrambles a seed into key and counter of Philox.",
     .shape = key_counter_shape,
     .no_gradient = kIntegers},
    {.name = "StatelessRandomGetKeyCounterAlg",
     .inputs = {"seed: Tseed | Two numbers, `[2]`."},
     .outputs = {"key: uint64 | Key of the generator, `[1]`.",
                 "counter: uint64 | Where its numbers begin, `[2]`.",
                 "alg: int32 | The algorithm: 1 (Philox)."},
     .attrs = {"Tseed: {int32, int64} = int64 | Type of `seed`."},
     .doc = "Scrambles a seed into key and counter of Philox, and names it.",
     .shape = key_counter_shape,
     .no_gradient = kIntegers},
    {.name = "StatelessRandomGetAlg",
     .outputs = {"alg: int32 | 1 (Philox)."},
     .doc = "The random algorithm of this machine.",
     .shape = shape_functions::scalar,
     .no_gradient = kIntegers},
};

}  // namespace

std::span<const OpDef> stateless_random_ops() { return kOps; }

}  // namespace thalweg
