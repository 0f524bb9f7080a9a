// What the options of `thalweg fit` come to on images, together with defaults or with the training
// that is gone on with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/data_source.h"
#include "cli/fit_arguments.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {

/// All that a training needs.
struct FitPlan {
  std::unique_ptr<Estimator> model;
  std::string network;  // for people
  std::string network_json;
  FitOptions options;
};

/// `record`: of the training to go on with, whose settings hold; an option that contradicts them is
/// a UsageError. Null: a new one.
FitPlan plan_fit(const FitArguments& arguments, const TrainingData& data,
                 const ModelRecord* record);

}  // namespace thalweg::cli
