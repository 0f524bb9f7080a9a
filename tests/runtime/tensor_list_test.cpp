// Lists of tensors: what they hold and hand out, and gradients through them.
#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/tensor_list.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

const AttrMap kDoubles = {{"element_dtype", kFloat64}};

Output add_op(Graph& graph, std::string_view op, std::vector<Output> inputs, AttrMap attrs = {}) {
  return graph.add(op, std::move(inputs), std::move(attrs)).output();
}

TEST(TensorLists, HoldHandOutAndJoinTensors) {
  Graph graph(standard_ops());
  const Output rows = constant(graph, Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
  const Output list = tensor_list_from_tensor(rows);
  const Output row = constant(graph, Tensor::of<float>({5, 6}));
  const Output longer = tensor_list_push_back(list, row);
  const Output one = constant(graph, Tensor(1));
  Session session(graph);
  const auto run = [&](const Output& y) { return session.run(y).to_string(); };
  EXPECT_EQ(run(tensor_list_length(longer)), "int32 3");
  EXPECT_EQ(run(tensor_list_length(list)), "int32 2");  // the list itself did not change
  EXPECT_EQ(run(tensor_list_get_item(longer, one, kFloat32)), "float32[2] [3, 4]");
  EXPECT_EQ(run(tensor_list_stack(longer, kFloat32)), "float32[3, 2] [[1, 2], [3, 4], [5, 6]]");
  const PoppedItem popped = tensor_list_pop_back(tensor_list_set_item(longer, one, row), kFloat32);
  EXPECT_EQ(run(popped.item), "float32[2] [5, 6]");
  EXPECT_EQ(run(tensor_list_stack(popped.list, kFloat32)), "float32[2, 2] [[1, 2], [5, 6]]");
  const Output reserved = tensor_list_reserve(one, kFloat32, Shape{2});
  EXPECT_EQ(run(tensor_list_stack(reserved, kFloat32)), "float32[1, 2] [[0, 0]]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run(tensor_list_pop_back(empty_tensor_list(graph, kFloat32, Shape{}), kFloat32).item);
      },
      "none");
  expect_error(
      Code::kInvalidArgument, [&] { run(tensor_list_push_back(list, one)); }, "float32", "int32");
}

TEST(TensorLists, ScatterGatherSplitAndResize) {
  Graph graph(standard_ops());
  const auto add = [&](std::string_view op, std::vector<Output> inputs, AttrMap attrs = {}) {
    return graph.add(op, std::move(inputs), std::move(attrs)).output();
  };
  const Output rows = constant(graph, Tensor::of<float>({1, 2, 3}, {3, 1}));
  const Output shape = constant(graph, Tensor::of<int32_t>({1}));
  const Output places = constant(graph, Tensor::of<int32_t>({3, 0, 1}));
  const Output list =
      add("TensorListScatterV2", {rows, places, shape, constant(graph, Tensor(-1))});
  const AttrMap floats = {{"element_dtype", kFloat32}};
  Session session(graph);
  const auto run = [&](const Output& y) { return session.run(y).to_string(); };
  EXPECT_EQ(run(tensor_list_stack(list, kFloat32)), "float32[4, 1] [[2], [3], [0], [1]]");
  EXPECT_EQ(run(add("TensorListGather", {list, places, shape}, floats)),
            "float32[3, 1] [[1], [2], [3]]");
  EXPECT_EQ(run(tensor_list_length(add("TensorListResize", {list, constant(graph, Tensor(6))}))),
            "int32 6");
  const Output lengths = constant(graph, Tensor::of<int64_t>({2, 0, 1}));
  const Output any = constant(graph, Tensor::of<int32_t>({-1, 1}));
  const Output pieces = add("TensorListSplit", {rows, any, lengths});
  EXPECT_EQ(run(tensor_list_get_item(pieces, constant(graph, Tensor(0)), kFloat32)),
            "float32[2, 1] [[1], [2]]");
  Node& joined = graph.add("TensorListConcatV2", {pieces, any, lengths}, floats);
  EXPECT_EQ(run(joined.output(0)), "float32[3, 1] [[1], [2], [3]]");
  EXPECT_EQ(run(joined.output(1)), "int64[3] [2, 0, 1]");
  EXPECT_EQ(run(add("TensorListElementShape", {pieces}, {{"shape_type", kInt32}})),
            "int32[2] [-1, 1]");
  EXPECT_EQ(run(tensor_list_stack(add("TensorListScatterIntoExistingList", {list, rows, places}),
                                  kFloat32)),
            "float32[4, 1] [[2], [3], [0], [1]]");
}

