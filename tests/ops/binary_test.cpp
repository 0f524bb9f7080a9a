#include "thalweg/ops/binary.h"

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::count_nodes;
using testing::evaluate_output;
using testing::expect_error;
using testing::values;
using Doubles = std::vector<double>;

class BinaryFunctions : public ::testing::Test {
 protected:
  Output floats(std::initializer_list<float> list) {
    return constant(graph_, Tensor::of<float>(list));
  }

  Graph graph_{standard_ops()};
};

TEST_F(BinaryFunctions, TakeNumbersOnEitherSide) {
  const Output x = floats({1, -2});
  EXPECT_EQ(values(evaluate_output(2 * x + 1)), (Doubles{3, -3}));
  EXPECT_EQ(values(evaluate_output(1 - x / 2)), (Doubles{0.5, 2}));
  EXPECT_EQ(values(evaluate_output(maximum(0, x))), (Doubles{1, 0}));
  EXPECT_EQ(values(evaluate_output(select(greater(x, 0), x, -7))), (Doubles{1, -7}));
  EXPECT_EQ((x * 2).dtype(), kFloat32);
}

TEST_F(BinaryFunctions, RefuseNumbersThatTheDtypeCannotHold) {
  const Output x = constant(graph_, Tensor::of<int8_t>({1, 2}));
  expect_error(
      Code::kInvalidArgument, [&] { x * 2.5; }, "2.5", "int8");
  expect_error(
      Code::kInvalidArgument, [&] { add(x, 128); }, "128", "int8");
  EXPECT_EQ(values(evaluate_output(x + 127)), (Doubles{-128, -127}));
}

TEST_F(BinaryFunctions, NeedAnOutputAmongTheOperands) {
  expect_error(
      Code::kInvalidArgument, [] { maximum(1, 2); }, "needs an Output");
}

TEST_F(BinaryFunctions, AskWhichDivisionOfIntegersIsMeant) {
  const Output x = constant(graph_, Tensor::of<int32_t>({7, -7}));
  expect_error(
      Code::kInvalidArgument, [&] { x / 2; }, "floor_div", "truncate_div");
  EXPECT_EQ(values(evaluate_output(floor_div(x, 2))), (Doubles{3, -4}));
  EXPECT_EQ(values(evaluate_output(truncate_div(x, 2))), (Doubles{3, -3}));
}

TEST_F(BinaryFunctions, NameWhatHasAName) {
  const Output x = floats({1});
  EXPECT_EQ(add_n({x, x}, {.name = "total"}).name(), "total:0");
  EXPECT_EQ(equal(x, 1, {.name = "same"}).name(), "same:0");
}

TEST(MaximumGradient, GoesToTheFirstOperandAtTies) {
  Graph graph(standard_ops());
  for (const auto function : {maximum, minimum}) {
    const Output x = constant(graph, Tensor::of<float>({1, 2, 3}));
    const Output y = constant(graph, Tensor::of<float>({1, 2, 3}));
    const auto both = gradients({function(x, y)}, {x, y});
    EXPECT_EQ(values(evaluate_output(both[0])), (Doubles{1, 1, 1}));
    EXPECT_EQ(values(evaluate_output(both[1])), (Doubles{0, 0, 0}));
  }
}

TEST(SelectGradient, KeepsNanOutOfWhatWasNotTaken) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<double>({4, 0}));
  const Output safe = select(greater(x, 0), x, 1);
  const Output y = select(greater(x, 0), log(safe), 0);
  EXPECT_EQ(values(evaluate_output(gradient(y, x))), (Doubles{0.25, 0}));
}

TEST(PowGradient, IsZeroInThePowerAtBaseZero) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<double>({0, 2}));
  const Output y = constant(graph, Tensor::of<double>({2, 3}));
  const auto both = gradients({pow(x, y)}, {x, y});
  EXPECT_EQ(values(evaluate_output(both[0])), (Doubles{0, 12}));
  EXPECT_EQ(values(evaluate_output(both[1]))[0], 0);
}

TEST(SumToShapeOf, AddsNothingWhereShapesTellThatNothingWasRepeated) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 10});
  const Output bias = placeholder(graph, kFloat32, {10});
  const Output gradient = placeholder(graph, kFloat32, {kUnknownDim, 10});
  const int before = graph.num_nodes();
  EXPECT_EQ(sum_to_shape_of(gradient, x, bias), gradient);
  EXPECT_EQ(graph.num_nodes(), before);
  EXPECT_EQ(sum_to_shape_of(gradient, bias, x).shape(), Shape{10});
  EXPECT_EQ(count_nodes(graph, "Sum"), 1);
  EXPECT_EQ(count_nodes(graph, "Reshape"), 0);
  EXPECT_EQ(count_nodes(graph, "BroadcastGradientArgs"), 0);
}

TEST(SumToShapeOf, SumsInFrontAndWithin) {
  Graph graph(standard_ops());
  const Output like = placeholder(graph, kFloat32, {1, 3});
  const Output gradient =
      constant(graph, Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3}));
  const Tensor sum = evaluate_output(sum_to_shape_of(gradient, like));
  EXPECT_EQ(sum.shape(), (Shape{1, 3}));
  EXPECT_EQ(values(sum), (Doubles{22, 26, 30}));
}

TEST(SumToShapeOf, FindsOutAsTheGraphRuns) {
  Graph graph(standard_ops());
  const Output like = placeholder(graph, kFloat32);
  const Output gradient = placeholder(graph, kFloat32);
  const Output sum = sum_to_shape_of(gradient, like);
  const Tensor wide = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  for (const auto& [shape, expected] :
       std::vector<std::pair<Shape, Doubles>>{{{2, 3}, {1, 2, 3, 4, 5, 6}},
                                              {{3}, {5, 7, 9}},
                                              {{2, 1}, {6, 15}},
                                              {{}, {21}},
                                              {{1, 1}, {21}}}) {
    testing::Feeds feeds{{gradient, wide}, {like, Tensor::zeros(kFloat32, shape)}};
    const Tensor result = evaluate_output(sum, feeds);
    EXPECT_EQ(result.shape(), shape);
    EXPECT_EQ(values(result), expected);
  }
}

}  // namespace
}  // namespace thalweg
