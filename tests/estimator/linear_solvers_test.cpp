// Solvers of linear models on problems whose answer is known, or told by the graph.
#include <numbers>

#include "estimator/linear/lbfgs.h"
#include "estimator/linear/linear_problem.h"
#include "estimator/linear/sdca.h"
#include "linear_testing.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/base/parallel.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg::linear {
namespace {

using testing::expect_error;
using Kind = Transform::Place::Kind;

Tensor random_numbers(int64_t rows, int64_t columns, uint64_t seed) {
  Tensor result(kFloat32, {rows, columns});
  Philox random(seed);
  for (float& value : result.mutable_data<float>()) value = static_cast<float>(random.normal());
  return result;
}
Tensor random_classes(int64_t rows, uint64_t classes, uint64_t seed) {
  Tensor result(kInt64, {rows});
  Philox random(seed, 1);
  for (int64_t& value : result.mutable_data<int64_t>()) {
    value = static_cast<int64_t>(random.below(classes));
  }
  return result;
}
Tensor random_weights(int64_t rows, uint64_t seed) {
  Tensor result(kFloat32, {rows});
  Philox random(seed, 2);
  for (float& value : result.mutable_data<float>()) value = static_cast<float>(random.below(3));
  return result;
}

// Numbers, two columns of ids and a bag, on 700 rows: three blocks, the last not full.
struct Mixed {
  LinearProblem problem;
  SolverRows rows;
};
Mixed mixed(LinearLoss loss, uint64_t seed = 5) {
  constexpr int64_t kRows = 700;
  Mixed m;
  m.problem.loss = std::move(loss);
  m.problem.tolerance = 1e-6;
  m.problem.most_iterations = 1000;
  m.problem.prepared.numbers = {"a", "unused", "b"};
  m.problem.prepared.ids = {{"c", 5}, {"d", 40}};
  m.problem.prepared.bags = {{"e", 12}};
  m.problem.terms = {{"linear/ab/weights", {Kind::kNumbers, {2, 0}, 0}},
                     {"linear/d/weights", {Kind::kIds, {1}, 40}},
                     {"linear/c/weights", {Kind::kIds, {0}, 5}},
                     {"linear/e/weights", {Kind::kBag, {0}, 12}}};
  Tensor ids(kInt64, {kRows, 2}), words(kInt64, {kRows, 3}), counts(kFloat32, {kRows, 3});
  Philox random(seed, 3);
  for (int64_t i = 0; i < kRows; ++i) {
    ids.mutable_data<int64_t>()[2 * i] = static_cast<int64_t>(random.below(6)) - 1;
    // 20 to 39 never occur.
    ids.mutable_data<int64_t>()[2 * i + 1] = static_cast<int64_t>(random.below(20));
  }
  for (int64_t& word : words.mutable_data<int64_t>()) {
    word = static_cast<int64_t>(random.below(12)) - 1;
  }
  for (float& count : counts.mutable_data<float>()) {
    count = static_cast<float>(random.below(4)) * 0.5f - 0.5f;  // at most 0: does not count
  }
  m.rows.inputs = {random_numbers(kRows, 3, seed), ids, words, counts};
  const bool is_softmax = m.problem.loss.kind == LossKind::kSoftmax;
  m.rows.labels =
      random_classes(kRows, is_softmax ? static_cast<uint64_t>(m.problem.loss.units) : 2, seed);
  m.rows.weights = random_weights(kRows, seed);
  return m;
}

// The model's scores as a table times weights: each feature a column of its own.
Tensor table_of(const Mixed& m) {
  const int64_t rows = m.rows.labels.dim(0);
  Tensor table = Tensor::zeros(kFloat32, {rows, 2 + 40 + 5 + 12});
  const float* x = m.rows.inputs[0].data<float>().data();
  const int64_t* ids = m.rows.inputs[1].data<int64_t>().data();
  const int64_t* words = m.rows.inputs[2].data<int64_t>().data();
  const float* counts = m.rows.inputs[3].data<float>().data();
  for (int64_t i = 0; i < rows; ++i) {
    float* out = table.mutable_data<float>().data() + i * 59;
    out[0] = x[3 * i + 2];
    out[1] = x[3 * i];
    out[2 + ids[2 * i + 1]] = 1;
    if (ids[2 * i] >= 0) out[42 + ids[2 * i]] = 1;
    for (int64_t w = 3 * i; w < 3 * i + 3; ++w) {
      if (words[w] >= 0 && counts[w] > 0) out[47 + words[w]] += counts[w];
    }
  }
  return table;
}

using LossFunction = std::function<Output(Output labels, Output scores, Output weights)>;

// The largest slope of sum_i w_i loss_i + l2 / 2 |w|^2 where the solver ended, by weight and row
// of the bias last, as the graph says.
double largest_slope(const Mixed& m, const Solved& solved, const LossFunction& loss) {
  const int64_t units = m.problem.loss.units;
  std::vector<double> all;
  for (const auto& part : solved.weights) all.insert(all.end(), part.begin(), part.end());
  Graph graph(standard_ops());
  const Output weights = constant(graph, floats(all).reshape({59, units}));
  const Output bias = constant(graph, floats(solved.bias));
  const Output scores = matmul(constant(graph, table_of(m)), weights) + bias;
  const Output total =
      loss(constant(graph, m.rows.labels), scores, constant(graph, m.rows.weights));
  const std::vector<Output> slopes = gradients({total}, {weights, bias});
  Session session(graph);
  const auto values = session.run({}, {slopes[0], slopes[1]});
  double most = 0;
  for (int64_t i = 0; i < values[0].num_elements(); ++i) {
    most = std::max(most, std::abs(values[0].at(i) + m.problem.l2 * all[i]));
  }
  for (int64_t i = 0; i < units; ++i) most = std::max(most, std::abs(values[1].at(i)));
  return most;
}

TEST(LinearLbfgs, EndsWhereTheGraphsSlopeIsZeroForTwoClasses) {
  const Mixed m = mixed({});
  const Solved solved = run_lbfgs(m.problem, m.rows);
  EXPECT_LT(largest_slope(m, solved,
                          [](Output labels, Output scores, Output weights) {
                            return losses::sigmoid_cross_entropy(labels, reshape(scores, {-1}),
                                                                 weights, losses::Reduction::kSum);
                          }),
            700 * 3e-6);
  // Ids that no row has.
  for (size_t id = 20; id < 40; ++id) EXPECT_EQ(solved.weights[1][id], 0);
}

TEST(LinearLbfgs, EndsWhereTheGraphsSlopeIsZeroForSeveralClasses) {
  const Mixed m = mixed({.kind = LossKind::kSoftmax, .units = 5});
  const Solved solved = run_lbfgs(m.problem, m.rows);
  EXPECT_LT(largest_slope(m, solved,
                          [](Output labels, Output scores, Output weights) {
                            return losses::sparse_softmax_cross_entropy(labels, scores, weights,
                                                                        losses::Reduction::kSum);
                          }),
            700 * 3e-6);
}

TEST(LinearLbfgs, EndsWhereTheGraphsSlopeIsZeroForSeveralNumbers) {
  for (const int64_t few : {0, 1}) {
    Mixed m = mixed({.kind = LossKind::kSquared, .units = 2});
    m.rows.labels = random_numbers(700, 2, 8);
    m.problem.l1 = few == 1 ? 0 : 1e-12;  // with l1: by L-BFGS
    const Solved solved = run_lbfgs(m.problem, m.rows);
    EXPECT_LT(largest_slope(m, solved,
                            [](Output labels, Output scores, Output weights) {
                              return losses::mean_squared_error(labels, scores, weights,
                                                                losses::Reduction::kSum);
                            }),
              700 * 3e-6)
        << solved.result.message;
  }
}

TEST(LinearLbfgs, EndsWhereTheGraphsSlopeIsZeroForSmoothHinge) {
  const Mixed m = mixed({.kind = LossKind::kSmoothHinge, .width = 0.5});
  const Solved solved = run_lbfgs(m.problem, m.rows);
  EXPECT_NE(solved.result.message.find("converged after"), std::string::npos);
  EXPECT_EQ(solved.result.message.find("not"), std::string::npos);
}

struct HeadCase {
  HeadSpec spec;
  LabelSpec label;
  Tensor labels;
};
std::vector<HeadCase> head_cases() {
  constexpr int64_t kRows = DesignMatrix::kBlock;
  Tensor counts = random_classes(kRows, 9, 1).cast(kFloat32);
  LabelSpec values;
  values.standardized = true;
  Tensor several = random_numbers(kRows, 2, 4), one = random_numbers(kRows, 1, 5);
  for (float& value : one.mutable_data<float>()) value = 20 + 7 * value;
  LabelSpec own_units;
  own_units.mean = {3};  // for the record only
  own_units.deviation = {2};
  Tensor tags(kFloat32, {kRows, 3});
  Philox random(9);
  for (float& tag : tags.mutable_data<float>()) tag = static_cast<float>(random.below(2));
  return {{heads::classification("y"), {.class_names = {"no", "yes"}}, random_classes(kRows, 2, 2)},
          {heads::classification("y"),
           {.class_names = {"a", "b", "c", "d"}},
           random_classes(kRows, 4, 3)},
          {heads::multi_label({"a", "b", "c"}), {.class_names = {"a", "b", "c"}}, tags},
          {heads::regression({"y"}), values, one.reshape({kRows})},
          {heads::regression({"y"}), own_units, one.reshape({kRows})},
          {heads::regression({"y", "z"}), values, several},
          {heads::poisson("y"), {}, counts},
          {heads::quantile("y", {0.9, 0.2}), values, one.reshape({kRows})}};
}

TEST(LinearLoss, IsThatOfTheHead) {
  constexpr int64_t kRows = DesignMatrix::kBlock;
  const Tensor weights = random_weights(kRows, 6);
  for (const HeadCase& c : head_cases()) {
    const auto head = make_head(c.spec, c.label);
    if (c.spec.kind != HeadKind::kClassification && c.spec.kind != HeadKind::kMultiLabel) {
      head->learn_training_labels(c.labels, weights);
    }
    const LinearLoss loss = linear_loss(c.spec, *head);
    const LinearTargets targets(loss, c.labels, weights, kRows);
    Tensor scores = random_numbers(kRows, loss.units, 7);
    scores.mutable_data<float>()[0] = 30;  // far out
    scores.mutable_data<float>()[loss.units] = -30;
    if (loss.kind == LossKind::kPoisson) scores.mutable_data<float>()[0] = 3;
    std::vector<float> slopes(static_cast<size_t>(loss.units * kRows));
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t k = 0; k < loss.units; ++k) {
        slopes[k * kRows + i] = static_cast<float>(scores.at(i * loss.units + k));
      }
    }
    const double total = take_loss(loss, targets.targets(0), targets.weights(0), slopes.data());
    Graph graph(standard_ops());
    const Output x = constant(graph, scores);
    const Output mean = head->loss(constant(graph, c.labels), x, constant(graph, weights));
    const Output slope = gradient(mean, x);
    Session session(graph);
    const std::vector<Tensor> wanted = session.run({}, {mean, slope});
    const double sum = targets.total_weight();
    EXPECT_NEAR((total + targets.fixed_loss()) / sum, wanted[0].at(0),
                1e-6 * wanted[0].at(0) + 1e-6)
        << to_string(loss.kind);
    for (int64_t i = 0; i < kRows * loss.units; ++i) {
      const double found = slopes[i % loss.units * kRows + i / loss.units] / sum;
      ASSERT_NEAR(found, wanted[1].at(i), 2e-6 * std::abs(wanted[1].at(i)) + 1e-8)
          << to_string(loss.kind) << " " << i;
    }
  }
}

