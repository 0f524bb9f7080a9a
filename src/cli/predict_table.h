// thalweg predict and thalweg evaluate with models of tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/data_options.h"
#include "cli/requirement.h"

namespace thalweg::cli {

struct PredictTableArguments {
  std::string folder;
  DataOptions source;
  std::optional<std::string> out;
  std::optional<std::vector<std::string>> ids;  // none: those of the model
  bool json = false;
};
int predict_table(PredictTableArguments arguments, Console& console);

struct EvaluateTableArguments {
  std::string folder;
  DataOptions source;
  std::vector<Requirement> required;
  bool json = false;
};
int evaluate_table(EvaluateTableArguments arguments, Console& console);

}  // namespace thalweg::cli
