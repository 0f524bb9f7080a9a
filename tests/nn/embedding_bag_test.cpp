#include "thalweg/nn/embedding_bag.h"

#include <cmath>

#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

// Rows 0..3 of two: (1, 2), (10, 20), (100, 200), (1000, 2000).
const Tensor kTable = Tensor::of<float>({1, 2, 10, 20, 100, 200, 1000, 2000}, Shape{4, 2});
const Tensor kIds = Tensor::of<int64_t>({0, 1, -1, 3, 3, 2, -1, -1, -1}, Shape{3, 3});
const Tensor kWeights = Tensor::of<float>({2, 1, 5, 1, 2, -1, 1, 0, 1}, Shape{3, 3});

void expect_near(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.shape(), want.shape());
  for (int64_t i = 0; i < want.num_elements(); ++i)
    EXPECT_NEAR(got.at(i), want.at(i), 1e-6 * (1 + std::abs(want.at(i)))) << "element " << i;
}

struct Bag {
  Bag(const Tensor& values, Shape shape, Combiner combiner, bool weighted)
      : graph(standard_ops()), table(graph, values, {.name = "table"}) {
    ids = placeholder(graph, kInt64, shape, {.name = "ids"});
    if (weighted) weights = placeholder(graph, kFloat32, shape, {.name = "weights"});
    bag = embedding_bag(table, ids, weights, combiner);
    session = std::make_unique<Session>(graph);
    session->initialize();
  }
  std::vector<Feed> feeds(const Tensor& i, const Tensor& w) const {
    std::vector<Feed> result = {{ids, i}};
    if (weights) result.push_back({weights, w});
    return result;
  }
  Graph graph;
  Variable table;
  Output ids, weights, bag;
  std::unique_ptr<Session> session;
};

Tensor bag_of(Combiner combiner, bool weighted, const Tensor& ids = kIds,
              const Tensor& weights = kWeights, const Tensor& table = kTable) {
  Bag bag(table, Shape{kUnknownDim, ids.shape()[1]}, combiner, weighted);
  return bag.session->run(bag.bag, bag.feeds(ids, weights));
}

Tensor rows_of_two(std::initializer_list<float> values) {
  return Tensor::of<float>(values, Shape{static_cast<int64_t>(values.size()) / 2, 2});
}

TEST(EmbeddingBag, SumsRowsAndGivesZerosWhereThereIsNone) {
  expect_near(bag_of(Combiner::kSum, false), rows_of_two({11, 22, 2100, 4200, 0, 0}));
}

TEST(EmbeddingBag, TakesTheMeanOfThoseThatCount) {
  expect_near(bag_of(Combiner::kMean, false), rows_of_two({5.5f, 11, 700, 1400, 0, 0}));
}

TEST(EmbeddingBag, DividesByTheNormOfTheWeights) {
  const auto two = std::sqrt(2.0f), three = std::sqrt(3.0f);
  expect_near(bag_of(Combiner::kSqrtN, false),
              rows_of_two({11 / two, 22 / two, 2100 / three, 4200 / three, 0, 0}));
}

// Of the second row id 2 has weight -1; the third has none but ids of -1.
TEST(EmbeddingBag, PrunesIdsWithoutAPositiveWeight) {
  expect_near(bag_of(Combiner::kSum, true), rows_of_two({12, 24, 3000, 6000, 0, 0}));
  expect_near(bag_of(Combiner::kMean, true), rows_of_two({4, 8, 1000, 2000, 0, 0}));
  const auto five = std::sqrt(5.0f);
  expect_near(bag_of(Combiner::kSqrtN, true),
              rows_of_two({12 / five, 24 / five, 3000 / five, 6000 / five, 0, 0}));
}

TEST(EmbeddingBag, TakesOneIdARow) {
  const Tensor ids = Tensor::of<int64_t>({2, -1}, Shape{2, 1});
  const Tensor weights = Tensor::of<float>({3, 1}, Shape{2, 1});
  expect_near(bag_of(Combiner::kSum, true, ids, weights), rows_of_two({300, 600, 0, 0}));
  expect_near(bag_of(Combiner::kMean, true, ids, weights), rows_of_two({100, 200, 0, 0}));
}

TEST(EmbeddingBag, TakesABatchOfNothing) {
  for (const int64_t width : {1, 3}) {
    const Tensor bags = bag_of(Combiner::kMean, false, Tensor(kInt64, Shape{0, width}));
    EXPECT_EQ(bags.shape(), (Shape{0, 2}));
  }
}

TEST(EmbeddingBag, TakesATableOfOneColumn) {
  const Tensor table = Tensor::of<float>({1, 10, 100, 1000}, Shape{4, 1});
  expect_near(bag_of(Combiner::kSum, true, kIds, kWeights, table),
              Tensor::of<float>({12, 3000, 0}, Shape{3, 1}));
}

// The bag is linear in the table, so differences of any width are exact but for rounding.
TEST(EmbeddingBag, HasTheGradientOfDifferences) {
  for (const Combiner combiner : {Combiner::kSum, Combiner::kMean, Combiner::kSqrtN}) {
    for (const bool weighted : {false, true}) {
      for (const int64_t dimension : {1, 2}) {
        const Tensor start = Tensor::zeros(kFloat32, Shape{4, dimension});
        Bag bag(start, Shape{3, 3}, combiner, weighted);
        const Tensor parts = dimension == 1 ? Tensor::of<float>({1, -2, 3}, Shape{3, 1})
                                            : rows_of_two({1, -2, 3, 0.5f, -1, 4});
        const Output loss = reduce_sum(bag.bag * constant(bag.graph, parts));
        const Output slope = gradient(loss, bag.table.handle());
        Session session(bag.graph);
        session.initialize();
        const auto feeds = bag.feeds(kIds, kWeights);
        const Tensor found = session.run(slope, feeds);
        ASSERT_EQ(found.shape(), start.shape());
        for (int64_t i = 0; i < start.num_elements(); ++i) {
          const auto loss_at = [&](float value) {
            Tensor moved = start.clone();
            moved.mutable_data<float>()[static_cast<size_t>(i)] = value;
            session.variables().set("table", moved);
            return session.run(loss, feeds).at(0);
          };
          EXPECT_NEAR(found.at(i), loss_at(0.5f) - loss_at(-0.5f), 1e-5) << "element " << i;
        }
      }
    }
  }
}

TEST(EmbeddingBag, RefusesTensorsOfOtherShapesAndTypes) {
  Graph graph(standard_ops());
  const Variable table(graph, kTable, {.name = "table"});
  const Output ids = placeholder(graph, kInt64, Shape{kUnknownDim, 3});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        embedding_bag(table, placeholder(graph, kFloat32, Shape{2, 3}));
      },
      "ids", "float", "int64 [batch, width]");
  expect_error(
      Code::kInvalidArgument, [&] { embedding_bag(table, placeholder(graph, kInt64, Shape{2})); },
      "ids", "[2]", "int64 [batch, width]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        embedding_bag(table, ids, placeholder(graph, kFloat32, Shape{kUnknownDim, 2}));
      },
      "weights", "[?, 2]", "[?, 3]");
  const Variable vector(graph, Tensor::of<float>({1, 2}), {.name = "vector"});
  expect_error(
      Code::kInvalidArgument, [&] { embedding_bag(vector, ids); }, "`vector`", "[2]",
      "[buckets, dimension]");
}

}  // namespace
}  // namespace thalweg
