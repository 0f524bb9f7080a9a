// Ensembles of trees as tensors, the two forms of their network, and forests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimator/tree_rows_testing.h"
#include "estimator/trees/tree_features.h"
#include "estimator/trees/tree_network.h"
#include "estimator/trees/tree_training.h"
#include "estimator/trees/xgboost_model.h"
#include "testing.h"
#include "thalweg/base/parallel.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

Tensor logits_of(const TreeEnsemble& ensemble, const Tensor& features, TreeForm form) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, ensemble.shape.columns});
  const Output logits = tree_logits(x, tree_constants(graph, ensemble), ensemble.shape, form);
  Session session(graph);
  return session.run(logits, {{x, features}});
}

// x0 < 2 ? 1 : (x1 < 5 or missing ? 2 : 4), and a tree of one leaf.
TreeEnsemble small_ensemble(TreeLink link = TreeLink::kNone, float scale = 1) {
  GrownTree tree;
  tree.nodes = {{0, 2, true, 1, 2, 0},
                {-1, 0, false, 0, 0, 0},
                {1, 5, false, 3, 4, 0},
                {-1, 0, false, 0, 0, 1},
                {-1, 0, false, 0, 0, 2}};
  tree.values = {1, 2, 4};
  GrownTree leaf;
  leaf.nodes = {{}};
  leaf.values = {0.5f};
  return join_trees({tree, leaf}, 2, 1, {0.25f}, scale, link);
}

TEST(TreeEnsemble, GivesTheSumOfItsLeavesInBothForms) {
  const float nan = NAN;
  const Tensor x = Tensor::of<float>({1, 9, 2, 4, 2, 5, nan, 6, nan, nan}, {5, 2});
  const Tensor expected = Tensor::of<float>({1.75f, 2.75f, 4.75f, 4.75f, 2.75f}, {5, 1});
  EXPECT_TRUE(logits_of(small_ensemble(), x, TreeForm::kNative).same_bits(expected));
  EXPECT_TRUE(logits_of(small_ensemble(), x, TreeForm::kStock).same_bits(expected));
  EXPECT_TRUE(predict_trees(small_ensemble(), x).same_bits(expected));
}

TEST(TreeEnsemble, HasChildrenAfterTheirParentsAndLeavesThatStay) {
  const TreeEnsemble trees = small_ensemble();
  EXPECT_EQ(trees.shape.nodes, 6);
  EXPECT_EQ(trees.shape.leaves, 4);
  EXPECT_EQ(trees.shape.depth, 2);
  EXPECT_TRUE(trees.left.same_bits(Tensor::of<int32_t>({1, 1, 3, 3, 4, 5})));
  EXPECT_TRUE(trees.roots.same_bits(Tensor::of<int32_t>({0, 5})));
}

TEST(TreeEnsemble, MakesLogitsOfSharesAndMeans) {
  // Sums 0.25 + scale * (1 + 0.5): 0.4.
  const Tensor x = Tensor::of<float>({1, 1}, {1, 2});
  const auto logit = [&](TreeLink link, TreeForm form) {
    return logits_of(small_ensemble(link, 0.1f), x, form).at(0);
  };
  for (TreeForm form : {TreeForm::kNative, TreeForm::kStock}) {
    EXPECT_NEAR(logit(TreeLink::kNone, form), 0.4, 1e-6);
    EXPECT_NEAR(logit(TreeLink::kLogOdds, form), std::log(0.4 / 0.6), 1e-6);
    EXPECT_NEAR(logit(TreeLink::kLogShares, form), std::log(0.4), 1e-6);
    EXPECT_NEAR(logit(TreeLink::kLog, form), std::log(0.4), 1e-6);
  }
}

TEST(TreeEnsemble, LivesInVariables) {
  const TreeEnsemble trees = small_ensemble();
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2});
  const Output logits =
      tree_logits(x, tree_variables(graph, trees.shape), trees.shape, TreeForm::kNative);
  const Output again =
      tree_logits(x, tree_variables(graph, trees.shape), trees.shape, TreeForm::kStock);
  EXPECT_EQ(graph.variables().size(), 9u);  // made once
  const auto store = std::make_shared<VariableStore>();
  set_tree_variables(*store, trees);
  Session session(graph, {.variables = store});
  const Tensor rows = Tensor::of<float>({2, 5, 0, 0}, {2, 2});
  const Tensor expected = Tensor::of<float>({4.75f, 1.75f}, {2, 1});
  EXPECT_TRUE(session.run(logits, {{x, rows}}).same_bits(expected));
  EXPECT_TRUE(session.run(again, {{x, rows}}).same_bits(expected));
  EXPECT_TRUE(predict_trees(tree_ensemble_of(*store, trees.shape), rows).same_bits(expected));
}

