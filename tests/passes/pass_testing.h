// Running passes in tests: specialise, run, count what is left, and compute the result on reference
// kernels.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "reference_evaluator.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/unary.h"
#include "thalweg/passes/passes.h"

namespace thalweg::testing {

inline PlanGraph optimized(const Graph& graph, const std::vector<FeedSpec>& feeds,
                           const std::vector<Output>& fetches,
                           const std::vector<Node*>& targets = {},
                           std::vector<std::string> disabled = {}) {
  return run_passes(specialize(graph, feeds, fetches, targets), {reference_kernels()},
                    {.disabled = std::move(disabled)});
}

/// How many nodes of each op there are.
inline std::map<std::string, int> count_ops(const PlanGraph& plan) {
  std::map<std::string, int> counts;
  for (int id = 0; id < plan.graph->num_nodes(); ++id)
    ++counts[std::string(plan.graph->node(id).type())];
  return counts;
}

/// The fetches' values on reference kernels.
inline std::vector<Tensor> compute(const PlanGraph& plan, const std::vector<Tensor>& feeds) {
  ReferenceEvaluator evaluator;
  for (size_t i = 0; i < feeds.size(); ++i) evaluator.feed(plan.feeds[i], feeds[i]);
  return evaluator.run(plan.fetches);
}

inline void expect_near(const Tensor& expected, const Tensor& actual, double tolerance = 1e-5) {
  ASSERT_EQ(expected.dtype(), actual.dtype());
  ASSERT_EQ(expected.shape(), actual.shape());
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    ASSERT_NEAR(expected.at(i), actual.at(i), tolerance * (1 + std::abs(expected.at(i))))
        << "element " << i;
  }
}

/// With all passes and with none: the same numbers; and a second run of the passes changes nothing.
inline PlanGraph expect_same_numbers(const Graph& graph, const std::vector<Output>& feeds,
                                     const std::vector<Tensor>& values,
                                     const std::vector<Output>& fetches) {
  std::vector<FeedSpec> specs;
  for (size_t i = 0; i < feeds.size(); ++i)
    specs.push_back({feeds[i], values[i].dtype(), values[i].shape()});
  const PlanGraph plain = optimized(graph, specs, fetches, {}, {"all"});
  PlanGraph fast = optimized(graph, specs, fetches);
  const std::vector<Tensor> expected = compute(plain, values);
  const std::vector<Tensor> actual = compute(fast, values);
  for (size_t i = 0; i < expected.size(); ++i) expect_near(expected[i], actual[i]);
  const auto before = count_ops(fast);
  fast = run_passes(std::move(fast), {reference_kernels()});
  EXPECT_EQ(before, count_ops(fast)) << "the passes are not idempotent";
  return fast;
}

}  // namespace thalweg::testing
