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

TEST(TracedFunction, ThatGivesNothingHasNoFirstValue) {
  const auto f = function([](Output) { return std::vector<Output>{}; });
  EXPECT_TRUE(f.call({Tensor(1.0f)}).empty());
  expect_error(
      Code::kInvalidArgument, [&] { f(1.0f); }, "no value", "call");
}

TEST(TracedFunction, MayCallItselfForOtherShapesWhileItIsTraced) {
  const TracedFunction* self = nullptr;
  const auto f = function([&self](Output x) {
    if (x.shape().rank() == 0) return x * (*self)(Tensor::of<float>({5, 6})).at(1);
    EXPECT_EQ(self->num_traces(), 0);
    return x * 2.0;
  });
  self = &f;
  EXPECT_EQ(f(3.0f).at(0), 36);
  EXPECT_EQ(f.num_traces(), 2);
}

TEST(TracedFunction, SaysThatItCallsItselfWithoutEnd) {
  const TracedFunction* self = nullptr;
  const auto f = function([&self](Output x) { return x * (*self)(2.0f).at(0); });
  self = &f;
  for (int i = 0; i < 2; ++i) {
    expect_error(
        Code::kFailedPrecondition, [&] { f(1.0f); }, "calls itself", "same dtypes and shapes");
  }
  const auto grows = function([&self](Output x) {
    return x * (*self)(Tensor::zeros(kFloat32, Shape{x.shape()[0] + 1})).at(0);
  });
  self = &grows;
  expect_error(
      Code::kFailedPrecondition, [&] { grows(Tensor::of<float>({1})); }, "calls itself", "deep");
}

TEST(TracedFunction, KeepsTheTracesOfTheLastSignaturesOnly) {
  int calls = 0;
  const auto f = function([&calls](Output x) {
    ++calls;
    return reduce_sum(x);
  });
  const auto of_size = [&](int64_t size) { return f(Tensor::zeros(kFloat32, {size})); };
  for (int64_t size = 1; size <= 40; ++size) {
    of_size(size);
    of_size(1);
  }
  EXPECT_EQ(calls, 40);
  of_size(40);
  EXPECT_EQ(calls, 40);
  of_size(2);
  EXPECT_EQ(calls, 41);
  EXPECT_EQ(f.num_traces(), 41);
}

TEST(TracedFunction, SaysThatItsCallableIsEmpty) {
  const TracedFunction empty{TracedFunction::Body()};
  const auto inside = function(std::function<Output(Output)>());
  for (const TracedFunction& f : {empty, inside}) {
    expect_error(
        Code::kInvalidArgument, [&] { f(1.0f); }, "callable of a traced function is empty");
  }
}

}  // namespace
}  // namespace thalweg::testing
