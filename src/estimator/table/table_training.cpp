// How models of tables are trained: optimizers for networks, solvers for the others.
#include <cmath>

#include "estimator/linear/linear_problem.h"
#include "estimator/table/table_network.h"
#include "estimator/trees/tree_features.h"
#include "estimator/trees/tree_training.h"

namespace thalweg {
namespace {

constexpr double kMostLinearRate = 0.2;  // TensorFlow's LinearClassifier

// min(0.2, 1 / sqrt(columns)).
double linear_rate(const std::vector<FeatureColumn>& columns) {
  return std::min(kMostLinearRate, 1 / std::sqrt(static_cast<double>(columns.size())));
}

// The penalty is of the sum over the rows of an epoch, FTRL's of the steps' means over a batch, and
// its l2 counts without the half.
Optimizer ftrl_of(const Linear& m, int64_t batch_size) {
  const auto batch = static_cast<double>(batch_size);
  return Ftrl({.learning_rate = m.learning_rate > 0 ? m.learning_rate : linear_rate(m.columns),
               .l1 = m.l1 / batch,
               .l2 = m.l2 / (2 * batch)});
}

// FTRL without a rate gets that of linear models.
OptimizerChoice wide_optimizer(const WideDeep& m) {
  const auto* named = std::get_if<NamedOptimizer>(&m.linear_optimizer);
  if (named == nullptr || named->name != "ftrl" || named->learning_rate != 0) {
    return m.linear_optimizer;
  }
  NamedOptimizer result = *named;
  result.learning_rate = linear_rate(m.linear_columns);
  return result;
}

Solver baseline_solver(const HeadSpec& spec, const Head& head);

// The logit that gives the prior.
void add_prior_logits(const HeadSpec& spec, const LabelSpec& label, std::vector<float>& logits) {
  constexpr double kLeast = 1e-7;  // keeps a class that never occurs at a finite logit
  const auto clipped = [&](double p) { return std::min(std::max(p, kLeast), 1 - kLeast); };
  const auto logit = [&](double p) { return std::log(clipped(p) / (1 - clipped(p))); };
  std::vector<double> values;
  switch (spec.kind) {
    case HeadKind::kClassification:
      if (label.prior.size() == 2) {
        values = {logit(label.prior[1])};
      } else {
        for (const double p : label.prior) values.push_back(std::log(clipped(p)));
      }
      break;
    case HeadKind::kMultiLabel:
      for (const double p : label.prior) values.push_back(logit(p));
      break;
    case HeadKind::kPoisson:
      for (const double mean : label.prior) values.push_back(std::log(std::max(mean, kLeast)));
      break;
    case HeadKind::kRegression:
    case HeadKind::kQuantile: values = label.prior; break;
    case HeadKind::kMulti:
      for (size_t i = 0; i < spec.parts.size(); ++i) {
        add_prior_logits(spec.parts[i].head, label.parts.at(i), logits);
      }
      break;
  }
  logits.insert(logits.end(), values.begin(), values.end());
}

Solver baseline_solver(const HeadSpec& spec, const Head& head) {
  std::vector<float> logits;
  add_prior_logits(spec, head.label(), logits);
  return [logits](const SolverTask& task) {
    const Shape shape{static_cast<int64_t>(logits.size())};
    task.variables.set("baseline/bias", Tensor::from(std::span<const float>(logits), shape));
    SolverResult result{.message = "finished: the shares or means of the training rows",
                        .iterations = 1};
    EpochRecord record;
    record.epoch = record.step = 1;
    record.train = task.evaluate(task.training);
    if (task.validation != nullptr) record.validation = task.evaluate(*task.validation);
    result.history.push_back(record);
    task.report(record);
    return result;
  };
}

Solver linear_solver(const Linear& m, const Transform& transform, const HeadSpec& spec,
                     const Head& head) {
  linear::LinearProblem problem{.prepared = transform.prepared(),
                                .terms = linear::linear_terms(transform, m.columns),
                                .loss = linear::linear_loss(spec, head),
                                .l1 = m.l1,
                                .l2 = m.l2,
                                .tolerance = m.tolerance,
                                .most_iterations = m.most_iterations};
  return m.solver == LinearSolver::kSdca ? linear::make_sdca_solver(std::move(problem))
                                         : linear::make_lbfgs_solver(std::move(problem));
}

TreeGoal goal_of(const HeadSpec& spec, const Head& head) {
  switch (spec.kind) {
    case HeadKind::kClassification:
      return head.outputs() == 1 ? TreeGoal::kBinary : TreeGoal::kMultiClass;
    case HeadKind::kMultiLabel: return TreeGoal::kMultiLabel;
    case HeadKind::kRegression: return TreeGoal::kSquaredError;
    case HeadKind::kPoisson: return TreeGoal::kPoisson;
    case HeadKind::kQuantile: return TreeGoal::kQuantile;
    case HeadKind::kMulti: break;
  }
  throw unimplemented("trees learn one head; for several heads use a dnn or wide and deep model");
}

EpochRecord record_of(const TreeRound& round) {
  EpochRecord record;
  record.epoch = record.step = round.round;
  if (round.training_loss) record.train = {{"loss", *round.training_loss}};
  if (round.validation_loss) record.validation = {{"loss", *round.validation_loss}};
  return record;
}

template <class Model>
Solver tree_solver(const Model& model, TreeTraining (*train)(const Model&, const TreeTask&),
                   const PreparedSpec& prepared, const HeadSpec& spec, const Head& head) {
  const TreeGoal goal = goal_of(spec, head);
  std::vector<double> quantiles = spec.quantiles;
  std::ranges::sort(quantiles);  // as outputs are
  return [=, outputs = head.outputs()](const SolverTask& task) {
    const auto rows_of = [&](const SolverRows& rows) {
      return TreeRows{tree_matrix(prepared, rows.inputs), rows.labels, rows.weights};
    };
    const TreeRows training = rows_of(task.training);
    std::optional<TreeRows> validation;
    if (task.validation != nullptr) validation = rows_of(*task.validation);
    const TreeTraining trained = train(model, {.goal = goal,
                                               .outputs = outputs,
                                               .quantiles = quantiles,
                                               .training = training,
                                               .validation = validation ? &*validation : nullptr,
                                               .patience = task.options.patience,
                                               .seed = task.seed,
                                               .columns = tree_columns(prepared),
                                               .after_round = [&](const TreeRound& round) {
                                                 if (task.report) task.report(record_of(round));
                                                 return !task.stop_requested();
                                               }});
    set_tree_variables(task.variables, trained.ensemble);
    SolverResult result{.message = trained.message,
                        .interrupted = trained.interrupted,
                        .stopped_early = trained.stopped_early,
                        .best_iteration = trained.best_round};
    for (const TreeRound& round : trained.history) {
      result.iterations = round.round;
      if (round.training_loss || round.validation_loss) result.history.push_back(record_of(round));
    }
    Json importance = Json::object();
    const std::vector<std::string> names = tree_columns(prepared);
    for (size_t i = 0; i < names.size(); ++i) importance[names[i]] = trained.importance.at(i);
    result.structure =
        Json{{"shape", to_json(trained.ensemble.shape)}, {"importance", importance}}.dump(
            -1, ' ', false, Json::error_handler_t::replace);
    return result;
  };
}

}  // namespace

std::vector<OptimizerShare> table_optimizers(const TableModel& model, int64_t batch_size,
                                             int64_t steps) {
  if (const auto* linear = std::get_if<Linear>(&model)) return {{"", ftrl_of(*linear, batch_size)}};
  if (const auto* dnn = std::get_if<Dnn>(&model)) {
    return {{"", make_optimizer(dnn->optimizer, steps)}};
  }
  if (const auto* both = std::get_if<WideDeep>(&model)) {
    return {{"linear/", make_optimizer(wide_optimizer(*both), steps)},
            {"", make_optimizer(both->dnn_optimizer, steps)}};
  }
  return {{"", make_optimizer(std::get<Custom>(model).optimizer, steps)}};
}

Solver table_solver(const TableModel& model, const Transform& transform, const HeadSpec& spec,
                    const Head& head) {
  if (std::holds_alternative<Baseline>(model)) return baseline_solver(spec, head);
  if (const auto* linear = std::get_if<Linear>(&model)) {
    if (linear->solver == LinearSolver::kFtrl) return {};
    return linear_solver(*linear, transform, spec, head);
  }
  if (const auto* trees = std::get_if<BoostedTrees>(&model)) {
    return tree_solver(*trees, train_boosted_trees, transform.prepared(), spec, head);
  }
  if (const auto* forest = std::get_if<Forest>(&model)) {
    return tree_solver(*forest, train_forest, transform.prepared(), spec, head);
  }
  return {};
}

std::string training_text(const TableModel& model) {
  if (std::holds_alternative<Baseline>(model)) return "none";
  if (is_trees(model)) {
    return std::holds_alternative<Forest>(model) ? "random forest" : "gradient boosting";
  }
  if (const auto* linear = std::get_if<Linear>(&model)) {
    if (linear->solver == LinearSolver::kLbfgs) return "L-BFGS";
    if (linear->solver == LinearSolver::kSdca) return "SDCA";
    return str("ftrl, learning rate ",
               linear->learning_rate > 0 ? linear->learning_rate : linear_rate(linear->columns));
  }
  if (const auto* dnn = std::get_if<Dnn>(&model)) return to_string(dnn->optimizer);
  if (const auto* both = std::get_if<WideDeep>(&model)) {
    return str("linear part: ", to_string(wide_optimizer(*both)),
               "; deep part: ", to_string(both->dnn_optimizer));
  }
  return to_string(std::get<Custom>(model).optimizer);
}

std::optional<NamedOptimizer> named_optimizer(const TableModel& model) {
  const auto named = [](const OptimizerChoice& choice) -> std::optional<NamedOptimizer> {
    if (const auto* named = std::get_if<NamedOptimizer>(&choice)) return *named;
    return {};
  };
  if (const auto* dnn = std::get_if<Dnn>(&model)) return named(dnn->optimizer);
  if (const auto* both = std::get_if<WideDeep>(&model)) return named(both->dnn_optimizer);
  if (const auto* custom = std::get_if<Custom>(&model)) return named(custom->optimizer);
  return {};
}

}  // namespace thalweg
