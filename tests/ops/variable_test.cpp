#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/training.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::count_nodes;
using testing::evaluate_output;
using testing::expect_error;
using testing::values;
using Doubles = std::vector<double>;

class Variables : public ::testing::Test {
 protected:
  Graph graph_{standard_ops()};
};

TEST_F(Variables, RegisterThemselvesWithInitializerAndName) {
  const Variable w(graph_, Tensor::of<float>({1, 2}), {.name = "w"});
  const Variable count(graph_, Tensor(int64_t{0}), {.name = "count", .trainable = false});
  ASSERT_EQ(graph_.variables().size(), 2u);
  const Graph::VariableRecord& record = graph_.variables()[0];
  EXPECT_EQ(record.name, "w");
  EXPECT_EQ(record.handle, w.handle().node());
  EXPECT_EQ(record.initializer, &w.initializer());
  EXPECT_TRUE(record.trainable);
  EXPECT_EQ(record.dtype, kFloat32);
  EXPECT_EQ(record.shape, Shape{2});
  EXPECT_FALSE(graph_.variables()[1].trainable);
  EXPECT_EQ(graph_.find_variable("count")->dtype, kInt64);
  EXPECT_EQ(w.initializer().type(), "AssignVariableOp");
}

TEST_F(Variables, TakeTheScopeIntoTheirNameAndKey) {
  std::string inside;
  {
    const NameScope scope(graph_, "fc1");
    const Variable kernel(graph_, Tensor(1.0f), {.name = "kernel"});
    const Variable second(graph_, Tensor(1.0f), {.name = "kernel"});
    EXPECT_EQ(kernel.name(), "fc1/kernel");
    EXPECT_EQ(second.name(), "fc1/kernel_1");
    EXPECT_EQ(kernel.handle().node()->name(), "fc1/kernel");
    EXPECT_EQ(second.handle().node()->name(), "fc1/kernel_1");
    EXPECT_EQ(second.handle().node()->attr<std::string>("shared_name"), "fc1/kernel_1");
    EXPECT_EQ(kernel.read().node()->name(), "fc1/kernel/Read");
    EXPECT_EQ(kernel.initializer().name(), "fc1/kernel/Assign");
  }
  const Variable unnamed(graph_, Tensor(1.0f));
  EXPECT_EQ(unnamed.name(), "Variable");
}

TEST_F(Variables, StandWhereAValueIsWanted) {
  const Variable w(graph_, Tensor::of<float>({1, 2}), {.name = "w"});
  const Output y = square(w) * w;
  EXPECT_EQ(y.shape(), Shape{2});
  EXPECT_EQ(count_nodes(graph_, "ReadVariableOp"), 2);
}

TEST_F(Variables, TakeTheirShapeFromTheInitialValue) {
  const Output initial = placeholder(graph_, kFloat32, {kUnknownDim, 3});
  const Variable table(graph_, initial, {.name = "table"});
  EXPECT_EQ(table.shape(), (Shape{kUnknownDim, 3}));
  EXPECT_EQ(table.read().shape(), (Shape{kUnknownDim, 3}));
  EXPECT_EQ(table.initializer().input(1), initial);
}

TEST_F(Variables, RefuseValuesOfAnotherShapeOrType) {
  const Variable w(graph_, Tensor::of<float>({1, 2}), {.name = "w"});
  expect_error(
      Code::kInvalidArgument, [&] { w.assign(constant(graph_, 1.0f)); }, "w/Assign", "[]", "[2]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        w.assign_add(constant(graph_, Tensor::of<double>({1, 2})));
      },
      "float32", "float64");
  EXPECT_EQ(w.assign_sub(w).type(), "AssignSubVariableOp");
}

TEST_F(Variables, RefuseAnEmptyInitialValue) {
  expect_error(
      Code::kInvalidArgument, [&] { Variable(graph_, Output(), {.name = "w"}); }, "w", "initial");
  EXPECT_TRUE(graph_.variables().empty());
}

TEST_F(Variables, CollectTheGradientOfAllReadsAtTheirHandle) {
  const Variable w(graph_, Tensor::of<float>({1, 2}), {.name = "w"});
  const Output x = constant(graph_, Tensor::of<float>({3, 4}));
  const Output first = w.read();
  const Output second = w.read();
  const Output gradient_of_w = gradients({x * first + 2 * second}, {w.handle()})[0];
  const Tensor value = Tensor::of<float>({1, 2});
  testing::Feeds feeds{{first, value}, {second, value}};
  EXPECT_EQ(values(evaluate_output(gradient_of_w, feeds)), (Doubles{5, 6}));
}

TEST_F(Variables, GiveGatheredRowsADenseGradient) {
  const Variable table(graph_, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}), {.name = "table"});
  const Output rows =
      resource_gather(table.handle(), constant(graph_, Tensor::of<int32_t>({2, 0, 2})), kFloat32);
  EXPECT_EQ(rows.shape(), (Shape{3, 2}));
  const Output weights = constant(graph_, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
  const Output gradient_of_table = gradients({rows * weights}, {table.handle()})[0];
  testing::Feeds feeds{{rows, Tensor::of<float>({5, 6, 1, 2, 5, 6}, {3, 2})}};
  EXPECT_EQ(values(evaluate_output(gradient_of_table, feeds)), (Doubles{3, 4, 0, 0, 6, 8}));
}

TEST_F(Variables, AreUpdatedByNodesThatKeepTensorFlowsArguments) {
  const Variable w(graph_, Tensor::of<float>({1, 2}), {.name = "w"});
  const Variable m(graph_, Tensor::of<float>({0, 0}), {.name = "m", .trainable = false});
  const Output rate = constant(graph_, 0.1f);
  const Output grad = constant(graph_, Tensor::of<float>({1, 1}));
  Node& node = apply_momentum(w.handle(), m.handle(), rate, grad, rate,
                              {.use_nesterov = true, .name = "up"});
  EXPECT_EQ(node.name(), "up");
  EXPECT_EQ(node.type(), "ResourceApplyMomentum");
  EXPECT_EQ(node.effect(), Effect::kWrites);
  EXPECT_TRUE(node.attr<bool>("use_nesterov"));
  EXPECT_EQ(node.input(3), grad);
  expect_error(
      Code::kInvalidArgument, [&] { apply_gradient_descent(w.handle(), rate, rate); }, "`delta`",
      "[2]", "[]");
}

}  // namespace
}  // namespace thalweg
