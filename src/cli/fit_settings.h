// The options of `thalweg fit`, and what they come to together with defaults or with the training
// that is gone on with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/common_options.h"
#include "cli/data_source.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {

struct FitArguments {
  DataOptions source;
  TrainingRequest request;
  CommonOptions common;
  std::optional<std::string> out, network, optimizer, schedule;
  std::optional<int64_t> epochs, batch_size, seed, patience, checkpoint_every;
  std::optional<double> learning_rate, validation_split;
  bool overwrite = false, resume = false, dry_run = false, no_progress = false;

  void declare(Options& options);
  /// Throws UsageError for values that cannot be, and options that exclude each other.
  void check() const;
};

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
