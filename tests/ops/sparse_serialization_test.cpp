#include <gtest/gtest.h>

#include "ops/evaluate_output.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

using testing::evaluate_output;

TEST(SparseSerialization, OfVariantsGivesTheTensorsBack) {
  Graph g(standard_ops());
  const Output indices = constant(g, Tensor::of<int64_t>({0, 1, 2, 0}, Shape{2, 2}));
  const Output values = constant(g, Tensor::of<float>({0.5f, 1.5f}));
  const Output shape = constant(g, Tensor::of<int64_t>({3, 2}));
  const Output many =
      g.add("SerializeManySparse", {indices, values, shape}, {{"out_type", kVariant}}).output();
  EXPECT_EQ(many.dtype(), kVariant);
  EXPECT_EQ(many.shape(), (Shape{kUnknownDim, 3}));
  const Node& back = g.add("DeserializeSparse", {many}, {{"dtype", kFloat32}});
  EXPECT_EQ(evaluate_output(back.output(0)).to_string(), "int64[2, 2] [[0, 1], [2, 0]]");
  EXPECT_EQ(evaluate_output(back.output(1)).to_string(), "float32[2] [0.5, 1.5]");
  EXPECT_EQ(evaluate_output(back.output(2)).to_string(), "int64[2] [3, 2]");
}

}  // namespace
}  // namespace thalweg
