// Boosting, against XGBoost's library itself.
#include <gtest/gtest.h>
#include <xgboost/c_api.h>

#include <cmath>
#include <map>
#include <string>

#include "estimator/tree_rows_testing.h"
#include "estimator/trees/tree_network.h"
#include "estimator/trees/xgboost_model.h"
#include "testing.h"
#include "thalweg/base/parallel.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

void must(int status) { ASSERT_EQ(status, 0) << XGBGetLastError(); }

// XGBoost as its users call it.
class Peer {
 public:
  Peer(const TreeRows& rows, const std::map<std::string, std::string>& parameters, int rounds) {
    matrix_ = make(rows.features);
    const auto labels = rows.labels.data<float>();
    const int64_t width = rows.labels.num_elements() / rows.labels.dim(0);
    const std::string interface =
        str("{\"data\": [", reinterpret_cast<uintptr_t>(labels.data()), ", true], \"shape\": [",
            rows.labels.dim(0), ", ", width, "], \"typestr\": \"<f4\", \"version\": 3}");
    must(XGDMatrixSetInfoFromInterface(matrix_, "label", interface.c_str()));
    if (rows.weights.is_valid()) {
      must(XGDMatrixSetFloatInfo(matrix_, "weight", rows.weights.data<float>().data(),
                                 static_cast<bst_ulong>(rows.weights.num_elements())));
    }
    must(XGBoosterCreate(&matrix_, 1, &booster_));
    for (const auto& [name, value] : parameters) {
      must(XGBoosterSetParam(booster_, name.c_str(), value.c_str()));
    }
    for (int i = 0; i < rounds; ++i) must(XGBoosterUpdateOneIter(booster_, i, matrix_));
  }
  ~Peer() {
    XGBoosterFree(booster_);
    XGDMatrixFree(matrix_);
  }

  std::vector<float> margins(const Tensor& features) const {
    const DMatrixHandle rows = make(features);
    bst_ulong length = 0;
    const float* result = nullptr;
    must(XGBoosterPredict(booster_, rows, 1, 0, 0, &length, &result));
    std::vector<float> margins(result, result + length);
    XGDMatrixFree(rows);
    return margins;
  }

  std::string model(const char* format) const {
    bst_ulong length = 0;
    const char* bytes = nullptr;
    must(XGBoosterSaveModelToBuffer(booster_, str("{\"format\": \"", format, "\"}").c_str(),
                                    &length, &bytes));
    return std::string(bytes, length);
  }

 private:
  static DMatrixHandle make(const Tensor& features) {
    DMatrixHandle matrix = nullptr;
    must(XGDMatrixCreateFromMat(features.data<float>().data(),
                                static_cast<bst_ulong>(features.dim(0)),
                                static_cast<bst_ulong>(features.dim(1)), NAN, &matrix));
    return matrix;
  }
  DMatrixHandle matrix_ = nullptr;
  BoosterHandle booster_ = nullptr;
};

void expect_same_margins(const TreeEnsemble& trees, const Peer& peer, const Tensor& features) {
  const std::vector<float> expected = peer.margins(features);
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, trees.shape.columns});
  const TreeParts parts = tree_constants(graph, trees);
  Session session(graph);
  for (TreeForm form : {TreeForm::kNative, TreeForm::kStock}) {
    const Tensor found = session.run(tree_logits(x, parts, trees.shape, form), {{x, features}});
    ASSERT_EQ(static_cast<size_t>(found.num_elements()), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(found.at(static_cast<int64_t>(i)), expected[i],
                  1e-6 * (1 + std::abs(expected[i])))
          << i;
    }
  }
}

const std::map<std::string, std::string> kDefaults = {{"tree_method", "hist"},
                                                      {"eta", "0.1"},
                                                      {"max_depth", "5"},
                                                      {"verbosity", "0"},
                                                      {"nthread", "1"}};

std::map<std::string, std::string> with(std::map<std::string, std::string> more) {
  more.insert(kDefaults.begin(), kDefaults.end());
  return more;
}

