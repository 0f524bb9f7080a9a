// Problems of a few rows for solvers of linear models, and runs of a solver on them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "estimator/linear/linear_solvers.h"
#include "thalweg/base/philox.h"
#include "thalweg/data/table_source.h"

namespace thalweg::linear {

/// A problem of `numbers` prepared numbers in one term, with nothing penalised.
inline LinearProblem number_problem(int64_t numbers, LinearLoss loss) {
  LinearProblem problem;
  Term term = {"linear/numbers/weights", {}};
  for (int64_t i = 0; i < numbers; ++i) {
    problem.prepared.numbers.push_back("x" + std::to_string(i));
    term.place.indices.push_back(i);
  }
  problem.terms = {term};
  problem.loss = std::move(loss);
  problem.l2 = 0;
  problem.tolerance = 1e-6;
  problem.most_iterations = 2000;
  return problem;
}

struct Solved {
  SolverResult result;
  std::vector<std::vector<double>> weights;  // of each term
  std::vector<double> bias;
  double loss() const { return result.history.back().train.at(0).value; }
};

inline std::vector<double> numbers_of(const Tensor& tensor) {
  const auto values = tensor.data<float>();
  return {values.begin(), values.end()};
}

/// Runs `solver` from zeros.
inline Solved run_solver(const Solver& solver, const LinearProblem& problem, const SolverRows& rows,
                         const FitOptions& options = {}, const SolverRows* validation = nullptr,
                         std::function<std::vector<Figure>(VariableStore&)> evaluate = {}) {
  VariableStore variables;
  for (const Term& term : problem.terms) {
    const bool is_number = term.place.kind == Transform::Place::Kind::kNumbers;
    const int64_t count = is_number ? std::ssize(term.place.indices) : term.place.buckets;
    variables.set(term.variable, Tensor::zeros(kFloat32, {count, problem.loss.units}));
  }
  variables.set(problem.bias, Tensor::zeros(kFloat32, {problem.loss.units}));
  SolverTask task{
      .training = rows, .validation = validation, .variables = variables, .options = options};
  if (evaluate) task.evaluate = [&](const SolverRows&) { return evaluate(variables); };
  Solved solved;
  solved.result = solver(task);
  for (const Term& term : problem.terms) {
    solved.weights.push_back(numbers_of(variables.get(term.variable)));
  }
  solved.bias = numbers_of(variables.get(problem.bias));
  return solved;
}

inline Solved run_lbfgs(const LinearProblem& problem, const SolverRows& rows) {
  return run_solver(make_lbfgs_solver(problem), problem, rows);
}
inline Solved run_sdca(const LinearProblem& problem, const SolverRows& rows) {
  return run_solver(make_sdca_solver(problem), problem, rows);
}

/// A file of numbers as a table of columns, from line `skip` + 1 on.
inline std::vector<std::vector<double>> columns_of_file(const std::string& path, int64_t skip) {
  const data::Table table =
      data::read_table(path, {.delimiter = path.find(".csv.gz") == std::string::npos ? ',' : ' ',
                              .header = false,
                              .skip_rows = skip});
  std::vector<std::vector<double>> columns;
  for (const data::Column& column : table.columns()) {
    std::vector<double> values;
    for (int64_t i = 0; i < column.size(); ++i) values.push_back(std::stod(column.cell(i)));
    columns.push_back(std::move(values));
  }
  return columns;
}

/// Standardised columns side by side, float32 [rows, columns].
inline Tensor standardized(const std::vector<std::vector<double>>& columns) {
  const auto rows = std::ssize(columns[0]);
  const auto width = std::ssize(columns);
  Tensor result(kFloat32, {rows, width});
  float* out = result.mutable_data<float>().data();
  for (int64_t c = 0; c < width; ++c) {
    double sum = 0, squares = 0;
    for (const double value : columns[c]) sum += value;
    const double mean = sum / static_cast<double>(rows);
    for (const double value : columns[c]) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(rows));
    for (int64_t i = 0; i < rows; ++i) {
      out[i * width + c] = static_cast<float>((columns[c][i] - mean) / deviation);
    }
  }
  return result;
}

inline Tensor classes(const std::vector<double>& values) {
  Tensor result(kInt64, {std::ssize(values)});
  std::ranges::copy(values, result.mutable_data<int64_t>().begin());
  return result;
}
inline Tensor floats(const std::vector<double>& values) {
  Tensor result(kFloat32, {std::ssize(values)});
  std::ranges::copy(values, result.mutable_data<float>().begin());
  return result;
}

}  // namespace thalweg::linear