TEST(TensorLists, JoinItemsOfDifferentLength) {
  Graph graph(standard_ops());
  const Output list = empty_tensor_list(graph, kFloat32, Shape{kUnknownDim});
  const Output two = tensor_list_push_back(list, constant(graph, Tensor::of<float>({1, 2})));
  const Output three = tensor_list_push_back(two, constant(graph, Tensor::of<float>({3})));
  Node& joined = graph.add("TensorListConcat", {three}, {{"element_dtype", kFloat32}});
  Session session(graph);
  EXPECT_EQ(session.run(joined.output(0)).to_string(), "float32[3] [1, 2, 3]");
  EXPECT_EQ(session.run(joined.output(1)).to_string(), "int64[2] [2, 1]");
  expect_error(
      Code::kInvalidArgument, [&] { session.run(tensor_list_stack(three, kFloat32)); }, "[2]",
      "[1]");
}

// The gradient of the sum of squares of what `f` makes of [[1], [2], [3]].
void expect_slope(const std::function<Output(Graph&, Output)>& f, const std::string& slope) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat64, {3, 1});
  const Output result = f(graph, x);
  const Output y = reduce_sum(result * result);
  Session session(graph);
  EXPECT_EQ(session.run(gradient(y, x), {{x, Tensor::of<double>({1, 2, 3}, {3, 1})}}).to_string(),
            slope);
}

TEST(TensorListGradients, ReachTheItems) {
  const auto ints = [](Graph& g, std::initializer_list<int32_t> v) {
    return constant(g, Tensor::of<int32_t>(v));
  };
  const auto lengths = [](Graph& g) { return constant(g, Tensor::of<int64_t>({1, 2})); };
  expect_slope(
      [&](Graph& g, Output x) {
        const Output list = tensor_list_from_tensor(x);
        return add_op(g, "TensorListGather", {list, ints(g, {2, 0}), ints(g, {1})}, kDoubles);
      },
      "float64[3, 1] [[2], [0], [6]]");
  expect_slope(
      [&](Graph& g, Output x) {
        const Output list = add_op(g, "TensorListScatter", {x, ints(g, {3, 0, 1}), ints(g, {1})});
        return tensor_list_stack(list, kFloat64, Shape{1});
      },
      "float64[3, 1] [[2], [4], [6]]");
  expect_slope(
      [&](Graph& g, Output x) {
        const Output list = tensor_list_from_tensor(x * 2.0);
        return tensor_list_stack(
            add_op(g, "TensorListScatterIntoExistingList", {list, x, ints(g, {1, 0, 2})}), kFloat64,
            Shape{1});
      },
      "float64[3, 1] [[2], [4], [6]]");
  expect_slope(
      [&](Graph& g, Output x) {
        const Output pieces = add_op(g, "TensorListSplit", {x, ints(g, {-1, 1}), lengths(g)});
        return add_op(g, "TensorListConcatV2", {pieces, ints(g, {-1, 1}), lengths(g)}, kDoubles);
      },
      "float64[3, 1] [[2], [4], [6]]");
  expect_slope(
      [&](Graph& g, Output x) {
        const Output list =
            add_op(g, "TensorListResize", {tensor_list_from_tensor(x), constant(g, Tensor(2))});
        return tensor_list_stack(list, kFloat64, Shape{1});
      },
      "float64[3, 1] [[2], [4], [0]]");
  expect_slope(
      [&](Graph&, Output x) {
        const PoppedItem last =
            tensor_list_pop_back(tensor_list_from_tensor(x), kFloat64, Shape{1});
        const PoppedItem middle = tensor_list_pop_back(last.list, kFloat64, Shape{1});
        return last.item * middle.item;
      },
      "float64[3, 1] [[0], [36], [24]]");
}

TEST(TensorListGradients, AddUpOverUsesOfOneList) {
  expect_slope(
      [&](Graph&, Output x) {
        const Output list = tensor_list_from_tensor(x);
        return tensor_list_stack(list, kFloat64, Shape{1}) +
               tensor_list_stack(list, kFloat64, Shape{1});
      },
      "float64[3, 1] [[8], [16], [24]]");
}

}  // namespace
}  // namespace thalweg::testing
