#include <array>
#include <span>
#include <utility>

#include "thalweg/base/error.h"
#include "thalweg/estimator/heads.h"

namespace thalweg {
namespace {

constexpr std::array<std::string_view, 6> kKinds = {"classification", "multi_label", "regression",
                                                    "poisson",        "quantile",    "multi"};

}  // namespace

std::string_view to_string(HeadKind kind) { return kKinds[static_cast<size_t>(kind)]; }

HeadKind parse_head_kind(std::string_view name) {
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == name) return static_cast<HeadKind>(i);
  }
  std::vector<std::string> names(kKinds.begin(), kKinds.end());
  throw invalid_argument("there is no kind of head '", name, "', only ", join(names, ", "));
}

namespace heads {

HeadSpec classification(std::string label) {
  HeadSpec spec;
  spec.labels = {std::move(label)};
  return spec;
}

HeadSpec multi_label(std::vector<std::string> labels) {
  HeadSpec spec;
  spec.kind = HeadKind::kMultiLabel;
  spec.labels = std::move(labels);
  return spec;
}

HeadSpec regression(std::vector<std::string> labels) {
  HeadSpec spec;
  spec.kind = HeadKind::kRegression;
  spec.labels = std::move(labels);
  return spec;
}

HeadSpec poisson(std::string label) {
  HeadSpec spec;
  spec.kind = HeadKind::kPoisson;
  spec.labels = {std::move(label)};
  return spec;
}

HeadSpec quantile(std::string label, std::vector<double> quantiles) {
  HeadSpec spec;
  spec.kind = HeadKind::kQuantile;
  spec.labels = {std::move(label)};
  spec.quantiles = std::move(quantiles);
  return spec;
}

HeadSpec multi(std::vector<HeadSpec::Part> parts) {
  HeadSpec spec;
  spec.kind = HeadKind::kMulti;
  spec.parts = std::move(parts);
  return spec;
}

}  // namespace heads
}  // namespace thalweg
