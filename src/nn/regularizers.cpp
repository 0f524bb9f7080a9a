#include "thalweg/nn/regularizers.h"

#include <cmath>

#include "nn/call_text.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

const std::vector<CallForm>& forms() {
  static const std::vector<CallForm> kForms = {
      {"none"}, {"l1", {"factor"}}, {"l2", {"factor"}}, {"l1_l2", {"l1", "l2"}}};
  return kForms;
}

}  // namespace

Regularizer::Regularizer(double l1, double l2) : l1_(l1), l2_(l2) {
  for (const double factor : {l1, l2}) {
    if (!(factor >= 0 && std::isfinite(factor))) {
      throw invalid_argument("regularizer: a factor of at least 0 is wanted, got ", factor);
    }
  }
}

Regularizer::Regularizer(std::string_view text) {
  const CallText call = parse_call("regularizer", text, forms());
  if (call.name == "l1") *this = Regularizer(call.arguments[0], 0);
  if (call.name == "l2") *this = Regularizer(0, call.arguments[0]);
  if (call.name == "l1_l2") *this = Regularizer(call.arguments[0], call.arguments[1]);
}

Output Regularizer::operator()(Output weights) const {
  const Output sum_abs = l1_ == 0 ? Output() : reduce_sum(abs(weights)) * l1_;
  const Output sum_squares = l2_ == 0 ? Output() : reduce_sum(square(weights)) * l2_;
  if (sum_abs && sum_squares) return sum_abs + sum_squares;
  if (sum_abs || sum_squares) return sum_abs ? sum_abs : sum_squares;
  return reduce_sum(weights * 0.0);
}

std::string Regularizer::to_string() const {
  if (l1_ != 0 && l2_ != 0) return str("l1_l2(", l1_, ", ", l2_, ")");
  if (l1_ != 0) return str("l1(", l1_, ")");
  return l2_ != 0 ? str("l2(", l2_, ")") : "none";
}

}  // namespace thalweg