TEST(LinearLoss, RefusesSeveralHeads) {
  const HeadSpec spec =
      heads::multi({{"a", heads::regression({"y"}), 1}, {"b", heads::regression({"z"}), 1}});
  LabelSpec label;
  label.parts = {LabelSpec(), LabelSpec()};
  const auto head = make_head(spec, label);
  expect_error(
      Code::kUnimplemented, [&] { linear_loss(spec, *head); }, "several heads", "ftrl");
}

TEST(LinearLbfgs, LearnsLabelsInTheirStandardisedUnits) {
  LinearProblem problem =
      number_problem(2, {.kind = LossKind::kSquared, .mean = {5000}, .deviation = {200}});
  SolverRows rows{{random_numbers(300, 2, 1)}, Tensor(kFloat32, {300}), {}};
  const auto x = rows.inputs[0].data<float>();
  for (int64_t i = 0; i < 300; ++i) {
    rows.labels.mutable_data<float>()[i] = 300 * x[2 * i] - 200 * x[2 * i + 1] + 5100;
  }
  const Solved solved = run_lbfgs(problem, rows);
  EXPECT_NEAR(solved.weights[0][0], 1.5, 1e-6);
  EXPECT_NEAR(solved.weights[0][1], -1, 1e-6);
  EXPECT_NEAR(solved.bias[0], 0.5, 1e-6);
}

