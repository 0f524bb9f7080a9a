// lower_einsum, and the movements in simplify that let its products take biases and activations.
#include "passes/pass_testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"

namespace thalweg::testing {
namespace {

using Counts = std::map<std::string, int>;

Tensor some(const Shape& shape, uint32_t seed) {
  Tensor tensor(kFloat32, shape);
  for (float& cell : tensor.mutable_data<float>()) {
    seed = seed * 1664525u + 1013904223u;
    cell = static_cast<float>(static_cast<int>(seed >> 9) % 17 - 8) / 8.0f;
  }
  return tensor;
}

struct Equation {
  const char* text;
  std::vector<Shape> shapes;
  Counts counts;  // what must be left, of Transpose, MatMul, BatchMatMulV2, Mul and Sum
};

const std::vector<Equation>& equations() {
  static const std::vector<Equation> list = {
      // Projections to heads and back: nothing moves.
      {"abc,cde->abde", {{2, 3, 4}, {4, 2, 5}}, {{"MatMul", 1}}},
      {"abcd,cde->abe", {{2, 3, 4, 5}, {4, 5, 6}}, {{"MatMul", 1}}},
      {"abc,cd->abd", {{2, 3, 4}, {4, 5}}, {{"MatMul", 1}}},
      {"...x,xy->...y", {{2, 3, 4}, {4, 5}}, {{"MatMul", 1}}},
      {"abc,dc->abd", {{2, 3, 4}, {5, 4}}, {{"MatMul", 1}}},
      {"abc,abde->cde", {{2, 3, 4}, {2, 3, 5, 2}}, {{"MatMul", 1}}},
      {"abde,cde->abc", {{2, 3, 5, 2}, {4, 5, 2}}, {{"MatMul", 1}}},
      {"ij,jk->ki", {{3, 4}, {4, 5}}, {{"MatMul", 1}}},
      {"ji,jk->ik", {{4, 3}, {4, 5}}, {{"MatMul", 1}}},
      {"i,i->", {{4}, {4}}, {{"MatMul", 1}}},
      {"i,j->ij", {{4}, {3}}, {{"MatMul", 1}}},
      // Attention: scores and their use.
      {"aecd,abcd->acbe", {{2, 3, 2, 5}, {2, 4, 2, 5}}, {{"BatchMatMulV2", 1}, {"Transpose", 2}}},
      {"acbe,aecd->abcd", {{2, 2, 4, 3}, {2, 3, 2, 5}}, {{"BatchMatMulV2", 1}, {"Transpose", 2}}},
      {"bhqd,bhkd->bhqk", {{2, 3, 4, 5}, {2, 3, 6, 5}}, {{"BatchMatMulV2", 1}}},
      {"bhqk,bhkd->bhqd", {{2, 3, 4, 6}, {2, 3, 6, 5}}, {{"BatchMatMulV2", 1}}},
      {"bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}, {{"BatchMatMulV2", 1}}},
      {"bij,bik->bkj", {{2, 3, 4}, {2, 3, 5}}, {{"BatchMatMulV2", 1}}},
      {"bij,bj->bi", {{2, 3, 4}, {2, 4}}, {{"BatchMatMulV2", 1}}},
      {"...ij,...jk->...ik", {{2, 1, 3, 4}, {2, 1, 4, 5}}, {{"BatchMatMulV2", 1}}},
      {"...ij,...jk->...ik", {{2, 3, 4}, {1, 4, 5}}, {{"MatMul", 1}}},
      {"...ij,...jk->...ik",
       {{2, 1, 3, 4}, {3, 4, 5}},
       {{"MatMul", 0}, {"BatchMatMulV2", 0}, {"Transpose", 1}}},
      {"bld,rd->blr", {{1, 3, 4}, {5, 4}}, {{"MatMul", 1}}},
      // Nothing to sum over.
      {"abc,c->abc", {{2, 3, 4}, {4}}, {{"Mul", 1}}},
      {"abc,a->cab", {{2, 3, 4}, {2}}, {{"Mul", 1}, {"Transpose", 1}}},
      {"ij,ji->ij", {{3, 4}, {4, 3}}, {{"Mul", 1}, {"Transpose", 1}}},
      // Sums over what one operand alone has.
      {"ijl,jk->ik", {{3, 4, 2}, {4, 5}}, {{"Sum", 1}, {"MatMul", 1}}},
      {"...i,i->i", {{2, 3, 4}, {4}}, {{"Mul", 1}, {"BiasAddGrad", 1}}},
      // One operand.
      {"ij->ji", {{3, 4}}, {{"Transpose", 1}}},
      {"abc->ca", {{2, 3, 4}}, {{"Sum", 1}, {"Transpose", 1}}},
      {"a...b->b...a", {{2, 3, 4, 5}}, {{"Transpose", 1}}},
      {"ab->", {{3, 4}}, {{"Sum", 1}}},
      {"abc->abc", {{2, 3, 4}}, {}},
  };
  return list;
}

TEST(LowerEinsum, GivesTheSameNumbersWithTheFewestMovements) {
  for (const Equation& equation : equations()) {
    SCOPED_TRACE(equation.text);
    Graph graph(standard_ops());
    std::vector<Output> feeds;
    std::vector<Tensor> values;
    for (const Shape& shape : equation.shapes) {
      feeds.push_back(placeholder(graph, kFloat32, shape));
      values.push_back(some(shape, static_cast<uint32_t>(feeds.size())));
    }
    const Output y = einsum(equation.text, feeds);
    Counts counts = count_ops(expect_same_numbers(graph, feeds, values, {y}));
    EXPECT_EQ(counts["Einsum"], 0);
    Counts wanted = equation.counts;
    if (wanted.contains("MatMul") && wanted["MatMul"] == 0) continue;  // any way will do
    for (const char* op : {"Transpose", "MatMul", "BatchMatMulV2", "Mul", "Sum", "BiasAddGrad"}) {
      EXPECT_EQ(counts[op], wanted[op]) << op;
    }
  }
}

TEST(LowerEinsum, LowersGradientsToo) {
  for (const Equation& equation : equations()) {
    SCOPED_TRACE(equation.text);
    Graph graph(standard_ops());
    std::vector<Output> feeds;
    std::vector<Tensor> values;
    for (const Shape& shape : equation.shapes) {
      feeds.push_back(placeholder(graph, kFloat32, shape));
      values.push_back(some(shape, static_cast<uint32_t>(feeds.size()) + 7));
    }
    const Output loss = square(einsum(equation.text, feeds));
    const PlanGraph plan = expect_same_numbers(graph, feeds, values, gradients({loss}, feeds));
    EXPECT_EQ(count_ops(plan)["Einsum"], 0);
  }
}

TEST(LowerEinsum, KeepsWhatItCannotLower) {
  Graph graph(standard_ops());
  const Output a = placeholder(graph, kFloat32, {2, 3}), b = placeholder(graph, kFloat32, {3, 4}),
               c = placeholder(graph, kFloat32, {4, 2});
  const Output empty = placeholder(graph, kFloat32, {0, 3});
  const PlanGraph plan = expect_same_numbers(
      graph, {a, b, c, empty},
      {some({2, 3}, 1), some({3, 4}, 2), some({4, 2}, 3), Tensor::zeros(kFloat32, {0, 3})},
      {einsum("ij,jk,kl->il", {a, b, c}), einsum("ij,jk->ik", {empty, b})});
  EXPECT_EQ(count_ops(plan)["Einsum"], 2);
}

TEST(LowerEinsum, WorksOnOtherTypes) {
  Graph graph(standard_ops());
  const Output a = placeholder(graph, kInt32, {2, 3}), b = placeholder(graph, kInt32, {3, 2});
  const PlanGraph plan = expect_same_numbers(graph, {a, b},
                                             {Tensor::of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}),
                                              Tensor::of<int32_t>({1, -2, 3, 0, 5, 7}, {3, 2})},
                                             {einsum("ij,jk->ki", {a, b})});
  EXPECT_EQ(count_ops(plan)["MatMul"], 1);
}

TEST(LowerEinsum, ReshapesConstantWeightsOnce) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3, 4});
  const Output w = constant(graph, some({4, 2, 5}, 2));
  const PlanGraph plan =
      expect_same_numbers(graph, {x}, {some({2, 3, 4}, 1)}, {einsum("abc,cde->abde", {x, w})});
  EXPECT_EQ(count_ops(plan)["Reshape"], 2);
}

