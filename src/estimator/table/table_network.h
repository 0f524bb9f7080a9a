// What each family of models of tables makes of prepared tensors, and how it is trained.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "estimator/fit_run.h"
#include "estimator/trees/tree_network.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg {

/// The columns that a transform is to be fitted to, each once.
std::vector<FeatureColumn> columns_of(const TableModel& model);
/// Whether it is trees, which take numbers as they are.
bool is_trees(const TableModel& model);
/// Whether it learns numbers in their own units rather than standardised.
bool learns_own_units(const TableModel& model);
/// Throws invalid_argument for options that cannot be right, and a Custom without a function.
void check_model(const TableModel& model);

/// From prepared tensors to logits. `structure`: see SolverResult; needed for trees alone.
/// `form`: of trees. Layers are made once, so that both modes share their weights.
using TableNetwork = std::function<Output(const std::vector<Output>&, Mode)>;
TableNetwork make_network(const TableModel& model, const Transform& transform, const Head& head,
                          const std::string& structure, TreeForm form = TreeForm::kNative);

/// The inputs of the network: the transform's prepared tensors, or, where there are none, "rows"
/// float32, whose values do not matter.
data::Spec network_inputs(const Transform& transform);

/// The model's parts for its graph, which takes weights.
ModelParts table_parts(const TableModel& model, const Transform& transform, const Head& head,
                       const std::string& structure);

/// How a model is trained: by one or two optimizers, or by a solver.
std::vector<OptimizerShare> table_optimizers(const TableModel& model, int64_t batch_size,
                                             int64_t steps);
/// Empty for those that are trained by steps.
Solver table_solver(const TableModel& model, const Transform& transform, const HeadSpec& spec,
                    const Head& head);
/// For records: equal texts, equal trainings.
std::string training_text(const TableModel& model);
/// The optimizer by name, where there is one.
std::optional<NamedOptimizer> named_optimizer(const TableModel& model);

}  // namespace thalweg
