// The models that --model can name for a table, and which options speak to which of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/fit_arguments.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg::cli {

class Options;

/// How a model takes columns in.
enum class ColumnUse { kLinear, kDense, kTrees };
using ColumnsFor = std::function<std::vector<FeatureColumn>(ColumnUse)>;

/// "auto", "linear", "boosted-trees", "forest", "dnn", "wide-deep", "baseline", or "file" for a
/// .json file. Throws UsageError, with the nearest name, for others.
std::string model_family(const FitArguments& a);

/// Throws UsageError for an option that says nothing to the family, naming those that it is of.
void check_options_of(const FitArguments& a, const Options& options, std::string_view family);

/// What is not given becomes the family's default; `rows` of training.
void fill_defaults(FitArguments& a, std::string_view family, int64_t rows);

/// `a` with its defaults filled in. Throws UsageError, and invalid_argument for a network file that
/// cannot be read.
TableModel make_table_model(const FitArguments& a, std::string_view family,
                            const ColumnsFor& columns);
/// The model of a network file: what a Custom model is saved without.
Custom make_file_model(const std::string& path, std::vector<FeatureColumn> columns,
                       OptimizerChoice optimizer);

/// "boosted trees, at most 300 of depth 6": for people. `a` as above.
std::string describe_model(const FitArguments& a, std::string_view family);

}  // namespace thalweg::cli
