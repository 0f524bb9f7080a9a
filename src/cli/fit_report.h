// What `thalweg fit` says at its end: one set of facts, as text or as JSON.
#pragma once

#include <optional>
#include <string>

#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {

struct FitFacts {
  std::string folder;
  std::string data;     // path
  std::string network;  // "cnn", or the file
  FitReport report;
  std::optional<EvaluationReport> test;
  std::string next_command;
};

std::string report_text(const FitFacts& facts, const ModelRecord& record);
std::string report_json(const FitFacts& facts, const ModelRecord& record);

/// "T-shirt/top 6,000, Trouser 6,000": classes with their rows.
std::string classes_with_counts(const LabelSpec& label);

}  // namespace thalweg::cli
