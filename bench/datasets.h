// The tables of the accuracy and speed comparisons, as their makers left them, brought into shape.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thalweg/data/table.h"
#include "thalweg/estimator/columns.h"

namespace thalweg::bench {

struct Rows {
  Table train;
  Table test = {};  // without rows: the set has no test part, so it is divided in folds
  std::string label = {};
};

/// `name` below THALWEG_DATA: "adult", "iris", "wine", "breast-cancer", "digits", "penguins",
/// "titanic", "covertype", "california", "diabetes", "imdb", "amazon", "mnist". Throws not_found.
Rows load_dataset(const std::string& name);

/// Row numbers of a test part; the rest is for training.
using Fold = std::vector<int64_t>;
/// `count` parts that hold each row once, by chance.
std::vector<Fold> make_folds(int64_t rows, int count, uint64_t seed);
/// Each class alike in each part, the rows in their order: those of scikit-learn's cross_val_score
/// for classifiers, by which the reference scores were measured.
std::vector<Fold> make_stratified_folds(const data::Column& labels, int count);
std::pair<Table, Table> train_and_test(const Table& table, const Fold& test);

/// The columns of TensorFlow's wide and deep tutorial on the census.
std::vector<FeatureColumn> census_wide();
std::vector<FeatureColumn> census_deep();

}  // namespace thalweg::bench
