// Runs for which there is not enough memory say which node asks for it.
#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/random.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

TEST(OutOfMemory, NamesTheNodeOfTheLargestValue) {
  Graph graph(standard_ops());
  const Output noise =
      random_uniform(graph, {int64_t{1} << 22, int64_t{1} << 22}, {.name = "noise"});
  Session session(graph);
  expect_error(
      Code::kResourceExhausted,
      [&] {
        session.run(reduce_sum(noise, {0, 1}));
      },
      "cannot allocate", "noise", "[4194304, 4194304]");
}

TEST(OutOfMemory, NamesTheNodeWhoseShapeIsKnownLate) {
  Graph graph(standard_ops());
  const Output dims = placeholder(graph, kInt32, {2}, {.name = "dims"});
  const Output zeros = fill(dims, constant(graph, 0.0f), {.name = "zeros"});
  Session session(graph);
  expect_error(
      Code::kResourceExhausted,
      [&] {
        session.run(reduce_sum(zeros, {0, 1}), {{dims, Tensor::of<int32_t>({1 << 22, 1 << 22})}});
      },
      "cannot allocate", "zeros");
}

}  // namespace
}  // namespace thalweg::testing
