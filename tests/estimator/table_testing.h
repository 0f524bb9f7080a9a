// Small tables on which models of tables learn within a second.
#pragma once

#include <string>
#include <vector>

#include "estimator/trees/tree_training.h"
#include "testing.h"
#include "thalweg/base/philox.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg {

/// y is "yes" where x > 1, or the colour is red; z is noise with missing cells. `target` is 3 x -
/// 2, plus 5 where red. `w` is a weight.
inline Table small_table(int64_t rows, uint64_t seed = 1) {
  const std::vector<std::string> kColours = {"red", "green", "blue"};
  Philox random(seed);
  std::vector<double> x, z, target, weight;
  std::vector<std::string> colour, y;
  std::vector<uint8_t> missing;
  for (int64_t i = 0; i < rows; ++i) {
    x.push_back(static_cast<double>(random.below(400)) / 100 - 1);
    colour.push_back(kColours[random.below(3)]);
    missing.push_back(random.below(10) == 0 ? 1 : 0);
    z.push_back(missing.back() != 0 ? 0 : random.uniform());
    const bool red = colour.back() == "red";
    y.push_back(x.back() > 1 || red ? "yes" : "no");
    target.push_back(3 * x.back() - 2 + (red ? 5 : 0));
    weight.push_back(1 + static_cast<double>(i % 3));
  }
  return Table({data::Column("y", y), data::Column("x", x), data::Column("colour", colour),
                data::Column("z", z, missing), data::Column("target", target),
                data::Column("w", weight)});
}

/// Columns of small_table() as each kind of model takes them.
inline std::vector<FeatureColumn> linear_columns() {
  using namespace columns;  // NOLINT: the names are the subject
  return {numeric("x"), vocabulary("colour"), numeric("z"),
          bucketized("x", {.boundaries = {0, 1, 2}})};
}
inline std::vector<FeatureColumn> dense_columns() {
  using namespace columns;  // NOLINT
  return {numeric("x"), indicator(vocabulary("colour")), numeric("z"),
          embedding(hashed("colour", 10), 2)};
}
inline std::vector<FeatureColumn> tree_columns_of() {
  using namespace columns;  // NOLINT
  return {numeric("x"), vocabulary("colour"), numeric("z")};
}

/// One of each family.
inline std::vector<TableModel> each_model() {
  std::vector<TableModel> models = {
      Baseline{},
      Linear{.columns = linear_columns()},
      Linear{.columns = linear_columns(), .solver = LinearSolver::kFtrl, .l2 = 0},
      Dnn{.columns = dense_columns(), .hidden_units = {8}},
      WideDeep{.linear_columns = linear_columns(),
               .dnn_columns = dense_columns(),
               .hidden_units = {8},
               .batch_norm = true},
      Forest{.columns = tree_columns_of(), .trees = 10}};
  if (can_boost()) models.push_back(BoostedTrees{.columns = tree_columns_of(), .trees = 20});
  return models;
}

inline void expect_same_predictions(const TablePredictions& a, const TablePredictions& b) {
  EXPECT_TRUE(a.values.same_bits(b.values)) << a.values.to_string() << b.values.to_string();
  EXPECT_EQ(a.labels, b.labels);
}

}  // namespace thalweg
