// Figures of a report, with the reason beside each that is undefined.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "thalweg/estimator/evaluation_report.h"

namespace thalweg {

class FigureList {
 public:
  explicit FigureList(EvaluationReport& report) : report_(report) {}
  /// `reason`: why `value` may be NaN; one that no reason is given for is the predictions' fault.
  void add(std::string name, double value, std::string reason = {}) {
    if (std::isnan(value)) {
      value = std::abs(value);  // 0 / 0 has a sign, which would be shown
      if (reason.empty()) reason = "predictions are infinite or no numbers";
      report_.undefined.emplace_back(
          name, report_.weight > 0 ? std::move(reason) : "the weights of all rows are 0");
    }
    report_.metrics.push_back({std::move(name), value});
  }

 private:
  EvaluationReport& report_;
};

}  // namespace thalweg