TEST(LinearLbfgs, FindsTheLogOddsOfABiasAlone) {
  const LinearProblem problem = number_problem(1, {});
  const SolverRows rows{{Tensor::zeros(kFloat32, {4, 1})},
                        Tensor::of<int64_t>({1, 1, 0, 1}),
                        Tensor::of<float>({1, 2, 4, 5})};
  const Solved solved = run_lbfgs(problem, rows);
  EXPECT_NEAR(solved.bias[0], std::log(2.0), 1e-6);
  EXPECT_EQ(solved.weights[0][0], 0);
}

TEST(LinearLbfgs, FindsTheQuantilesOfABiasAlone) {
  LinearProblem problem =
      number_problem(1, {.kind = LossKind::kPinball, .units = 2, .quantiles = {0.25, 0.75}});
  Tensor labels(kFloat32, {1001});
  for (int64_t i = 0; i < 1001; ++i) labels.mutable_data<float>()[i] = static_cast<float>(i);
  const Solved solved = run_lbfgs(problem, {{Tensor::zeros(kFloat32, {1001, 1})}, labels, {}});
  EXPECT_NEAR(solved.bias[0], 250, 3);
  EXPECT_NEAR(solved.bias[1], 750, 3);
}

TEST(LinearLbfgs, GivesQuantilesOfEqualLabelsExactly) {
  const LinearProblem problem =
      number_problem(1, {.kind = LossKind::kPinball, .units = 2, .quantiles = {0.1, 0.5}});
  const Tensor labels = floats(std::vector<double>(50, 1e-3));
  const Solved solved = run_lbfgs(problem, {{random_numbers(50, 1, 1)}, labels, {}});
  EXPECT_EQ(solved.bias, (std::vector<double>{1e-3f, 1e-3f}));
  EXPECT_EQ(solved.weights[0], (std::vector<double>{0, 0}));
  EXPECT_EQ(solved.result.message, "all labels are equal");
}

