// Mistakes in what a head is asked for, before any row is read.
#include <algorithm>
#include <cmath>
#include <set>

#include "estimator/labels.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

void check_names(const std::vector<std::string>& names, std::string_view what) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw invalid_argument("a name of ", what, " is empty");
    if (!seen.insert(name).second) throw invalid_argument(what, " hold '", name, "' twice");
  }
}

void check_count(const HeadSpec& spec) {
  const bool wants_one = spec.kind == HeadKind::kClassification ||
                         spec.kind == HeadKind::kPoisson || spec.kind == HeadKind::kQuantile;
  const bool is_right = spec.kind == HeadKind::kMulti ? spec.labels.empty()
                        : wants_one                   ? spec.labels.size() == 1
                                                      : !spec.labels.empty();
  if (is_right) return;
  throw invalid_argument(spec.kind, " has ", spec.labels.size(), " label columns ", spec.labels,
                         ", expected ",
                         spec.kind == HeadKind::kMulti ? "none: its parts have them"
                         : wants_one                   ? "one"
                                                       : "one or more");
}

void check_class_weights(const HeadSpec& spec) {
  const ClassWeights& weights = spec.class_weights;
  if (!weights.balanced && weights.given.empty()) return;
  if (spec.kind != HeadKind::kClassification) {
    throw invalid_argument("class weights are for classification, but the head is of kind ",
                           spec.kind, "; weigh examples by a column instead");
  }
  if (weights.balanced && !weights.given.empty()) {
    throw invalid_argument("class weights are both balanced and given; choose one");
  }
  for (const auto& [name, weight] : weights.given) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    throw invalid_argument("the weight of the class '", name, "' is ", weight,
                           ", expected a finite number of 0 or more");
  }
}

void check_classes(const HeadSpec& spec) {
  check_names(spec.classes, "classes");
  const bool is_classification = spec.kind == HeadKind::kClassification;
  const bool is_list = spec.kind == HeadKind::kMultiLabel && spec.labels.size() == 1;
  if (!spec.classes.empty() && !is_classification && !is_list) {
    throw invalid_argument(spec.kind, " of ", spec.labels,
                           " has classes, which are for classification and lists of labels");
  }
  if (is_list && spec.separator.empty()) {
    throw invalid_argument("the separator of the list of labels '", spec.labels[0], "' is empty");
  }
  if (!spec.positive.empty() && !is_classification) {
    throw invalid_argument("positive is '", spec.positive, "', which is for classification, not ",
                           spec.kind);
  }
}

void check_quantiles(const HeadSpec& spec) {
  if (spec.quantiles.empty()) throw invalid_argument("quantile has no quantiles, e.g. 0.5");
  std::set<double> seen;
  for (const double q : spec.quantiles) {
    if (!(q > 0 && q < 1)) {
      throw invalid_argument("the quantile ", q, " is not between 0 and 1: 0.5 is the median");
    }
    if (!seen.insert(q).second) throw invalid_argument("the quantile ", q, " is there twice");
  }
}

void check_parts(const HeadSpec& spec) {
  if (spec.kind != HeadKind::kMulti) {
    if (spec.parts.empty()) return;
    throw invalid_argument(spec.kind, " has parts, which are for multi");
  }
  if (spec.parts.empty()) throw invalid_argument("multi has no heads");
  std::vector<std::string> names;
  for (const HeadSpec::Part& part : spec.parts) {
    names.push_back(part.name);
    if (!(part.weight > 0 && std::isfinite(part.weight))) {
      throw invalid_argument("the weight of the head '", part.name, "' is ", part.weight,
                             ", expected a finite number above 0");
    }
    if (part.head.kind == HeadKind::kMulti) {
      throw invalid_argument("the head '", part.name, "' is multi itself; name all heads in one");
    }
    if (!part.head.weight.empty()) {
      throw invalid_argument("the head '", part.name, "' has a weight column of its own, '",
                             part.head.weight, "'; examples are weighed once, for all heads");
    }
    try {
      check_head(part.head);
    } catch (Error& error) {
      error.add_context(str("head '", part.name, "'"));
      throw;
    }
  }
  check_names(names, "names of heads");
}

}  // namespace

void check_head(const HeadSpec& spec) {
  check_count(spec);
  check_names(spec.labels, "label columns");
  check_class_weights(spec);
  check_classes(spec);
  if (spec.kind == HeadKind::kQuantile) check_quantiles(spec);
  check_parts(spec);
  if (spec.weight.empty()) return;
  const std::vector<std::string> columns = label_columns(spec);
  if (std::ranges::count(columns.begin(), columns.end() - 1, spec.weight) > 0) {
    throw invalid_argument("the column '", spec.weight, "' is both label and weight");
  }
}

std::vector<std::string> label_columns(const HeadSpec& spec) {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  };
  for (const std::string& label : spec.labels) add(label);
  for (const HeadSpec::Part& part : spec.parts) {
    for (const std::string& label : part.head.labels) add(label);
  }
  if (!spec.weight.empty()) columns.push_back(spec.weight);
  return columns;
}

}  // namespace thalweg
