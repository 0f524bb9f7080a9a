#include "thalweg/runtime/function.h"

#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"

namespace thalweg::testing {
namespace {

TEST(TracedFunction, TracesOncePerSignature) {
  int calls = 0;
  const auto f = function([&calls](Output x, Output y) {
    ++calls;
    return x * y + 1.0;
  });
  EXPECT_EQ(f(2.0f, 3.0f).at(0), 7);
  EXPECT_EQ(f(4.0f, 5.0f).at(0), 21);
  EXPECT_EQ(f(Tensor::of<float>({1, 2}), Tensor::of<float>({3, 4})).to_string(),
            "float32[2] [4, 9]");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(f.num_traces(), 2);
}

TEST(TracedFunction, KeepsVariablesBetweenCallsAndSignatures) {
  const TracedFunction count([](Graph& graph, const std::vector<Output>& arguments) {
    const Variable total(graph, Tensor(0.0f), {.name = "total"});
    total.assign_add(reduce_sum(arguments[0]));
    return std::vector<Output>{total.read()};
  });
  EXPECT_EQ(count.call({Tensor::of<float>({1, 2})})[0].at(0), 3);
  EXPECT_EQ(count.call({Tensor::of<float>({1, 2})})[0].at(0), 6);
  EXPECT_EQ(count.call({Tensor::of<float>({1, 2, 3})})[0].at(0), 12);
  EXPECT_EQ(count.variables().get("total").at(0), 12);
}

TEST(TracedFunction, CanTakeGradients) {
  const auto slope = function([](Output x) { return gradient(x * x * x, x); });
  EXPECT_EQ(slope(2.0f).at(0), 12);
}

TEST(TracedFunction, SaysHowManyArgumentsItTakes) {
  const auto f = function([](Output x) { return exp(x); });
  expect_error(
      Code::kInvalidArgument,
      [&] {
        f.call({Tensor(1.0f), Tensor(2.0f)});
      },
      "1", "2");
}

}  // namespace
}  // namespace thalweg::testing