TEST(XgboostModel, GivesXgboostsMargins) {
  const Tensor test = random_rows(600, TreeGoal::kBinary, 1, 20).features;
  const struct {
    TreeGoal goal;
    int64_t outputs;
    std::map<std::string, std::string> parameters;
  } kCases[] = {
      {TreeGoal::kBinary, 1, {{"objective", "binary:logistic"}}},
      {TreeGoal::kBinary, 1, {{"objective", "binary:logistic"}, {"base_score", "0.2"}}},
      {TreeGoal::kMultiClass, 4, {{"objective", "multi:softprob"}, {"num_class", "4"}}},
      {TreeGoal::kMultiLabel, 3, {{"objective", "binary:logistic"}}},
      {TreeGoal::kSquaredError, 1, {{"objective", "reg:squarederror"}, {"gamma", "5"}}},
      {TreeGoal::kSquaredError, 2, {{"objective", "reg:squarederror"}}},
      {TreeGoal::kPoisson, 1, {{"objective", "count:poisson"}}},
      {TreeGoal::kBinary,
       1,
       {{"objective", "binary:logistic"}, {"num_parallel_tree", "3"}, {"subsample", "0.5"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.parameters.at("objective"));
    const TreeRows rows = random_rows(1000, c.goal, c.outputs, 21);
    const Peer peer(rows, with(c.parameters), 20);
    for (const char* format : {"json", "ubj"}) {
      expect_same_margins(ensemble_of_xgboost_model(peer.model(format)), peer, test);
    }
  }
}

TEST(XgboostModel, RefusesOtherBoosters) {
  const TreeRows rows = random_rows(50, TreeGoal::kSquaredError, 1, 22);
  const Peer peer(rows, {{"booster", "gblinear"}, {"verbosity", "0"}}, 1);
  expect_error(
      Code::kUnimplemented, [&] { parse_xgboost_model(peer.model("json")); }, "gblinear", "gbtree");
}

TEST(BoostedTrees, AreXgboostsOwn) {
  const ScopedNumThreads one(1);
  // Half of the labels are 1, so that the base of both is 0.
  TreeRows rows = random_rows(1000, TreeGoal::kBinary, 1, 23);
  rows.weights = Tensor(kFloat32, {1000});
  auto labels = rows.labels.mutable_data<float>();
  auto weights = rows.weights.mutable_data<float>();
  for (size_t i = 0; i < 1000; ++i) {
    if (i % 2 == 1) {
      for (size_t k = 0; k < 5; ++k) {
        rows.features.mutable_data<float>()[5 * i + k] =
            rows.features.data<float>()[5 * i - 5 + k] + 1;
      }
      labels[i] = 1 - labels[i - 1];
    }
    weights[i] = 1 + static_cast<float>(i / 2 % 3);
  }
  const Peer peer(rows,
                  with({{"objective", "binary:logistic"},
                        {"lambda", "2"},
                        {"alpha", "0.1"},
                        {"min_child_weight", "3"}}),
                  30);
  const TreeTraining trees = train_boosted_trees({.trees = 30,
                                                  .max_depth = 5,
                                                  .learning_rate = 0.1,
                                                  .l1 = 0.1,
                                                  .l2 = 2,
                                                  .min_child_weight = 3},
                                                 {.goal = TreeGoal::kBinary, .training = rows});
  EXPECT_EQ(trees.ensemble.shape.trees, 30);
  expect_same_margins(trees.ensemble, peer, rows.features);
}

double loss_of(const TreeTraining& trees) { return *trees.history.back().training_loss; }

TEST(BoostedTrees, LearnEveryGoal) {
  const ScopedNumThreads one(1);
  const struct {
    TreeGoal goal;
    int64_t outputs;
    double at_most;  // of the first round's loss
  } kCases[] = {{TreeGoal::kBinary, 1, 0.3},       {TreeGoal::kMultiClass, 3, 0.4},
                {TreeGoal::kMultiLabel, 2, 0.4},   {TreeGoal::kSquaredError, 1, 0.2},
                {TreeGoal::kSquaredError, 3, 0.3}, {TreeGoal::kPoisson, 1, 0.7},
                {TreeGoal::kQuantile, 3, 0.5}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(static_cast<int>(c.goal));
    TreeRows rows = random_rows(800, c.goal, c.outputs, 24);
    const TreeTraining trees = train_boosted_trees(
        {.trees = 60},
        {.goal = c.goal, .outputs = c.outputs, .quantiles = {0.1, 0.5, 0.9}, .training = rows});
    EXPECT_EQ(trees.history.size(), 60u);
    EXPECT_EQ(trees.ensemble.shape.trees, 60 * c.outputs);
    EXPECT_EQ(trees.ensemble.shape.outputs, c.outputs);
    EXPECT_LT(loss_of(trees), c.at_most * *trees.history.front().training_loss);
    EXPECT_GT(trees.importance[0], trees.importance[3]);
    EXPECT_FALSE(trees.interrupted);
  }
}

TEST(BoostedTrees, CoverQuantilesOnTheirOwnScale) {
  const ScopedNumThreads one(1);
  // Labels in the hundred thousands: gradients of size 1 alone would never get there.
  TreeRows rows = random_rows(3000, TreeGoal::kQuantile, 1, 25);
  Philox random(26);
  auto y = rows.labels.mutable_data<float>();
  for (float& label : y)
    label = 300'000 + 50'000 * label + 20'000 * static_cast<float>(random.normal());
  const TreeTraining trees = train_boosted_trees(
      {.trees = 60, .max_depth = 3},
      {.goal = TreeGoal::kQuantile, .outputs = 2, .quantiles = {0.1, 0.9}, .training = rows});
  const Tensor found = predict_trees(trees.ensemble, rows.features);
  int below_low = 0, below_high = 0;
  for (int64_t i = 0; i < 3000; ++i) {
    below_low += y[static_cast<size_t>(i)] < found.at(2 * i);
    below_high += y[static_cast<size_t>(i)] < found.at(2 * i + 1);
  }
  EXPECT_NEAR(below_low / 3000.0, 0.1, 0.03);
  EXPECT_NEAR(below_high / 3000.0, 0.9, 0.03);
}

TEST(BoostedTrees, KeepTheBestRoundByTheValidationRows) {
  const ScopedNumThreads one(1);
  // Labels of noise: what is learnt does not hold elsewhere.
  TreeRows rows = random_rows(300, TreeGoal::kBinary, 1, 27);
  TreeRows other = random_rows(300, TreeGoal::kBinary, 1, 28);
  for (TreeRows* noisy : {&rows, &other}) {
    Philox random(noisy == &rows ? 29 : 30);
    for (float& y : noisy->labels.mutable_data<float>()) {
      if (random.uniform() < 0.3) y = 1 - y;
    }
  }
  const TreeTraining trees = train_boosted_trees(
      {.trees = 200, .learning_rate = 0.3},
      {.goal = TreeGoal::kBinary, .training = rows, .validation = &other, .patience = 5});
  EXPECT_TRUE(trees.stopped_early);
  ASSERT_TRUE(trees.best_round);
  EXPECT_EQ(static_cast<int64_t>(trees.history.size()), *trees.best_round + 5);
  EXPECT_EQ(trees.ensemble.shape.trees, *trees.best_round);
  // The ensemble has the loss that was written down.
  const Tensor logits = predict_trees(trees.ensemble, other.features);
  double loss = 0;
  for (int64_t i = 0; i < 300; ++i) {
    loss += std::log1p(std::exp(other.labels.at(i) > 0.5 ? -logits.at(i) : logits.at(i))) / 300;
  }
  const TreeRound& best = trees.history[static_cast<size_t>(*trees.best_round) - 1];
  EXPECT_NEAR(loss, *best.validation_loss, 1e-6);
  EXPECT_LT(*best.validation_loss, *trees.history.back().validation_loss);
}

TEST(BoostedTrees, KeepValidationLossesOfQuantiles) {
  const ScopedNumThreads one(1);
  const TreeRows rows = random_rows(400, TreeGoal::kQuantile, 1, 31);
  const TreeRows other = random_rows(400, TreeGoal::kQuantile, 1, 32);
  const TreeTraining trees = train_boosted_trees(
      {.trees = 25},
      {.goal = TreeGoal::kQuantile, .quantiles = {0.7}, .training = rows, .validation = &other});
  const Tensor found = predict_trees(trees.ensemble, other.features);
  double loss = 0;
  for (int64_t i = 0; i < 400; ++i) {
    const double error = other.labels.at(i) - found.at(i);
    loss += std::max(0.7 * error, -0.3 * error) / 400;
  }
  EXPECT_NEAR(loss, *trees.history[static_cast<size_t>(*trees.best_round) - 1].validation_loss,
              1e-5);
}

TEST(BoostedTrees, GiveTheSameBitsAgain) {
  const TreeRows rows = random_rows(700, TreeGoal::kMultiClass, 3, 33);
  const auto train = [&](uint64_t seed) {
    return train_boosted_trees(
        {.trees = 12, .row_share = 0.7, .column_share = 0.6},
        {.goal = TreeGoal::kMultiClass, .outputs = 3, .training = rows, .seed = seed});
  };
  const std::vector<Tensor> a = tree_tensors(train(1).ensemble);
  const std::vector<Tensor> b = tree_tensors(train(1).ensemble);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].same_bits(b[i])) << i;
  const Tensor other = train(2).ensemble.threshold;
  EXPECT_FALSE(other.shape() == a[1].shape() && other.same_bits(a[1]));
}

