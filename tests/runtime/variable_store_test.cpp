#include "thalweg/runtime/variable_store.h"

#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

TEST(VariableStore, GivesBackACopyOfWhatWasSet) {
  VariableStore store;
  Tensor value = Tensor::of<float>({1, 2});
  store.set("w", value);
  value.mutable_data<float>()[0] = 9;
  EXPECT_EQ(store.get("w").to_string(), "float32[2] [1, 2]");
  EXPECT_EQ(store.names(), std::vector<std::string>{"w"});
}

TEST(VariableStore, NamesTheNearestVariable) {
  VariableStore store;
  store.set("dense/kernel", Tensor(1.0f));
  expect_error(
      Code::kNotFound, [&] { store.get("dense/kernal"); }, "dense/kernel");
}

TEST(VariableStore, RefusesAValueOfAnotherShape) {
  VariableStore store;
  store.set("w", Tensor::of<float>({1, 2}));
  expect_error(
      Code::kInvalidArgument,
      [&] {
        store.set("w", Tensor::of<float>({1, 2, 3}));
      },
      "w", "[2]", "[3]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        store.set("w", Tensor::of<int32_t>({1, 2}));
      },
      "w", "int32");
  EXPECT_EQ(store.get("w").at(1), 2);
}

TEST(VariableStore, RefusesAGraphThatDeclaresAnotherShape) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor::of<float>({1, 2, 3}), {.name = "w"});
  auto store = std::make_shared<VariableStore>();
  store->set("w", Tensor::of<float>({1, 2}));
  Session session(graph, {.variables = store});
  expect_error(
      Code::kInvalidArgument, [&] { session.run(v.read()); }, "w", "[2]", "[3]");
}

// The product's kernel keeps the weights in a layout of its own; whoever reads them by name never
// sees it.
TEST(VariableStore, ReadsAndWritesByNameWhateverLayoutAPlanUses) {
  Graph graph(standard_ops());
  Tensor weights(kFloat32, {40, 24});
  float next = 0;
  for (float& w : weights.mutable_data<float>()) w = next += 0.25f;
  const Variable w(graph, weights, {.name = "w"});
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 40}, {.name = "x"});
  const Output y = matmul(x, w);
  Session session(graph);
  session.initialize();
  Tensor ones(kFloat32, {32, 40});
  for (float& one : ones.mutable_data<float>()) one = 1;
  const Tensor before = session.run(y, {{x, ones}});
  EXPECT_TRUE(session.variables().get("w").same_bits(weights));
  weights = weights.clone();
  for (float& value : weights.mutable_data<float>()) value *= 2;
  session.variables().set("w", weights);
  const Tensor after = session.run(y, {{x, ones}});
  for (int64_t i = 0; i < before.num_elements(); ++i)
    EXPECT_FLOAT_EQ(2 * before.at(i), after.at(i));
  EXPECT_TRUE(session.variables().get("w").same_bits(weights));
}

}  // namespace
}  // namespace thalweg::testing
