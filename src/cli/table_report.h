// What `thalweg fit` says of a table: before the training with --dry-run, and after it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/gather_facts.h"
#include "cli/table_training.h"

namespace thalweg::cli {

/// What was detected, and the models that would be trained: `families` with the defaults of `a`.
/// `compares`: whether they are candidates.
std::string dry_run_text(const FitContext& context, const FitArguments& a,
                         const std::vector<std::string>& families, bool compares);

/// Measures a trained model and gathers all facts but those of options: settings, and the command
/// to go on with. `test` may be null.
TableFitFacts report_training(const FitContext& context, const TableTraining& training,
                              const Choice& choice, const data::TableSource* test,
                              const std::string& folder);

/// Writes the files beside the model; a failure is a warning, as the model is there.
void write_reports(const TableFitFacts& facts, const std::string& config, const Console& console);

}  // namespace thalweg::cli