TEST(LinearLbfgs, StaysFiniteWhenAllCountsAreZero) {
  LinearProblem problem = number_problem(1, {.kind = LossKind::kPoisson});
  Tensor numbers = random_numbers(50, 1, 1);
  for (float& x : numbers.mutable_data<float>()) x = 1e4f * std::abs(x);
  const Solved solved = run_lbfgs(problem, {{numbers}, floats(std::vector<double>(50, 0)), {}});
  EXPECT_LT(solved.bias[0], -10);
  EXPECT_LE(solved.weights[0][0], 0);
}

// Each category has two of 20,000 rows, so its slope of the mean loss is below the tolerance from
// the beginning.
TEST(LinearLbfgs, LearnsManyRareCategories) {
  constexpr int64_t kRows = 20000;
  LinearProblem problem;
  problem.prepared.ids = {{"c", kRows / 2}};
  problem.terms = {{"linear/c/weights", {Kind::kIds, {0}, kRows / 2}}};
  problem.l2 = 0.1;
  Tensor ids(kInt64, {kRows, 1}), labels(kInt64, {kRows});
  for (int64_t i = 0; i < kRows; ++i) {
    ids.mutable_data<int64_t>()[i] = i / 2;
    labels.mutable_data<int64_t>()[i] = i / 2 % 2;
  }
  const Solved solved = run_lbfgs(problem, {{ids}, labels, {}});
  // Where 2 (sigmoid(w) - 1) + 0.1 w is 0.
  EXPECT_NEAR(solved.weights[0][1], 2.1280, 0.05);
  EXPECT_NEAR(solved.weights[0][0], -2.1280, 0.05);
}

TEST(LinearLbfgs, LeavesOutRowsOfWeightZero) {
  Mixed m = mixed({});
  const Solved all = run_lbfgs(m.problem, m.rows);
  Tensor labels = m.rows.labels.clone();
  for (int64_t i = 0; i < 700; ++i) {
    if (m.rows.weights.at(i) == 0) labels.mutable_data<int64_t>()[i] ^= 1;
  }
  m.rows.labels = labels;
  EXPECT_EQ(run_lbfgs(m.problem, m.rows).weights, all.weights);
}