TEST(TreeEnsemble, RefusesDamagedTensors) {
  const TreeEnsemble trees = small_ensemble();
  std::vector<Tensor> tensors = tree_tensors(trees);
  tensors[2] = Tensor::of<int32_t>({1, 0, 3, 3, 4, 5});
  expect_error(
      Code::kInvalidArgument, [&] { make_tree_ensemble(trees.shape, tensors); }, "node 1",
      "damaged");
  tensors[2] = Tensor::of<int32_t>({1, 1});
  expect_error(
      Code::kInvalidArgument, [&] { make_tree_ensemble(trees.shape, tensors); }, "left");
}

TEST(TreeShape, GoesThroughJson) {
  const TreeShape shape = small_ensemble(TreeLink::kLogShares, 1.0f / 3).shape;
  EXPECT_EQ(tree_shape_from_json(parse_json(to_json(shape).dump())), shape);
  Json damaged = to_json(shape);
  damaged["link"] = "logit";
  expect_error(
      Code::kInvalidArgument, [&] { tree_shape_from_json(damaged); }, "link", "log_odds");
  damaged = to_json(shape);
  damaged["columns"] = 0;
  expect_error(
      Code::kInvalidArgument, [&] { tree_shape_from_json(damaged); }, "columns");
}

TEST(TreeFeatures, AreNumbersThenCodes) {
  PreparedSpec prepared;
  prepared.numbers = {"age"};
  prepared.ids = {{.key = "sex", .buckets = 2}, {.key = "job", .buckets = 9}};
  EXPECT_EQ(tree_columns(prepared), (std::vector<std::string>{"age", "sex", "job"}));
  const Tensor numbers = Tensor::of<float>({30, NAN}, {2, 1});
  const Tensor ids = Tensor::of<int64_t>({0, 8, -1, 3}, {2, 2});
  const Tensor expected = Tensor::of<float>({30, 0, 8, NAN, NAN, 3}, {2, 3});
  const Tensor matrix = tree_matrix(prepared, {numbers, ids});
  Graph graph(standard_ops());
  Session session(graph);
  const Tensor built =
      session.run(tree_features(prepared, {constant(graph, numbers), constant(graph, ids)}));
  for (const Tensor& found : {matrix, built}) {
    ASSERT_EQ(found.shape(), expected.shape());
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_TRUE(found.at(i) == expected.at(i) ||
                  (std::isnan(found.at(i)) && std::isnan(expected.at(i))))
          << i;
    }
  }
  prepared.bags = {{.key = "review", .buckets = 100}};
  expect_error(
      Code::kInvalidArgument, [&] { tree_columns(prepared); }, "review", "many values");
}

double share_right(const TreeEnsemble& trees, const TreeRows& rows) {
  const Tensor logits = predict_trees(trees, rows.features);
  const int64_t outputs = logits.dim(1);
  const auto y = rows.labels.data<float>();
  int64_t right = 0;
  for (int64_t i = 0; i < logits.dim(0); ++i) {
    int64_t best = 0;
    for (int64_t k = 1; k < outputs; ++k) {
      if (logits.at(i * outputs + k) > logits.at(i * outputs + best)) best = k;
    }
    if (outputs == 1) best = logits.at(i) > 0 ? 1 : 0;
    right += static_cast<float>(best) == y[static_cast<size_t>(i)] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(logits.dim(0));
}

TEST(Forest, TellsClassesApartThatItHasNotSeen) {
  const TreeRows training = random_rows(2000, TreeGoal::kMultiClass, 3, 1);
  const TreeRows test = random_rows(1000, TreeGoal::kMultiClass, 3, 2);
  const TreeTraining forest = train_forest({.trees = 50}, {.goal = TreeGoal::kMultiClass,
                                                           .outputs = 3,
                                                           .training = training,
                                                           .wants_out_of_bag = true});
  EXPECT_EQ(forest.ensemble.shape.trees, 50);
  EXPECT_GT(share_right(forest.ensemble, test), 0.8);
  // Shares add up to 1.
  const Tensor logits = predict_trees(forest.ensemble, test.features);
  for (int64_t i = 0; i < 20; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < 3; ++k) sum += std::exp(logits.at(3 * i + k));
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  // What is out of bag is as good as what is new.
  ASSERT_EQ(forest.out_of_bag_rows, 2000);
  int right = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    int64_t best = 0;
    for (int64_t k = 1; k < 3; ++k) {
      if (forest.out_of_bag.at(3 * i + k) > forest.out_of_bag.at(3 * i + best)) best = k;
    }
    right += static_cast<double>(best) == training.labels.at(i) ? 1 : 0;
  }
  EXPECT_NEAR(right / 2000.0, share_right(forest.ensemble, test), 0.04);
  // Only the first three of the five columns tell the classes.
  EXPECT_NEAR(std::accumulate(forest.importance.begin(), forest.importance.end(), 0.0), 1, 1e-9);
  EXPECT_GT(forest.importance[0], forest.importance[4]);
}

