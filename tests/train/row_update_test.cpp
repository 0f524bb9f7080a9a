// Updates of single rows against updates of the whole table: the same steps.
#include <cmath>
#include <functional>

#include "testing.h"
#include "thalweg/nn/embedding_bag.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/optimizer.h"
#include "train/allocation_count.h"

namespace thalweg {
namespace {

constexpr int64_t kRows = 5000;
constexpr int64_t kBatch = 64;
constexpr int64_t kWidth = 3;

/// The loss of a table and of ids [batch, width], int64.
using Loss = std::function<Output(const Variable& table, Output ids)>;

Output squares_of_rows(const Variable& table, Output ids) {
  const Output rows = resource_gather(table.handle(), ids, kFloat32);
  return reduce_mean(square(reduce_sum(rows, {1}) - 1.0));
}

struct Network {
  Network(const Optimizer& optimizer, const Tensor& start, const Loss& make_loss, bool by_rows)
      : graph(standard_ops()) {
    const Variable table(graph, start, {.name = "table"});
    const Variable bias(graph, Tensor::zeros(kFloat32, Shape{}), {.name = "bias"});
    ids = placeholder(graph, kInt64, Shape{kBatch, kWidth}, {.name = "ids"});
    const Output loss = make_loss(table, ids) + square(bias.read() - 2.0);
    if (by_rows) {
      step = &optimizer.minimize(loss);
    } else {  // a gradient behind an Identity is any tensor of the variable's shape
      auto gradients = optimizer.compute_gradients(loss);
      for (GradientAndVariable& pair : gradients) pair.gradient = identity(pair.gradient);
      step = &optimizer.apply_gradients(gradients);
    }
    session = std::make_unique<Session>(graph);
    session->initialize();
  }
  int count(std::string_view op) const {
    int number = 0;
    for (int id = 0; id < graph.num_nodes(); ++id) number += graph.node(id).type() == op;
    return number;
  }
  Graph graph;
  Output ids;
  Node* step = nullptr;
  std::unique_ptr<Session> session;
};

// Few of the ids are drawn often, most hardly ever.
Tensor draw_ids(int step) {
  Tensor ids(kInt64, Shape{kBatch, kWidth});
  uint64_t state = 88172645463325252u + static_cast<uint64_t>(step) * 7919;
  for (int64_t& id : ids.mutable_data<int64_t>()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto draw = static_cast<int64_t>(state >> 33);
    id = draw % 3 == 0 ? draw / 3 % 5 : draw / 3 % kRows;
  }
  return ids;
}

Tensor start_of(double scale, int64_t dimension) {
  Tensor start(kFloat32, Shape{kRows, dimension});
  int64_t i = 0;
  for (float& cell : start.mutable_data<float>())
    cell = static_cast<float>(scale * std::sin(static_cast<double>(i++)));
  return start;
}

struct Case {
  Optimizer optimizer;
  double start = 0;      // how far initial weights are from 0
  double tolerance = 0;  // 0: equal bit for bit
  int64_t dimension = 4;
  Loss loss = squares_of_rows;
};

// After ten steps all variables, slots included, are the same; gives the network that updates rows.
std::unique_ptr<Network> expect_same_steps(const Case& c) {
  const Tensor start = start_of(c.start, c.dimension);
  auto rows = std::make_unique<Network>(c.optimizer, start, c.loss, true);
  Network all(c.optimizer, start, c.loss, false);
  EXPECT_EQ(all.count("_SumDuplicates"), 0);
  for (int step = 0; step < 10; ++step) {
    const Tensor ids = draw_ids(step);
    rows->session->run(*rows->step, {{rows->ids, ids}});
    all.session->run(*all.step, {{all.ids, ids}});
  }
  int changed = 0;
  for (const Graph::VariableRecord& record : all.graph.variables()) {
    const Tensor want = all.session->variables().get(record.name);
    const Tensor got = rows->session->variables().get(record.name);
    int64_t wrong = 0;
    for (int64_t i = 0; i < want.num_elements(); ++i) {
      const double w = want.at(i), g = got.at(i);
      wrong += !(w == g || std::abs(w - g) <= c.tolerance * (1 + std::abs(w)));
      if (record.name == "table") changed += g != start.at(i);
    }
    EXPECT_EQ(wrong, 0) << record.name << ", " << c.optimizer.to_string();
  }
  EXPECT_GT(changed, 100 * c.dimension) << "the table is not trained";
  return rows;
}

void expect_rows(const Case& c, std::string_view op) {
  const auto network = expect_same_steps(c);
  EXPECT_EQ(network->count(op), 1) << c.optimizer.to_string();
  EXPECT_EQ(network->count("_SumDuplicates"), 1);
}

void expect_all(const Case& c) {
  EXPECT_EQ(expect_same_steps(c)->count("_SumDuplicates"), 0) << c.optimizer.to_string();
}

TEST(RowUpdates, OfSgdAreTheSameStep) {
  expect_rows({.optimizer = Sgd({.learning_rate = 0.5}), .start = 0.1, .tolerance = 1e-6},
              "ResourceScatterSub");
  expect_rows({.optimizer = Sgd({.learning_rate = exponential_decay({.initial = 0.5})}),
               .start = 0.1,
               .tolerance = 1e-6},
              "ResourceScatterSub");
}

TEST(RowUpdates, OfAdagradAreTheSameStepBitForBit) {
  expect_rows({.optimizer = Adagrad({.learning_rate = 0.1}), .start = 0.1},
              "ResourceSparseApplyAdagradV2");
  expect_rows({.optimizer = Adagrad({.learning_rate = inverse_time_decay({.initial = 0.1}),
                                     .initial_accumulator = 0}),
               .start = 0.1},
              "ResourceSparseApplyAdagradV2");
}

TEST(RowUpdates, OfFtrlAreTheSameStepBitForBit) {
  expect_rows({.optimizer = Ftrl({.learning_rate = 0.1})}, "ResourceSparseApplyFtrlV2");
  expect_rows({.optimizer = Ftrl({.learning_rate = 0.1, .l1 = 0.01, .l2 = 0.1})},
              "ResourceSparseApplyFtrlV2");
  expect_rows({.optimizer = Ftrl({.learning_rate = 0.1,
                                  .learning_rate_power = -0.3,
                                  .initial_accumulator = 0.5,
                                  .l1 = 0.001})},
              "ResourceSparseApplyFtrlV2");
}

// What an untouched weight would do: move with the shrinkage, move with the rate, fall to 0.
TEST(RowUpdates, AreNotMadeWhereFtrlMovesRowsWithoutAGradient) {
  expect_all({.optimizer = Ftrl({.learning_rate = 0.1, .l2_shrinkage = 0.01})});
  expect_all({.optimizer = Ftrl({.learning_rate = exponential_decay({.initial = 0.1})})});
  expect_all({.optimizer = Ftrl({.learning_rate = 0.1}), .start = 0.1});
}

TEST(RowUpdates, AreNotMadeByRulesWithMomentumOrDecay) {
  expect_all({.optimizer = Momentum({.learning_rate = 0.1}), .start = 0.1});
  expect_all({.optimizer = Adam({.learning_rate = 0.01}), .start = 0.1});
  expect_all({.optimizer = RmsProp({.learning_rate = 0.01}), .start = 0.1});
}

TEST(RowUpdates, WithoutAccumulatorAndEpsilonAdagradDividesEveryRow) {
  const Network network(Adagrad({.learning_rate = 0.1, .initial_accumulator = 0, .epsilon = 0}),
                        start_of(0.1, 4), squares_of_rows, true);
  EXPECT_EQ(network.count("_SumDuplicates"), 0);
}

// The norm is that of the summed rows, beside the bias's.
TEST(RowUpdates, ClipBySummedRows) {
  for (const Clip& clip : {Clip{.value = 1e-3}, Clip{.norm = 1e-2}, Clip{.global_norm = 1e-2}}) {
    expect_rows(
        {.optimizer = Sgd({.learning_rate = 0.5, .clip = clip}), .start = 0.1, .tolerance = 1e-6},
        "ResourceScatterSub");
    expect_rows({.optimizer = Adagrad({.learning_rate = 0.1, .clip = clip}),
                 .start = 0.1,
                 .tolerance = 1e-6},
                "ResourceSparseApplyAdagradV2");
  }
}

TEST(RowUpdates, OfAReadThatIsGatheredFrom) {
  expect_rows(
      {.optimizer = Adagrad({.learning_rate = 0.1}),
       .start = 0.1,
       .loss = [](const Variable& table,
                  Output ids) { return reduce_mean(square(gather(table.read(), ids) - 1.0)); }},
      "ResourceSparseApplyAdagradV2");
}

TEST(RowUpdates, OfSeveralGathersAreJoined) {
  expect_rows({.optimizer = Ftrl({.learning_rate = 0.1, .l1 = 0.001}),
               .tolerance = 2e-6,
               .loss =
                   [](const Variable& table, Output ids) {
                     const Output shifted = cast(floor_mod(ids + 1.0, 5000.0), kInt32);
                     const Output a = resource_gather(table.handle(), ids, kFloat32);
                     const Output b = gather(table.read(), shifted);
                     return reduce_mean(square(a - 1.0)) + reduce_mean(square(a * b - 0.5) + b);
                   }},
              "ResourceSparseApplyFtrlV2");
}

TEST(RowUpdates, AreNotMadeWhereOtherThanGathersReadTheTable) {
  expect_all({.optimizer = Sgd({.learning_rate = 0.1}),
              .start = 0.1,
              .tolerance = 1e-6,
              .loss = [](const Variable& table, Output ids) {
                return squares_of_rows(table, ids) + 0.01 * reduce_sum(square(table.read()));
              }});
}

TEST(RowUpdates, OfAnEmbeddingBagWithMissingIds) {
  for (const int64_t dimension : {4, 8}) {
    expect_rows({.optimizer = Adagrad({.learning_rate = 0.1}),
                 .start = 0.1,
                 .dimension = dimension,
                 .loss =
                     [](const Variable& table, Output ids) {
                       return reduce_mean(square(embedding_bag(table, ids - 2.0) - 1.0));
                     }},
                "ResourceSparseApplyAdagradV2");
  }
}

TEST(RowUpdates, LeaveSmallTablesToOneSweep) {
  Graph graph(standard_ops());
  const Variable table(graph, Tensor::zeros(kFloat32, Shape{100, 4}), {.name = "table"});
  const Output ids = placeholder(graph, kInt64, Shape{kBatch, kWidth});
  Sgd().minimize(squares_of_rows(table, ids));
  for (int id = 0; id < graph.num_nodes(); ++id) EXPECT_NE(graph.node(id).type(), "_SumDuplicates");
}

TEST(RowUpdates, AllocateNothing) {
  const Loss squares = [](const Variable& table, Output ids) {
    return reduce_mean(square(resource_gather(table.handle(), ids, kFloat32) - 1.0));
  };
  for (const Optimizer& optimizer :
       {Optimizer(Sgd()), Optimizer(Adagrad({.clip = {.norm = 0.1}})), Optimizer(Ftrl())}) {
    const Network network(optimizer, start_of(0, 4), squares, true);
    const Callable call = network.session->make_callable({network.ids}, {}, {network.step});
    const std::vector<Tensor> feeds = {draw_ids(0)};
    std::vector<Tensor> none;
    for (int i = 0; i < 3; ++i) call.run(feeds, none);
    const int64_t before = testing::allocation_count();
    for (int i = 0; i < 10; ++i) call.run(feeds, none);
    EXPECT_EQ(testing::allocation_count() - before, 0) << optimizer.to_string();
  }
}

TEST(RowUpdates, StopBeforeTheFirstRowWhenTheLossIsNoNumber) {
  const Network network(
      Adagrad({.learning_rate = 0.1}), start_of(0.1, 4),
      [](const Variable& table, Output ids) { return log(0.0 - squares_of_rows(table, ids)); },
      true);
  testing::expect_error(
      Code::kInvalidArgument,
      [&] {
        network.session->run(*network.step, {{network.ids, draw_ids(0)}});
      },
      "the loss is not finite");
  const Tensor table = network.session->variables().get("table");
  const Tensor start = start_of(0.1, 4);
  for (int64_t i = 0; i < table.num_elements(); ++i) ASSERT_EQ(table.at(i), start.at(i));
}

}  // namespace
}  // namespace thalweg
