// What `evaluate --require` asks of a metric.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "thalweg/estimator/evaluation_report.h"

namespace thalweg::cli {

// "accuracy>=0.9"
struct Requirement {
  std::string text;
  std::string metric;
  std::string comparison;
  double bound = 0;

  bool is_met_by(double value) const {
    if (comparison == ">=") return value >= bound;
    if (comparison == "<=") return value <= bound;
    return comparison == ">" ? value > bound : value < bound;  // false for NaN
  }
};

/// Throws UsageError for what is no metric, comparison and finite bound.
Requirement parse_requirement(const std::string& text);
/// Those that are not met, each with the figure there is. Throws UsageError for a metric that the
/// report does not have.
std::vector<std::string> missed(const std::vector<Requirement>& required,
                                const EvaluationReport& report);

}  // namespace thalweg::cli