// S11: with two trees of ten rows some rows are in every tree's sample.
TEST(Forest, EstimatesOnlyRowsThatSomeTreeHasNotSeen) {
  const TreeRows rows = random_rows(10, TreeGoal::kBinary, 1, 3);
  const TreeTraining forest = train_forest(
      {.trees = 2}, {.goal = TreeGoal::kBinary, .training = rows, .wants_out_of_bag = true});
  int64_t estimated = 0;
  for (int64_t i = 0; i < 10; ++i) estimated += std::isnan(forest.out_of_bag.at(i)) ? 0 : 1;
  EXPECT_EQ(estimated, forest.out_of_bag_rows);
  EXPECT_LT(estimated, 10);
  EXPECT_GT(estimated, 0);
  const TreeTraining all =
      train_forest({.trees = 2, .row_share = 1},
                   {.goal = TreeGoal::kBinary, .training = rows, .wants_out_of_bag = true});
  EXPECT_FALSE(all.out_of_bag.is_valid());
  EXPECT_EQ(all.out_of_bag_rows, 0);
  EXPECT_FALSE(train_forest({.trees = 2}, {.goal = TreeGoal::kBinary, .training = rows})
                   .out_of_bag.is_valid());
}

TEST(Forest, IsTheSameOnAnyNumberOfThreads) {
  const TreeRows rows = random_rows(500, TreeGoal::kSquaredError, 2, 4);
  const auto train = [&](uint64_t seed) {
    return train_forest({.trees = 9}, {.goal = TreeGoal::kSquaredError,
                                       .outputs = 2,
                                       .training = rows,
                                       .seed = seed,
                                       .wants_out_of_bag = true});
  };
  const TreeTraining several = train(1);
  const TreeTraining other = train(2);
  const ScopedNumThreads one(1);
  const TreeTraining single = train(1);
  EXPECT_EQ(several.ensemble.shape, single.ensemble.shape);
  const std::vector<Tensor> a = tree_tensors(several.ensemble), b = tree_tensors(single.ensemble);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].same_bits(b[i])) << i;
  EXPECT_TRUE(several.out_of_bag.same_bits(single.out_of_bag));
  EXPECT_NE(other.ensemble.shape, several.ensemble.shape);
}

TEST(Forest, FindsExactSplitsAndLearnsWhereMissingValuesGo) {
  // y = 1 for x >= 3 and for missing x.
  TreeRows rows{Tensor::of<float>({1, 2, 4, 5, NAN, NAN, 1, 2, 4, 5}, {10, 1}),
                Tensor::of<float>({0, 0, 1, 1, 1, 1, 0, 0, 1, 1})};
  const TreeTraining forest = train_forest({.trees = 1, .row_share = 1},
                                           {.goal = TreeGoal::kSquaredError, .training = rows});
  EXPECT_EQ(forest.ensemble.shape.nodes, 3);
  EXPECT_EQ(forest.ensemble.threshold.at(0), 3);
  const Tensor x = Tensor::of<float>({2.9f, 3, NAN}, {3, 1});
  EXPECT_TRUE(predict_trees(forest.ensemble, x).same_bits(Tensor::of<float>({0, 1, 1}, {3, 1})));
}

TEST(Forest, CountsRowsByWeight) {
  TreeRows rows{Tensor::of<float>({0, 0, 0, 0}, {4, 1}), Tensor::of<float>({1, 0, 0, 0}),
                Tensor::of<float>({6, 1, 1, 0})};
  const TreeTraining forest =
      train_forest({.trees = 1, .row_share = 1}, {.goal = TreeGoal::kBinary, .training = rows});
  const double logit = predict_trees(forest.ensemble, rows.features).at(0);
  EXPECT_NEAR(1 / (1 + std::exp(-logit)), 0.75, 1e-6);
}

