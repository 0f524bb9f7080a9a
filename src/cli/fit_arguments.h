// The options of `thalweg fit`.
#pragma once

#include <optional>
#include <string>

#include "cli/common_options.h"
#include "cli/data_options.h"

namespace thalweg::cli {

struct TrainingRequest {
  std::optional<std::string> label;
  std::optional<std::string> task;
  std::optional<std::string> class_names;  // with commas
};

struct FitArguments {
  DataOptions source;
  TrainingRequest request;
  CommonOptions common;
  std::optional<std::string> out, network, optimizer, schedule;
  std::optional<int64_t> epochs, batch_size, seed, patience, checkpoint_every;
  std::optional<double> learning_rate, validation_split;
  bool overwrite = false, resume = false, dry_run = false, no_progress = false;

  // Of tables.
  std::optional<std::string> weight, class_weights, positive, quantiles, ids, ignore, types;
  std::optional<std::string> validation, test, hidden_units, activation, solver;
  std::optional<int64_t> trees, depth;
  std::optional<double> dropout, l1, l2;
  bool strict = false, drop_unlabelled = false, batch_norm = false;

  void declare(Options& options);
  /// Throws UsageError for values that cannot be, and options that exclude each other.
  void check() const;
  /// Throws UsageError when an option is given that says nothing of images, or of tables.
  void check_is_for_images(const Options& options) const;
  void check_is_for_tables(const Options& options) const;
};

/// Names of --task: those of tables, of which two are for images.
inline constexpr std::string_view kClassification = "classification";
inline constexpr std::string_view kMultiLabel = "multi-label";
inline constexpr std::string_view kRegression = "regression";
inline constexpr std::string_view kPoisson = "poisson";
inline constexpr std::string_view kQuantile = "quantile";

/// Options that a config file of a model leaves out: they are of one call.
inline constexpr std::string_view kOptionsOfOneCall[] = {
    "out", "overwrite", "resume", "dry-run", "no-progress", "json", "quiet", "color", "threads"};

}  // namespace thalweg::cli
