// Heads: what a model is to learn. Each kind stands once and serves all estimators: labels, loss,
// predictions, metrics, all weighted by example.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// Factors of the examples' weights by class, in training only: metrics count examples as they are.
/// (Of several heads also in the loss of evaluations.)
struct ClassWeights {
  /// rows / (classes * rows of the class), from the training rows.
  bool balanced = false;
  /// Instead: by label; those not named count 1.
  std::map<std::string, double> given = {};
};

enum class HeadKind {
  kClassification,  // one of several classes: softmax cross entropy; two: sigmoid cross entropy of
                    // one logit
  kMultiLabel,      // each class for itself: sigmoid cross entropy; not there where a list is empty
  kRegression,      // mean squared error
  kPoisson,         // counts: exp(logit), half the Poisson deviance
  kQuantile,        // pinball loss; predictions are sorted, so that quantiles do not cross
  kMulti,           // several heads, losses added by weight
};
/// "classification", "multi_label", "regression", "poisson", "quantile", "multi".
std::string_view to_string(HeadKind kind);
/// Throws invalid_argument with the names there are.
HeadKind parse_head_kind(std::string_view name);

/// Which columns hold the labels, and how they are learnt. A value, part of model.json.
struct HeadSpec {
  HeadKind kind = HeadKind::kClassification;
  /// One column; of kMultiLabel one column (0 or 1) a class, or one column with a list of labels;
  /// of kRegression one column an output.
  std::vector<std::string> labels = {};
  /// Column with the examples' weights; empty: all 1. Negative ones are an error, 0 leaves out.
  std::string weight = {};
  ClassWeights class_weights = {};
  /// Order of the classes; empty: numeric, else alphabetical, of those in the data.
  std::vector<std::string> classes = {};
  /// Of two classes, the one that probabilities of metrics such as AUC speak of; empty: the last.
  std::string positive = {};
  std::vector<double> quantiles = {0.1, 0.5, 0.9};
  std::string separator = "|";  // of a list of labels
  struct Part;
  std::vector<Part> parts;  // of kMulti; no initializer: Part is not complete yet
};
struct HeadSpec::Part {
  std::string name;
  HeadSpec head;
  double weight = 1;
};

namespace heads {
HeadSpec classification(std::string label);
HeadSpec multi_label(std::vector<std::string> labels);
HeadSpec regression(std::vector<std::string> labels);
HeadSpec poisson(std::string label);
HeadSpec quantile(std::string label, std::vector<double> quantiles);
HeadSpec multi(std::vector<HeadSpec::Part> parts);
}  // namespace heads

}  // namespace thalweg
