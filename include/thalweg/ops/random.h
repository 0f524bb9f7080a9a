// Building nodes that draw random numbers.
//
// Randomness is counter based. A stateful op (RandomUniform, ...) draws from Philox with a key made
// of its two seeds and a counter made of the run's number and the element's index: the same seeds
// in the same run of a session give the same numbers on any number of threads, and a later run
// gives others. Without a seed it derives one from Graph::seed() and the node's name, so a program
// repeats itself by default. A stateless op is a pure function of its seed input.
#pragma once

#include <optional>
#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct RandomOptions {
  DType dtype = kFloat32;
  std::optional<int64_t> seed = {};  // absent: derived from the graph's seed and the node's name
  std::optional<int64_t> seed2 = {};
  std::string name = {};
};
/// Uniform in [0, 1).
Output random_uniform(Graph& graph, const IntVector& shape, const RandomOptions& options = {});
/// Normal with mean 0 and standard deviation 1.
Output random_normal(Graph& graph, const IntVector& shape, const RandomOptions& options = {});
/// The same, with values beyond two standard deviations drawn again.
Output truncated_normal(Graph& graph, const IntVector& shape, const RandomOptions& options = {});
/// Uniform integers in [low, high); `options.dtype` is ignored, the type is that of low and high.
Output random_uniform_int(const IntVector& shape, const Output& low, const Output& high,
                          const RandomOptions& options = {});
/// `x` with the slices along dimension 0 in random order; `options.dtype` is ignored.
Output random_shuffle(const Output& x, const RandomOptions& options = {});

struct StatelessRandomOptions {
  DType dtype = kFloat32;
  std::string name = {};
};
/// As above, from a seed vector `[2]` alone: equal seeds give equal numbers, those that TensorFlow
/// gives.
Output stateless_random_uniform(const IntVector& shape, const Output& seed,
                                const StatelessRandomOptions& options = {});
Output stateless_random_normal(const IntVector& shape, const Output& seed,
                               const StatelessRandomOptions& options = {});
Output stateless_truncated_normal(const IntVector& shape, const Output& seed,
                                  const StatelessRandomOptions& options = {});
Output stateless_random_uniform_int(const IntVector& shape, const Output& seed, const Output& low,
                                    const Output& high, const StatelessRandomOptions& options = {});

}  // namespace thalweg
