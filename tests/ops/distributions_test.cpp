// Distributions by their moments, for fixed seeds.
#include "thalweg/ops/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference_evaluator.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/candidate_sampling.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using testing::ReferenceEvaluator;

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments_of(const Tensor& x) {
  Moments m;
  const int64_t n = x.num_elements();
  for (int64_t i = 0; i < n; ++i) m.mean += x.at(i) / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i)
    m.variance += (x.at(i) - m.mean) * (x.at(i) - m.mean) / static_cast<double>(n);
  return m;
}

Tensor evaluate(Output x) { return ReferenceEvaluator().run(x); }

constexpr int64_t kMany = 20000;

TEST(RandomGamma, HasMeanAndVarianceAlpha) {
  for (double alpha : {0.4, 1.0, 3.0, 50.0}) {
    Graph graph(standard_ops());
    const Output x = random_gamma({kMany}, constant(graph, Tensor(alpha)), {.seed = 7});
    const Moments m = moments_of(evaluate(x));
    EXPECT_NEAR(m.mean, alpha, 5 * std::sqrt(alpha / kMany)) << alpha;
    EXPECT_NEAR(m.variance, alpha, 0.1 * alpha) << alpha;
  }
}

TEST(RandomPoisson, HasMeanAndVarianceRate) {
  for (double rate : {0.3, 5.0, 10.0, 200.0}) {
    Graph graph(standard_ops());
    const Output x =
        random_poisson({kMany}, constant(graph, Tensor(rate)), {.dtype = kFloat64, .seed = 7});
    const Moments m = moments_of(evaluate(x));
    EXPECT_NEAR(m.mean, rate, 5 * std::sqrt(rate / kMany)) << rate;
    EXPECT_NEAR(m.variance, rate, 0.06 * rate) << rate;
  }
}

TEST(Multinomial, DrawsClassesAsOftenAsTheirWeights) {
  Graph graph(standard_ops());
  const Tensor logits = Tensor::of<float>({0, std::log(2.0f), std::log(5.0f)}, {1, 3});
  const Tensor drawn = evaluate(multinomial(constant(graph, logits), kMany, {.seed = 7}));
  int64_t counts[3] = {};
  for (int64_t i = 0; i < kMany; ++i) ++counts[static_cast<int64_t>(drawn.at(i))];
  EXPECT_NEAR(counts[0] / double{kMany}, 1 / 8.0, 0.01);
  EXPECT_NEAR(counts[1] / double{kMany}, 2 / 8.0, 0.01);
  EXPECT_NEAR(counts[2] / double{kMany}, 5 / 8.0, 0.01);
}

// The mean of a standard normal number within [a, b] is (phi(a) - phi(b)) / (Phi(b) - Phi(a)).
TEST(ParameterizedTruncatedNormal, HasTheMeanOfItsBounds) {
  const auto density = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); };
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const std::pair<double, double> bounds[] = {{-1, 2}, {0.5, 0.8}, {2, 9}, {-9, -3}, {-0.1, 8}};
  for (const auto& [low, high] : bounds) {
    Graph graph(standard_ops());
    const auto scalar = [&](double v) { return constant(graph, Tensor(v)); };
    const Output x = parameterized_truncated_normal({kMany}, scalar(0), scalar(1), scalar(low),
                                                    scalar(high), {.seed = 7});
    const double mean = (density(low) - density(high)) / (below(high) - below(low));
    EXPECT_NEAR(moments_of(evaluate(x)).mean, mean, 0.03) << low << ", " << high;
  }
}

TEST(CandidateSampler, DrawsUniqueClassesOfItsRange) {
  Graph graph(standard_ops());
  const Output labels = constant(graph, Tensor::of<int64_t>({0, 9}, {2, 1}));
  const Candidates c = log_uniform_candidate_sampler(labels, 10, 10, {.random = {.seed = 3}});
  const Tensor sampled = evaluate(c.sampled);
  std::vector<bool> seen(10, false);
  for (int64_t i = 0; i < 10; ++i) seen[static_cast<size_t>(sampled.at(i))] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 10);
}

}  // namespace
}  // namespace thalweg
