// Models of tables: feature columns, a network or trees, and a head, with fit, evaluate, predict,
// save and export around them.
//
//     auto train = open_table("adult.csv");
//     TableEstimator model(heads::classification("income"), WideDeep{wide, deep}, {.model_folder =
//     "m"}); model.fit(*train, {.epochs = 20});
//     model.evaluate(*open_table("test.csv"))["accuracy"];
//     for (const TablePrediction& p : model.predict(read_table("new.csv")).rows()) ...
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thalweg/data/table_source.h"
#include "thalweg/estimator/columns.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/estimator/feature_network.h"
#include "thalweg/estimator/heads.h"
#include "thalweg/estimator/transform.h"

namespace thalweg {

/// Guesses without a look at the features: each class as often as in training, or the mean.
struct Baseline {};

enum class LinearSolver {
  kLbfgs,  // to convergence, all rows at once
  kFtrl,   // steps, min(0.2, 1 / sqrt(columns)) by default
  kSdca,   // dual coordinate ascent; binary classification and regression with one output
};
struct Linear {
  std::vector<FeatureColumn> columns;
  LinearSolver solver = LinearSolver::kLbfgs;
  double l1 = 0;
  double l2 = 1;             // of the sum over rows: l2/2 |w|^2, as scikit-learn's 1/C
  double learning_rate = 0;  // of kFtrl; 0: the default
  double tolerance = 1e-4;   // of kLbfgs and kSdca
  int64_t most_iterations = 200;
};

struct Dnn {
  std::vector<FeatureColumn> columns;
  std::vector<int64_t> hidden_units = {128, 64};
  std::string activation = "relu";
  double dropout = 0.1;  // share dropped, in training
  bool batch_norm = false;
  OptimizerChoice optimizer = NamedOptimizer{};
};

/// Logits of a linear model and of a network, added; one loss, an optimizer each. Cheng et al.,
/// arXiv:1606.07792.
struct WideDeep {
  std::vector<FeatureColumn> linear_columns;
  std::vector<FeatureColumn> dnn_columns;
  std::vector<int64_t> hidden_units = {100, 50};
  std::string activation = "relu";
  double dropout = 0.1;
  bool batch_norm = false;
  OptimizerChoice linear_optimizer = NamedOptimizer{.name = "ftrl"};
  OptimizerChoice dnn_optimizer = NamedOptimizer{};
};

/// Gradient boosting with XGBoost's library, "hist". FitOptions::patience counts trees; of several
/// outputs each tree is one an output.
struct BoostedTrees {
  std::vector<FeatureColumn> columns;  // numbers and categories; neither scaling nor embedding
  int64_t trees = 300;
  int64_t max_depth = 6;
  double learning_rate = 0.1;
  double l1 = 0, l2 = 1;
  double min_child_weight = 1;
  double row_share = 1, column_share = 1;
};

/// Breiman, Machine Learning 45, 2001. Each tree sees `row_share` of the rows, drawn without
/// replacement; the mean of the trees' class shares, or means, is the prediction. No quantiles.
struct Forest {
  std::vector<FeatureColumn> columns;
  int64_t trees = 200;
  int64_t max_depth = 16;
  double row_share = 0.632;
  double column_share = 0;  // at each split; 0: sqrt(columns) / columns, of regression 1/3
};

/// From prepared tensors to logits `[batch, outputs]`: a model function. `mode` says what for.
struct ModelContext {
  const Transform& transform;
  const PreparedBatch& prepared;
  Mode mode;
  int64_t outputs;  // of the head
};
struct Custom {
  std::vector<FeatureColumn> columns;
  std::function<Output(const ModelContext&)> logits;
  OptimizerChoice optimizer = NamedOptimizer{};
};

using TableModel = std::variant<Baseline, Linear, Dnn, WideDeep, BoostedTrees, Forest, Custom>;
/// "baseline", "linear", "dnn", "wide_deep", "boosted_trees", "forest", "custom".
std::string_view family_of(const TableModel& model);

struct TableEstimatorOptions {
  int64_t batch_size = 256;
  uint64_t seed = 1;
  std::string model_folder = {};
  TransformOptions transform = {};
};

/// Of a table's rows, in their order.
class TablePredictions {
 public:
  /// In the order of the columns of probabilities; empty for regression.
  std::vector<std::string> classes;
  /// Probabilities [rows, classes], or values [rows, outputs]; float32.
  Tensor values;
  /// Names of the columns of `values` for regression: "prediction", "prediction_1", "q0.1".
  std::vector<std::string> outputs;
  /// The most probable class of each row, in original spelling; empty text where undefined.
  std::vector<std::string> labels;
  Transform::Counts counts;
};

/// Thread-compatible.
class TableEstimator {
 public:
  TableEstimator(HeadSpec head, TableModel model, TableEstimatorOptions options = {});
  static TableEstimator load(const std::string& folder);
  /// Of a Custom model.
  static TableEstimator load(const std::string& folder, Custom model);
  TableEstimator(TableEstimator&&) noexcept;
  ~TableEstimator();

  /// Splits, fits the transform to the training rows, trains. See Estimator::fit;
  /// options.validation is not for tables: `validation` is.
  FitReport fit(const TableSource& rows, const FitOptions& options = {},
                const TableSource* validation = nullptr);
  FitReport fit(const Table& rows, const FitOptions& options = {});
  EvaluationReport evaluate(const TableSource& rows) const;
  EvaluationReport evaluate(const Table& rows) const;
  TablePredictions predict(const Table& rows) const;

  /// SavedModel with two signatures: `serving_default` takes the table's columns by name, [batch]
  /// each; `examples` a batch of serialised tf.train.Example. Loads in TensorFlow.
  void export_saved_model(const std::string& folder, bool variables = false) const;

  const ModelRecord& record() const;
  const Transform& transform() const;
  const HeadSpec& head() const;
  /// Rises of the loss on `rows` when a column's cells are shuffled, largest first (Breiman 2001).
  std::vector<Figure> permutation_importance(const Table& rows, int64_t repeats = 3) const;
  const VariableStore& variables() const;

  struct State;

 private:
  explicit TableEstimator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
