#include "thalweg/ops/numeric.h"

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/diagonal.h"
#include "thalweg/ops/rearrange.h"
#include "thalweg/ops/scatter.h"
#include "thalweg/ops/segments.h"
#include "thalweg/ops/sparse.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::expect_error;
using testing::values;
using Doubles = std::vector<double>;

TEST(ClipByValue, TakesNumbersAsBounds) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({-2, 0.5f, 3}));
  EXPECT_EQ(values(evaluate_output(clip_by_value(x, -1.0, 1.0))), (Doubles{-1, 0.5, 1}));
}

TEST(Xlogy, NeedsAnOutputForItsGraph) {
  expect_error(
      Code::kInvalidArgument, [] { xlogy(1.0, 2.0); }, "no graph");
}

TEST(Bincount, CountsWithoutWeights) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<int32_t>({2, 0, 2, 5}));
  EXPECT_EQ(values(evaluate_output(bincount(x, 3))), (Doubles{1, 0, 2}));
  EXPECT_EQ(values(evaluate_output(bincount(x, 3, {.binary = true}))), (Doubles{1, 0, 1}));
}

TEST(Roll, ShiftsAroundTheEnds) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3}));
  EXPECT_EQ(values(evaluate_output(roll(x, {1}, {0}))), (Doubles{3, 1, 2}));
}

TEST(LinSpace, HoldsBothEnds) {
  Graph graph(standard_ops());
  EXPECT_EQ(values(evaluate_output(lin_space(graph, 0, 1, 3))), (Doubles{0, 0.5, 1}));
}

TEST(SegmentSum, SumsRowsThatBelongTogether) {
  Graph graph(standard_ops());
  const Output data = constant(graph, Tensor::of<float>({1, 2, 3, 4}));
  const Output ids = constant(graph, Tensor::of<int32_t>({0, 0, 1, 1}));
  EXPECT_EQ(values(evaluate_output(segment_sum(data, ids))), (Doubles{3, 7}));
}

TEST(Unique, TellsPlacesAndCounts) {
  Graph graph(standard_ops());
  const Unique result = unique(constant(graph, Tensor::of<int32_t>({7, 5, 7})));
  EXPECT_EQ(values(evaluate_output(result.values)), (Doubles{7, 5}));
  EXPECT_EQ(values(evaluate_output(result.indices)), (Doubles{0, 1, 0}));
  EXPECT_EQ(values(evaluate_output(result.counts)), (Doubles{2, 1}));
}

TEST(DynamicStitch, UndoesDynamicPartition) {
  Graph graph(standard_ops());
  const Output data = constant(graph, Tensor::of<float>({1, 2, 3}));
  const Output keys = constant(graph, Tensor::of<int32_t>({1, 0, 1}));
  const Output places = constant(graph, Tensor::of<int32_t>({0, 1, 2}));
  const Output whole =
      dynamic_stitch(dynamic_partition(places, keys, 2), dynamic_partition(data, keys, 2));
  EXPECT_EQ(values(evaluate_output(whole)), (Doubles{1, 2, 3}));
}

TEST(MatrixDiag, PutsADiagonalAboveTheMainOne) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({5}));
  const Output matrix = matrix_diag(x, {.lower = 1, .upper = 1});
  EXPECT_EQ(values(evaluate_output(matrix)), (Doubles{0, 5, 0, 0}));
  EXPECT_EQ(values(evaluate_output(matrix_diag_part(matrix, {.lower = 1, .upper = 1}))),
            (Doubles{5}));
}

TEST(LowerTriangle, KeepsTheMainDiagonal) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
  EXPECT_EQ(values(evaluate_output(lower_triangle(x))), (Doubles{1, 0, 3, 4}));
  EXPECT_EQ(values(evaluate_output(upper_triangle(x))), (Doubles{1, 2, 0, 4}));
}

TEST(TensorScatterMax, RaisesSlices) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 5}));
  const Output at = constant(graph, Tensor::of<int32_t>({0, 1}, {2, 1}));
  const Output updates = constant(graph, Tensor::of<float>({3, 4}));
  EXPECT_EQ(values(evaluate_output(tensor_scatter_max(x, at, updates))), (Doubles{3, 5}));
}

TEST(SparseMatmul, TakesEntriesInAnyOrder) {
  Graph graph(standard_ops());
  const SparseTensor a = {.indices = constant(graph, Tensor::of<int64_t>({1, 0, 0, 1}, {2, 2})),
                          .values = constant(graph, Tensor::of<float>({2, 3})),
                          .shape = constant(graph, Tensor::of<int64_t>({2, 2}))};
  const Output b = constant(graph, Tensor::of<float>({10, 100}, {2, 1}));
  EXPECT_EQ(values(evaluate_output(sparse_matmul(a, b))), (Doubles{300, 20}));
  const SparseTensor ordered = sparse_reorder(a);
  const Output zero = constant(graph, Tensor(0.0f));
  EXPECT_EQ(values(evaluate_output(sparse_to_dense(ordered, zero))), (Doubles{0, 3, 2, 0}));
  EXPECT_EQ(values(evaluate_output(sparse_reshape(ordered, {4}).indices)), (Doubles{1, 2}));
}

}  // namespace
}  // namespace thalweg