TEST(LinearLbfgs, GivesTheSameBitsWithAnyNumberOfThreads) {
  const int before = num_threads();
  for (const LinearLoss& loss : {LinearLoss{}, LinearLoss{.kind = LossKind::kSoftmax, .units = 3},
                                 LinearLoss{.kind = LossKind::kSquared}}) {
    const Mixed m = mixed(loss);
    std::vector<Solved> solved;
    for (const int threads : {1, 2, 3}) {
      set_num_threads(threads);
      solved.push_back(run_lbfgs(m.problem, m.rows));
    }
    for (const Solved& other : solved) {
      EXPECT_EQ(other.weights, solved[0].weights);
      EXPECT_EQ(other.bias, solved[0].bias);
    }
  }
  set_num_threads(before);
}

TEST(LinearLbfgs, FallsBackFromNormalEquationsThatAreSingular) {
  LinearProblem problem = number_problem(2, {.kind = LossKind::kSquared});
  Tensor x = random_numbers(100, 2, 3);
  Tensor labels(kFloat32, {100});
  for (int64_t i = 0; i < 100; ++i) {
    x.mutable_data<float>()[2 * i + 1] = x.at(2 * i);
    labels.mutable_data<float>()[i] = static_cast<float>(3 * x.at(2 * i) + 1);
  }
  const Solved solved = run_lbfgs(problem, {{x}, labels, {}});
  EXPECT_EQ(solved.result.message.find("normal equations"), std::string::npos);
  EXPECT_NEAR(solved.weights[0][0] + solved.weights[0][1], 3, 1e-4);
  EXPECT_NEAR(solved.bias[0], 1, 1e-4);
}

TEST(LinearLbfgs, TellsOfEachIterationAndWhyItEnded) {
  Mixed m = mixed({});
  m.problem.l2 = 0;
  const Solved solved = run_lbfgs(m.problem, m.rows);
  ASSERT_EQ(std::ssize(solved.result.history), solved.result.iterations);
  double last = std::numbers::ln2;
  for (size_t i = 0; i < solved.result.history.size(); ++i) {
    EXPECT_EQ(solved.result.history[i].step, static_cast<int64_t>(i) + 1);
    const double loss = figure(solved.result.history[i].train, "loss");
    EXPECT_LT(loss, last + 1e-6);
    last = loss;
  }
  LinearProblem hasty = m.problem;
  hasty.most_iterations = 2;
  const Solved ended = run_lbfgs(hasty, m.rows);
  EXPECT_EQ(ended.result.iterations, 2);
  EXPECT_NE(ended.result.message.find("not converged after 2 iterations"), std::string::npos);
}

TEST(LinearLbfgs, KeepsTheBestIterationWhenPatienceEnds) {
  const Mixed m = mixed({});
  const SolverRows validation = m.rows;
  FitOptions options;
  options.patience = 2;
  int calls = 0;
  std::vector<double> third;
  const Solved solved = run_solver(make_lbfgs_solver(m.problem), m.problem, m.rows, options,
                                   &validation, [&](VariableStore& variables) {
                                     // Best at the third iteration.
                                     if (++calls == 3)
                                       third =
                                           numbers_of(variables.get(m.problem.terms[0].variable));
                                     return std::vector<Figure>{{"loss", std::abs(calls - 3.0)}};
                                   });
  EXPECT_EQ(solved.result.iterations, 5);
  EXPECT_EQ(solved.result.best_iteration, 3);
  EXPECT_EQ(solved.weights[0], third);
  EXPECT_NE(solved.result.message.find("best after 3"), std::string::npos);
}

TEST(LinearLbfgs, EndsWhenAskedTo) {
  const Mixed m = mixed({});
  VariableStore variables;
  for (const Term& term : m.problem.terms) {
    variables.set(
        term.variable,
        Tensor::zeros(kFloat32, {term.place.kind == Kind::kNumbers ? 2 : term.place.buckets, 1}));
  }
  variables.set("linear/bias", Tensor::zeros(kFloat32, {1}));
  int reports = 0;
  const SolverResult result =
      make_lbfgs_solver(m.problem)(SolverTask{.training = m.rows,
                                              .variables = variables,
                                              .options = {},
                                              .report = [&](const EpochRecord&) { ++reports; },
                                              .stop_requested = [&] { return reports == 2; }});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_EQ(reports, 2);
}