TEST(LowerEinsum, ABiasOfHeadsJoinsTheProduct) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3, 4});
  const Output w = placeholder(graph, kFloat32, {4, 2, 5});
  const Output b = placeholder(graph, kFloat32, {2, 5});
  const PlanGraph plan = expect_same_numbers(
      graph, {x, w, b}, {some({2, 3, 4}, 1), some({4, 2, 5}, 2), some({2, 5}, 3)},
      {relu(einsum("abc,cde->abde", {x, w}) + b)});
  Counts counts = count_ops(plan);
  EXPECT_EQ(counts["_FusedMatMul"], 1);
  EXPECT_EQ(counts["AddV2"] + counts["BiasAdd"] + counts["Relu"], 0);
}

TEST(LowerEinsum, ABatchTimesOneMatrixIsOneProductWithItsBias) {
  for (const bool adj_y : {false, true}) {
    Graph graph(standard_ops());
    const Output x = placeholder(graph, kFloat32, {2, 3, 4});
    const Output w = placeholder(graph, kFloat32, adj_y ? Shape{5, 4} : Shape{1, 4, 5});
    const Output b = placeholder(graph, kFloat32, {5});
    const PlanGraph plan = expect_same_numbers(
        graph, {x, w, b}, {some({2, 3, 4}, 1), some(w.shape(), 2), some({5}, 3)},
        {thalweg::tanh(bias_add(batch_matmul(x, w, {.adj_y = adj_y}), b))});
    Counts counts = count_ops(plan);
    EXPECT_EQ(counts["_FusedMatMul"], 1);
    EXPECT_EQ(counts["BatchMatMulV2"] + counts["BiasAdd"] + counts["Tanh"], 0);
  }
}

