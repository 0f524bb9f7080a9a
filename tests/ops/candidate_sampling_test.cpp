#include <gtest/gtest.h>

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::expect_error;
using testing::TemporaryFolder;

TEST(FixedUnigramCandidateSampler, TakesWeightsFromTheLastColumnOfAFile) {
  const TemporaryFolder folder;
  const std::string file = folder / "vocabulary.csv";
  write_file(file, "the,0\nof,of,4\nand,0\n");
  Graph g(standard_ops());
  const Output classes = constant(g, Tensor::of<int64_t>({1}, Shape{1, 1}));
  const AttrMap attrs = {{"num_true", int64_t{1}},
                         {"num_sampled", int64_t{4}},
                         {"unique", false},
                         {"range_max", int64_t{3}},
                         {"vocab_file", file}};
  const Node& sampler = g.add("FixedUnigramCandidateSampler", {classes}, attrs);
  EXPECT_EQ(evaluate_output(sampler.output(0)).to_string(), "int64[4] [1, 1, 1, 1]");
  EXPECT_EQ(evaluate_output(sampler.output(1)).to_string(), "float32[1, 1] [[4]]");
}

TEST(FixedUnigramCandidateSampler, NamesTheLineWithoutAWeight) {
  const TemporaryFolder folder;
  const std::string file = folder / "vocabulary.csv";
  write_file(file, "the,1\nof\n");
  Graph g(standard_ops());
  const Output classes = constant(g, Tensor::of<int64_t>({1}, Shape{1, 1}));
  const AttrMap attrs = {{"num_true", int64_t{1}},
                         {"num_sampled", int64_t{1}},
                         {"unique", false},
                         {"range_max", int64_t{2}},
                         {"vocab_file", file}};
  const Node& sampler = g.add("FixedUnigramCandidateSampler", {classes}, attrs);
  expect_error(
      Code::kInvalidArgument, [&] { evaluate_output(sampler.output(0)); }, "vocabulary.csv:2",
      "`of`");
}

}  // namespace
}  // namespace thalweg
