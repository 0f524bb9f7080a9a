// Linear models against scikit-learn 1.9.1 (SciPy 1.17.1, NumPy 2.4.6): the same standardised rows
// and penalties, its solvers run to tolerances of 1e-9 and below (LogisticRegression, Ridge,
// LinearRegression, Lasso, PoissonRegressor, QuantileRegressor).
#include <cstdlib>

#include "linear_testing.h"
#include "testing.h"

namespace thalweg::linear {
namespace {

void expect_near(const std::vector<double>& values, const std::vector<double>& wanted,
                 double tolerance) {
  ASSERT_GE(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(values[i], wanted[i], tolerance) << "number " << i;
  }
}

class ScikitLearn : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("THALWEG_DATA");
    if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
    data_ = data;
  }
  // Features, and the last column as label.
  void read(const std::string& path) {
    auto columns = columns_of_file(data_ + path, 1);
    labels_ = columns.back();
    columns.pop_back();
    rows_ = {{standardized(columns)}, classes(labels_), {}};
  }
  // With the target standardised too when `scaled`.
  void read_diabetes(bool scaled) {
    rows_.inputs = {standardized(columns_of_file(data_ + "/diabetes/diabetes_data_raw.csv.gz", 0))};
    const auto target = columns_of_file(data_ + "/diabetes/diabetes_target.csv.gz", 0);
    labels_ = target[0];
    rows_.labels = scaled ? standardized(target).reshape({442}) : floats(labels_);
  }

  std::string data_;
  std::vector<double> labels_;
  SolverRows rows_;
};

TEST_F(ScikitLearn, SoftmaxOfIris) {
  read("/iris/iris.csv");
  LinearProblem problem = number_problem(4, {.kind = LossKind::kSoftmax, .units = 3});
  problem.l2 = 1;
  const Solved solved = run_lbfgs(problem, rows_);
  // Its coef_ transposed.
  expect_near(solved.weights[0],
              {-1.07406585, 0.58781006, 0.48625579, 1.16011502, -0.36184059, -0.79827443,
               -1.93069191, -0.36343089, 2.2941228, -1.81155616, -0.82626973, 2.63782589},
              2e-4);
  expect_near(solved.bias, {-0.20524102, 2.07483979, -1.86959878}, 2e-4);
  EXPECT_NEAR(solved.loss(), 0.12954226890, 1e-6);
}

TEST_F(ScikitLearn, LogisticOfBreastCancer) {
  read("/breast-cancer/breast_cancer.csv");
  LinearProblem problem = number_problem(30, {});
  problem.l2 = 1;
  const Solved solved = run_lbfgs(problem, rows_);
  expect_near(solved.weights[0],
              {-0.36309272, -0.38767528, -0.35106236, -0.43560918, -0.16183175, 0.56265395}, 2e-4);
  EXPECT_NEAR(solved.bias[0], 0.21450295, 2e-4);
  EXPECT_NEAR(solved.loss(), 0.05339185849, 1e-6);
}

TEST_F(ScikitLearn, WeightedLogisticOfBreastCancer) {
  read("/breast-cancer/breast_cancer.csv");
  std::vector<double> weights;
  for (const double label : labels_) weights.push_back(label == 1 ? 1 : 3);
  rows_.weights = floats(weights);
  LinearProblem problem = number_problem(30, {});
  problem.l2 = 1;
  const Solved solved = run_lbfgs(problem, rows_);
  expect_near(solved.weights[0], {-0.10408704, -0.20642564, -0.10974448, -0.26426803}, 5e-4);
  EXPECT_NEAR(solved.bias[0], -0.91500511, 2e-4);
}

TEST_F(ScikitLearn, SparseLogisticOfBreastCancer) {
  read("/breast-cancer/breast_cancer.csv");
  LinearProblem problem = number_problem(30, {});
  problem.l1 = 10;
  const Solved solved = run_lbfgs(problem, rows_);
  std::vector<double> wanted(30);
  wanted[7] = -0.51947873;
  wanted[10] = -0.31986048;
  wanted[20] = -2.24940574;
  wanted[21] = -0.73543466;
  wanted[24] = -0.18170378;
  wanted[26] = -0.02554725;
  wanted[27] = -1.09534549;
  wanted[28] = -0.16285125;
  expect_near(solved.weights[0], wanted, 1e-3);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(solved.weights[0][i] == 0, wanted[i] == 0) << i;
  }
  EXPECT_NEAR(solved.bias[0], 0.69364782, 1e-3);
}