TEST(LowerEinsum, GeluByErfcIsOneLoopBehindTheProduct) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3, 4});
  const Output w = placeholder(graph, kFloat32, {4, 5});
  const Output b = placeholder(graph, kFloat32, {5});
  const Output y = bias_add(batch_matmul(x, w), b);
  const Output gelu = 0.5 * y * graph.add("Erfc", {y * -0.70710678}).output();
  Counts counts = count_ops(expect_same_numbers(
      graph, {x, w, b}, {some({2, 3, 4}, 1), some({4, 5}, 2), some({5}, 3)}, {gelu}));
  EXPECT_EQ(counts["_FusedMatMul"], 1);
  EXPECT_EQ(counts["_FusedElementwise"], 1);
  EXPECT_EQ(counts["Erfc"], 0);
}

TEST(LowerEinsum, ABiasStaysBehindAReshapeThatOthersRead) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {6, 4});
  const Output w = placeholder(graph, kFloat32, {4, 5});
  const Output b = placeholder(graph, kFloat32, {5});
  const Output y = reshape(matmul(x, w), {2, 3, 5});
  const PlanGraph plan = expect_same_numbers(
      graph, {x, w, b}, {some({6, 4}, 1), some({4, 5}, 2), some({5}, 3)}, {bias_add(y, b), y});
  EXPECT_EQ(count_ops(plan)["MatMul"], 1);
}

TEST(LowerEinsum, ARowThatIsNotAllColumnsIsNoBias) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {6, 4});
  const Output w = placeholder(graph, kFloat32, {4, 4});
  const Output b = placeholder(graph, kFloat32, {2});
  const Output y = reshape(matmul(x, w), {6, 2, 2}) + b;
  const PlanGraph plan =
      expect_same_numbers(graph, {x, w, b}, {some({6, 4}, 1), some({4, 4}, 2), some({2}, 3)}, {y});
  EXPECT_EQ(count_ops(plan)["AddV2"], 1);
}

}  // namespace
}  // namespace thalweg::testing
