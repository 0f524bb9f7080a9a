// All that a TableEstimator is made of.
#pragma once

#include <memory>
#include <optional>

#include "estimator/fitted_model.h"
#include "estimator/table/table_network.h"
#include "estimator/table/table_rows.h"

namespace thalweg {

struct TableEstimator::State : FittedModel {
  // As given when it was made, or loaded.
  HeadSpec spec;
  TableModel family;
  TableEstimatorOptions options;
  TableLimits limits;

  // From the first fit() or load() on.
  std::optional<Transform> transform = {};

  /// Throws invalid_argument for what cannot be right.
  void check() const;
  ModelRecord new_record(const Head& fitted, const Transform& fitted_transform) const;
  /// Ready to predict. Throws failed_precondition when it has learnt nothing yet.
  ModelGraph& ready() const { return FittedModel::ready(options.model_folder); }
};

}  // namespace thalweg