TEST(LinearLbfgs, RefusesWhatItCannotMinimise) {
  expect_error(
      Code::kUnimplemented,
      [] { make_lbfgs_solver(number_problem(1, {.kind = LossKind::kHinge})); }, "sdca");
  LinearProblem negative = number_problem(1, {});
  negative.l2 = -1;
  expect_error(
      Code::kInvalidArgument, [&] { make_lbfgs_solver(negative); }, "l2 is -1");
  const LinearProblem problem = number_problem(1, {});
  const Tensor x = Tensor::of<float>({1, 2}, {2, 1});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run_lbfgs(problem, {{x}, Tensor::of<int64_t>({0, 2}), {}});
      },
      "row 2", "expected 0 or 1");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run_lbfgs(problem, {{x}, Tensor::of<int64_t>({0, 1}), Tensor::of<float>({0, 0})});
      },
      "weight 0");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run_lbfgs(problem, {{x}, Tensor::of<int64_t>({0, 1}), Tensor::of<float>({1, -1})});
      },
      "row 2", "-1");
  const Tensor infinite = Tensor::of<float>({1, INFINITY}, {2, 1});
  expect_error(
      Code::kOutOfRange,
      [&] {
        run_lbfgs(problem, {{infinite}, Tensor::of<int64_t>({0, 1}), {}});
      },
      "sigmoid cross entropy");
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksFunction) {
  const auto function = [](std::span<const double> x, std::span<double> g) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  const LbfgsResult result = minimize_lbfgs(function, {-1.2, 1}, {.tolerance = 1e-10});
  EXPECT_EQ(result.end, LbfgsResult::End::kConverged);
  EXPECT_NEAR(result.x[0], 1, 1e-8);
  EXPECT_NEAR(result.x[1], 1, 1e-8);
  EXPECT_LT(result.iterations, 50);
}

TEST(Lbfgs, StopsAtZeroWhereThePenaltyIsSteeper) {
  // (x - 3)^2 / 2 + (y - 0.5)^2 / 2 + |x| + |y|
  const auto function = [](std::span<const double> x, std::span<double> g) {
    g[0] = x[0] - 3;
    g[1] = x[1] - 0.5;
    return (g[0] * g[0] + g[1] * g[1]) / 2;
  };
  const LbfgsResult result =
      minimize_lbfgs(function, {-1, 2}, {.tolerance = 1e-10, .l1 = 1, .penalized = 2});
  EXPECT_NEAR(result.x[0], 2, 1e-9);
  EXPECT_EQ(result.x[1], 0);
}

TEST(LinearSdca, EndsWhereTheSlopeIsZeroAndTheGapClosed) {
  for (const LossKind kind : {LossKind::kSigmoid, LossKind::kSquared, LossKind::kSmoothHinge}) {
    Mixed m = mixed({.kind = kind, .width = 0.5});
    m.problem.tolerance = 1e-9;
    m.problem.loss.factor = 2;
    const Solved sdca = run_sdca(m.problem, m.rows);
    EXPECT_EQ(sdca.result.message.find("not"), std::string::npos) << sdca.result.message;
    LinearTargets targets(m.problem.loss, m.rows.labels, m.rows.weights, 700);
    const SparseRows sparse({m.problem.prepared, m.rows.inputs}, m.problem.terms);
    SdcaOptions options;
    options.tolerance = 1e-9;
    options.most_epochs = 1000;
    const SdcaResult result = minimize_sdca(sparse, m.problem.loss, targets, options);
    ASSERT_TRUE(result.converged);
    EXPECT_GE(result.state.primal, result.state.dual - 1e-9 * result.state.primal);
    // Slopes of the primal there, from the dense table.
    const Tensor table = table_of(m);
    std::vector<double> slope = result.weights;
    for (int64_t i = 0; i < 700; ++i) {
      double s = result.weights.back();
      for (int64_t f = 0; f < 59; ++f) s += table.at(i * 59 + f) * result.weights[f];
      const double y = m.rows.labels.at(i), sign = 2 * y - 1, gap = 1 - sign * s;
      double d = 0;
      if (kind == LossKind::kSigmoid) d = 1 / (1 + std::exp(-s)) - y;
      if (kind == LossKind::kSquared) d = 2 * (s - y);
      if (kind == LossKind::kSmoothHinge) d = -sign * std::clamp(gap / 0.5, 0.0, 1.0);
      d *= 2 * m.rows.weights.at(i);
      for (int64_t f = 0; f < 59; ++f) slope[f] += d * table.at(i * 59 + f);
      slope.back() += d;
    }
    for (size_t f = 0; f < slope.size(); ++f) EXPECT_NEAR(slope[f], 0, 0.02) << f;
  }
}