TEST(Forest, AveragesCountsAndLabels) {
  const TreeRows counts = random_rows(800, TreeGoal::kPoisson, 1, 5);
  const TreeTraining poisson =
      train_forest({.trees = 40, .max_depth = 4}, {.goal = TreeGoal::kPoisson, .training = counts});
  const Tensor logits = predict_trees(poisson.ensemble, counts.features);
  double mean = 0, labels = 0;
  for (int64_t i = 0; i < 800; ++i) {
    mean += std::exp(logits.at(i)) / 800;
    labels += counts.labels.at(i) / 800;
  }
  EXPECT_NEAR(mean, labels, 0.05 * labels);

  const TreeRows labelled = random_rows(800, TreeGoal::kMultiLabel, 2, 6);
  const TreeTraining several = train_forest(
      {.trees = 20}, {.goal = TreeGoal::kMultiLabel, .outputs = 2, .training = labelled});
  const Tensor found = predict_trees(several.ensemble, labelled.features);
  int right = 0;
  for (int64_t i = 0; i < 1600; ++i) right += (found.at(i) > 0) == (labelled.labels.at(i) > 0.5);
  EXPECT_GT(right, 1500);
}

TEST(Forest, EndsWithTheTreesThereAre) {
  const TreeRows rows = random_rows(100, TreeGoal::kBinary, 1, 7);
  const TreeTraining forest = train_forest(
      {.trees = 100}, {.goal = TreeGoal::kBinary,
                       .training = rows,
                       .after_round = [](const TreeRound& round) { return round.round < 3; }});
  EXPECT_TRUE(forest.interrupted);
  EXPECT_EQ(forest.ensemble.shape.trees, 3);
  EXPECT_FLOAT_EQ(forest.ensemble.shape.scale, 1.0f / 3);
}

// A leaf holds the share of each class: of many trees 4 GiB at most.
TEST(Forest, RefusesLeavesThatMemoryHasNoRoomFor) {
  const TreeRows rows = random_rows(600, TreeGoal::kMultiClass, 3, 1);
  expect_error(
      Code::kResourceExhausted,
      [&] {
        train_forest({.trees = 1000000},
                     {.goal = TreeGoal::kMultiClass, .outputs = 300, .training = rows});
      },
      "300 values", "max_depth");
}

TEST(Forest, RefusesWhatCannotBeRight) {
  TreeRows rows = random_rows(20, TreeGoal::kBinary, 1, 8);
  const auto train = [&](TreeGoal goal, Forest options = {}) {
    return [=] {
      train_forest(options, {.goal = goal,
                             .quantiles = {0.5},
                             .training = rows,
                             .columns = {"a", "b", "c", "d", "e"}});
    };
  };
  expect_error(Code::kInvalidArgument, train(TreeGoal::kQuantile), "quantiles", "boosted");
  expect_error(Code::kInvalidArgument, train(TreeGoal::kBinary, {.trees = 0}), "trees", "0");
  expect_error(Code::kInvalidArgument, train(TreeGoal::kBinary, {.row_share = 1.5}), "row_share",
               "1.5");
  rows.weights = Tensor::zeros(kFloat32, {20});
  expect_error(Code::kInvalidArgument, train(TreeGoal::kBinary), "all weights", "0");
  rows.weights = {};
  rows.labels.mutable_data<float>()[7] = 2;
  expect_error(Code::kInvalidArgument, train(TreeGoal::kBinary), "row 8", "2", "0 or 1");
  rows.labels.mutable_data<float>()[7] = 1;
  rows.features.mutable_data<float>()[5 * 3 + 1] = INFINITY;
  expect_error(Code::kInvalidArgument, train(TreeGoal::kBinary), "`b`", "row 4", "inf");
}

TEST(XgboostModel, RefusesOtherTexts) {
  expect_error(
      Code::kInvalidArgument, [] { parse_xgboost_model("{\"learner\": {}}"); }, "XGBoost",
      "gradient_booster");
  expect_error(
      Code::kInvalidArgument, [] { parse_xgboost_model("trees"); }, "JSON");
}

// Rows come in blocks and lanes of the fast kernel; all must agree with a walk of one row.
TEST(TreeEnsemble, GivesEachRowTheSameWhateverStandsBesideIt) {
  const TreeRows rows = random_rows(777, TreeGoal::kMultiClass, 4, 9);
  const TreeTraining forest =
      train_forest({.trees = 12}, {.goal = TreeGoal::kMultiClass, .outputs = 4, .training = rows});
  const Tensor together = predict_trees(forest.ensemble, rows.features);
  const Tensor stock = logits_of(forest.ensemble, rows.features, TreeForm::kStock);
  for (int64_t i : {0, 15, 16, 255, 256, 770, 776}) {
    const Tensor alone = predict_trees(forest.ensemble, rows.features.rows(i, i + 1));
    EXPECT_TRUE(alone.same_bits(together.rows(i, i + 1))) << i;
  }
  for (int64_t i = 0; i < together.num_elements(); ++i) {
    EXPECT_NEAR(together.at(i), stock.at(i), 1e-6 * (1 + std::abs(stock.at(i))));
  }
}

}  // namespace
}  // namespace thalweg
