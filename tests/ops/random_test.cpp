#include "thalweg/ops/random.h"

#include <cmath>
#include <set>

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::expect_error;
using testing::values;

Tensor draw(Output x, uint64_t run) {
  std::vector<Tensor> inputs;
  for (const Output& input : x.node()->inputs()) inputs.push_back(evaluate_output(input));
  return evaluate(*x.node(), inputs, reference_kernels(), {.random_run = run})[0];
}

TEST(RandomSeeds, RepeatThemselvesFromProgramToProgram) {
  const auto program = [](uint64_t seed) {
    Graph graph(standard_ops());
    graph.set_seed(seed);
    return draw(random_uniform(graph, {8}), 3);
  };
  EXPECT_TRUE(program(1).same_bits(program(1)));
  EXPECT_FALSE(program(1).same_bits(program(2)));
}

TEST(RandomSeeds, DifferFromNodeToNodeAndFromRunToRun) {
  Graph graph(standard_ops());
  const Output a = random_uniform(graph, {4});
  const Output b = random_uniform(graph, {4});
  EXPECT_FALSE(draw(a, 0).same_bits(draw(b, 0)));
  EXPECT_FALSE(draw(a, 0).same_bits(draw(a, 1)));
  EXPECT_TRUE(draw(a, 7).same_bits(draw(a, 7)));
}

TEST(RandomSeeds, DependOnTheNodesNameNotOnNodesBeforeIt) {
  Graph graph(standard_ops());
  Graph other(standard_ops());
  const Output a = random_uniform(graph, {4}, {.name = "noise"});
  random_normal(other, {4});
  const Output b = random_uniform(other, {4}, {.name = "noise"});
  EXPECT_TRUE(draw(a, 0).same_bits(draw(b, 0)));
}

TEST(RandomSeeds, AreTakenAsGiven) {
  Graph graph(standard_ops());
  const Output x = random_uniform(graph, {4}, {.seed = 5});
  EXPECT_EQ(x.node()->attr<int64_t>("seed"), 5);
  EXPECT_EQ(x.node()->attr<int64_t>("seed2"), 0);
  EXPECT_TRUE(draw(x, 2).same_bits(draw(random_uniform(graph, {4}, {.seed = 5}), 2)));
}

TEST(RandomUniform, FillsTheUnitInterval) {
  Graph graph(standard_ops());
  for (DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
    const auto numbers = values(draw(random_uniform(graph, {10000}, {.dtype = dtype}), 0));
    double sum = 0;
    for (double x : numbers) {
      ASSERT_GE(x, 0);
      ASSERT_LT(x, 1);
      sum += x;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.02) << to_string(dtype);
  }
}

TEST(RandomNormal, HasMeanZeroAndDeviationOne) {
  Graph graph(standard_ops());
  for (DType dtype : {kFloat32, kFloat64}) {
    double sum = 0;
    double squares = 0;
    for (double x : values(draw(random_normal(graph, {10000}, {.dtype = dtype}), 0))) {
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / 10000, 0, 0.05);
    EXPECT_NEAR(squares / 10000, 1, 0.05);
  }
}

TEST(TruncatedNormal, StaysWithinTwoDeviations) {
  Graph graph(standard_ops());
  double squares = 0;
  for (double x : values(draw(truncated_normal(graph, {10000}), 0))) {
    ASSERT_LT(std::abs(x), 2);
    squares += x * x;
  }
  EXPECT_NEAR(squares / 10000, 0.774, 0.03);
}

TEST(RandomUniformInt, ReachesBothEnds) {
  Graph graph(standard_ops());
  const Output x = random_uniform_int({100}, constant(graph, Tensor(int32_t{-1})),
                                      constant(graph, Tensor(int32_t{2})));
  const auto numbers = values(draw(x, 0));
  EXPECT_EQ(std::set<double>(numbers.begin(), numbers.end()), (std::set<double>{-1, 0, 1}));
}

TEST(RandomShuffle, KeepsAllRows) {
  Graph graph(standard_ops());
  const Output x = random_shuffle(range(graph, 0, 100));
  const auto numbers = values(draw(x, 0));
  EXPECT_EQ(std::set<double>(numbers.begin(), numbers.end()).size(), 100u);
  EXPECT_NE(numbers, values(evaluate_output(range(graph, 0, 100))));
}

TEST(StatelessRandom, IsTheSameInEveryRun) {
  Graph graph(standard_ops());
  const Output seed = constant(graph, Tensor::of<int64_t>({1, 2}));
  const Output x = stateless_random_normal({5}, seed);
  EXPECT_TRUE(draw(x, 0).same_bits(draw(x, 9)));
  EXPECT_EQ(x.node()->effect(), Effect::kNone);
}

// Element i does not depend on how many are drawn: any range can be filled by any thread.
TEST(StatelessRandom, StartsTheSameForLongerResults) {
  Graph graph(standard_ops());
  const Output seed = constant(graph, Tensor::of<int64_t>({1, 2}));
  const Tensor long_one = draw(stateless_truncated_normal({23}, seed), 0);
  const Tensor short_one = draw(stateless_truncated_normal({6}, seed), 0);
  EXPECT_TRUE(long_one.rows(0, 6).same_bits(short_one));
}

}  // namespace
}  // namespace thalweg
