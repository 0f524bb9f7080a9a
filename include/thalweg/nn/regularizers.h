// Penalties on the size of weights, added to the loss.
#pragma once

#include <string>
#include <string_view>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// `l1 * sum |w| + l2 * sum w^2`. A value; the default penalises nothing.
class Regularizer {
 public:
  Regularizer() = default;
  /// Both at least 0 and finite; throws invalid_argument.
  Regularizer(double l1, double l2);
  /// Reads the text form: "l1(0.01)", "l2(0.01)", "l1_l2(0.01, 0.001)", "none". Throws
  /// invalid_argument with the nearest name.
  Regularizer(std::string_view text);  // NOLINT: `.x = "l2(1e-4)"`
  Regularizer(const char* text) : Regularizer(std::string_view(text)) {}  // NOLINT

  explicit operator bool() const { return l1_ != 0 || l2_ != 0; }
  double l1() const { return l1_; }
  double l2() const { return l2_; }

  /// The penalty, a scalar of the dtype of `weights`.
  Output operator()(Output weights) const;

  /// What the constructor reads.
  std::string to_string() const;
  friend bool operator==(const Regularizer&, const Regularizer&) = default;

 private:
  double l1_ = 0;
  double l2_ = 0;
};

namespace regularizers {

inline Regularizer l1(double factor) { return {factor, 0}; }
inline Regularizer l2(double factor) { return {0, factor}; }
inline Regularizer l1_l2(double l1, double l2) { return {l1, l2}; }

}  // namespace regularizers
}  // namespace thalweg