TEST_F(ScikitLearn, RidgeOfDiabetes) {
  read_diabetes(true);
  LinearProblem problem = number_problem(10, {.kind = LossKind::kSquared});
  problem.l2 = 1;  // Ridge's alpha 0.5
  const Solved solved = run_lbfgs(problem, rows_);
  EXPECT_EQ(solved.result.message, "solved by the normal equations");
  expect_near(solved.weights[0],
              {-0.0058645, -0.14762484, 0.32145703, 0.19997772, -0.43427198, 0.25080119, 0.03813211,
               0.10279152, 0.44313534, 0.04211609},
              1e-5);
  EXPECT_NEAR(solved.bias[0], 0, 1e-6);
}

TEST_F(ScikitLearn, LeastSquaresOfDiabetesInItsOwnUnits) {
  read_diabetes(false);
  const LinearProblem problem = number_problem(10, {.kind = LossKind::kSquared});
  const Solved solved = run_lbfgs(problem, rows_);
  expect_near(solved.weights[0],
              {-0.47612093, -11.40686719, 24.72654879, 15.42940426, -37.67995304, 22.67616323,
               4.80613826, 8.42203928, 35.73444599, 3.21667362},
              1e-3);
  EXPECT_NEAR(solved.bias[0], 152.13348411, 1e-4);
}

TEST_F(ScikitLearn, LassoOfDiabetes) {
  read_diabetes(true);
  LinearProblem problem = number_problem(10, {.kind = LossKind::kSquared});
  problem.l1 = 20;  // Lasso's alpha times 2 * 442 rows
  const Solved solved = run_lbfgs(problem, rows_);
  expect_near(solved.weights[0],
              {0, -0.10414314, 0.32045173, 0.17417828, -0.04238565, 0, -0.13246172, 0, 0.30486154,
               0.02486873},
              1e-4);
  for (const size_t i : {0, 5, 7}) EXPECT_EQ(solved.weights[0][i], 0) << i;
}

TEST_F(ScikitLearn, PoissonOfDiabetes) {
  read_diabetes(false);
  LinearProblem problem = number_problem(10, {.kind = LossKind::kPoisson});
  problem.l2 = 2;  // PoissonRegressor's alpha times 442 rows
  const Solved solved = run_lbfgs(problem, rows_);
  expect_near(solved.weights[0],
              {0.00094538, -0.07558615, 0.14161866, 0.09900758, -0.42399591, 0.33920674, 0.05935146,
               0.00821509, 0.32764864, 0.01710067},
              1e-3);
  EXPECT_NEAR(solved.bias[0], 4.957018402, 1e-4);
}

TEST_F(ScikitLearn, QuantilesOfDiabetes) {
  read_diabetes(true);
  const LinearProblem problem =
      number_problem(10, {.kind = LossKind::kPinball, .units = 3, .quantiles = {0.1, 0.5, 0.9}});
  const Solved solved = run_lbfgs(problem, rows_);
  // Its least losses by linear programming; ours with the parabola at the kink is a little more.
  const double wanted = (0.11058762994 + 0.27946940918 + 0.11801582692) / 3;
  const float* x = rows_.inputs[0].data<float>().data();
  const auto t = rows_.labels.data<float>();
  double loss = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) {
      double score = solved.bias[k];
      for (size_t d = 0; d < 10; ++d) score += x[i * 10 + d] * solved.weights[0][d * 3 + k];
      const double e = t[i] - score, q = problem.loss.quantiles[k];
      loss += std::max(q * e, (q - 1) * e) / (3 * 442.0);
    }
  }
  EXPECT_GE(loss, wanted - 1e-7);
  EXPECT_LE(loss, wanted * 1.002);
}

// Near enough: SDCA's bias is penalised, by 1 / 569 of what the rows say.
TEST_F(ScikitLearn, SdcaOfBreastCancer) {
  read("/breast-cancer/breast_cancer.csv");
  LinearProblem problem = number_problem(30, {});
  problem.l2 = 1;
  const Solved solved = run_sdca(problem, rows_);
  EXPECT_NEAR(solved.loss(), 0.05339185849, 2e-4);
  expect_near(solved.weights[0],
              {-0.36309272, -0.38767528, -0.35106236, -0.43560918, -0.16183175, 0.56265395}, 0.02);
}

}  // namespace
}  // namespace thalweg::linear
