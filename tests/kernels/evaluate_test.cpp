// Computing one node of a graph that no plan has copied.
#include "thalweg/kernels/evaluate.h"

#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/graph/function.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/table.h"

namespace thalweg::testing {
namespace {

TEST(Evaluate, FindsATableWhoseHandleComesOutOfALoop) {
  Graph graph(standard_ops());
  const Output table = mutable_hash_table(graph, kInt64, kFloat32);
  const Output start = constant(graph, Tensor(int64_t{0}));
  const Output key = constant(graph, Tensor::of<int64_t>({7}));
  const Output otherwise = constant(graph, Tensor(0.5f));
  // Counts the table's entries again and again; the handle is a loop variable behind the counter.
  const Output last =
      while_loop([](Output i) { return less(i, 3.0); },
                 [&](Output i) { return i + lookup_table_size(table) + 1.0; }, {start})[0];
  const Node& loop = *last.node();
  int index = -1;
  for (int i = 0; i < loop.num_inputs(); ++i) {
    if (loop.input(i) == table) index = i;
  }
  ASSERT_GT(index, 0) << graph.to_string();
  const Node& find = *lookup_table_find(loop.output(index), key, otherwise).node();

  const TensorSpec spec{.dtype = kResource, .shape = Shape{}};
  const KernelPtr maker =
      reference_kernels().make({*table.node(), {}, std::span<const TensorSpec>(&spec, 1)});
  const std::shared_ptr<Resource> resource = dynamic_cast<const HandleKernel&>(*maker).create();
  const std::vector<Tensor> inputs = {Tensor(), Tensor::of<int64_t>({7}), Tensor(0.5f)};
  const std::vector<Resource*> resources = {resource.get(), nullptr, nullptr};
  EXPECT_EQ(evaluate(find, inputs, reference_kernels(), {.resources = resources})[0].to_string(),
            "float32[1] [0.5]");
}

TEST(Evaluate, SaysThatAHandleIsChosenAtRunTime) {
  Graph graph(standard_ops());
  const Output one = mutable_hash_table(graph, kInt64, kFloat32, {.name = "one"});
  const Output two = mutable_hash_table(graph, kInt64, kFloat32, {.name = "two"});
  const Output chosen = cond(
      placeholder(graph, kBool, {}), [&] { return identity(one); }, [&] { return identity(two); });
  const Node& size = *lookup_table_size(chosen).node();
  Resource resource;
  const std::vector<Tensor> inputs = {Tensor()};
  const std::vector<Resource*> resources = {&resource};
  expect_error(
      Code::kUnimplemented,
      [&] { evaluate(size, inputs, reference_kernels(), {.resources = resources}); }, "run time");
}

}  // namespace
}  // namespace thalweg::testing