TEST(BoostedTrees, EndWithTheTreesThereAre) {
  const ScopedNumThreads one(1);
  const TreeRows rows = random_rows(200, TreeGoal::kSquaredError, 1, 34);
  const TreeTraining trees = train_boosted_trees(
      {.trees = 100}, {.goal = TreeGoal::kSquaredError,
                       .training = rows,
                       .after_round = [](const TreeRound& round) { return round.round < 4; }});
  EXPECT_TRUE(trees.interrupted);
  EXPECT_EQ(trees.ensemble.shape.trees, 4);
}

TEST(BoostedTrees, RefuseWhatCannotBeRight) {
  const TreeRows rows = random_rows(20, TreeGoal::kPoisson, 1, 35);
  const auto train = [&](BoostedTrees options, TreeTask task) {
    return [=] { train_boosted_trees(options, task); };
  };
  expect_error(Code::kInvalidArgument, train({.learning_rate = 0}, {.training = rows}),
               "learning_rate", "0");
  expect_error(Code::kInvalidArgument, train({.max_depth = 0}, {.training = rows}), "max_depth");
  expect_error(Code::kInvalidArgument,
               train({}, {.goal = TreeGoal::kMultiClass, .outputs = 1, .training = rows}),
               "one class");
  expect_error(Code::kInvalidArgument,
               train({}, {.goal = TreeGoal::kQuantile, .quantiles = {1}, .training = rows}),
               "quantile", "between 0 and 1");
  TreeRows negative{rows.features, rows.labels.clone()};
  negative.labels.mutable_data<float>()[2] = -1;
  expect_error(Code::kInvalidArgument,
               train({}, {.goal = TreeGoal::kPoisson, .training = negative}), "row 3", "-1",
               "count");
}

}  // namespace
}  // namespace thalweg