TEST(LinearSdca, SeparatesByTheWidestMargin) {
  // Hinge loss of points at -1 and 1 (twice): the margin's ends; weights (1, 0) and no bias.
  LinearProblem problem = number_problem(2, {.kind = LossKind::kHinge});
  problem.l2 = 0.1;
  problem.tolerance = 1e-8;
  const SolverRows rows{{Tensor::of<float>({1, 1, 1, -1, -1, 1, -1, -1}, {4, 2})},
                        Tensor::of<int64_t>({1, 1, 0, 0}),
                        {}};
  const Solved solved = run_sdca(problem, rows);
  EXPECT_NEAR(solved.weights[0][0], 1, 1e-3);
  EXPECT_NEAR(solved.weights[0][1], 0, 1e-3);
  EXPECT_NEAR(solved.bias[0], 0, 1e-3);
}

TEST(LinearSdca, SetsWeightsToZeroByL1) {
  Mixed m = mixed({.kind = LossKind::kSquared});
  m.problem.l1 = 8;
  m.problem.tolerance = 1e-9;
  const Solved sdca = run_sdca(m.problem, m.rows);
  const Solved lbfgs = run_lbfgs(m.problem, m.rows);
  int64_t zeros = 0;
  for (size_t t = 0; t < sdca.weights.size(); ++t) {
    for (size_t i = 0; i < sdca.weights[t].size(); ++i) {
      EXPECT_NEAR(sdca.weights[t][i], lbfgs.weights[t][i], 5e-3);
      zeros += sdca.weights[t][i] == 0;
    }
  }
  EXPECT_GT(zeros, 30);
  EXPECT_LT(zeros, 59);
}

TEST(LinearSdca, LearnsNumbersFarFromZero) {
  LinearProblem problem = number_problem(1, {.kind = LossKind::kSquared});
  problem.l2 = 1;
  const Tensor numbers = random_numbers(60, 1, 4);
  std::vector<double> near, far;
  for (int64_t i = 0; i < 60; ++i) {
    near.push_back(3 * numbers.at(i));
    far.push_back(near.back() + 1024);
  }
  const Solved a = run_sdca(problem, {{numbers}, floats(near), {}});
  const Solved b = run_sdca(problem, {{numbers}, floats(far), {}});
  EXPECT_NEAR(b.weights[0][0], a.weights[0][0], 1e-3);
  EXPECT_NEAR(b.bias[0] - 1024, a.bias[0], 1e-3);
  // In units of their own, too.
  problem.loss.mean = {1000};
  problem.loss.deviation = {4};
  const Solved c = run_sdca(problem, {{numbers}, floats(far), {}});
  EXPECT_NEAR(1000 + 4 * c.bias[0], b.bias[0], 1e-2);
  const Solved equal = run_sdca(problem, {{numbers}, floats(std::vector<double>(60, 1e6)), {}});
  EXPECT_EQ(1000 + 4 * equal.bias[0], 1e6);
}

TEST(LinearSdca, GivesTheSameBitsForTheSameSeed) {
  Mixed m = mixed({});
  m.problem.most_iterations = 3;
  EXPECT_EQ(run_sdca(m.problem, m.rows).weights, run_sdca(m.problem, m.rows).weights);
}

TEST(LinearSdca, RefusesWhatItCannotMinimise) {
  expect_error(
      Code::kInvalidArgument, [] { make_sdca_solver(number_problem(1, {})); }, "l2 above 0");
  expect_error(
      Code::kUnimplemented,
      [] { make_sdca_solver(number_problem(1, {.kind = LossKind::kSoftmax, .units = 3})); },
      "softmax", "lbfgs");
}

TEST(DesignMatrix, RefusesIdsBeyondTheirBuckets) {
  Mixed m = mixed({});
  m.rows.inputs[1].mutable_data<int64_t>()[1] = 40;
  expect_error(
      Code::kInvalidArgument, [&] { run_lbfgs(m.problem, m.rows); }, "linear/d/weights", "40");
  m.rows.inputs.pop_back();
  expect_error(
      Code::kInvalidArgument, [&] { run_lbfgs(m.problem, m.rows); }, "3 prepared tensors",
      "expected 4");
}

}  // namespace
}  // namespace thalweg::linear
