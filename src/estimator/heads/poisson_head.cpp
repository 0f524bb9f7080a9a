// Counts and rates: the network's number is the logarithm of the mean.
#include "estimator/heads/kinds.h"
#include "estimator/heads/value_head.h"
#include "estimator/heads/value_score.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/numeric.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

class PoissonHead : public ValueHead {
 public:
  PoissonHead(const HeadSpec& spec, LabelSpec label)
      : ValueHead(to_string(spec.kind), spec.labels, std::move(label), 0) {
    label_.standardized = false;  // the logarithm of a mean is in no unit
  }

  std::unique_ptr<Head> clone() const override { return std::make_unique<PoissonHead>(*this); }
  int64_t outputs() const override { return 1; }

  // Half the deviance: the negative log-likelihood but for what the labels alone decide, so that 0
  // is the best there can be.
  Output loss(Output labels, Output output, Output weights) const override {
    const Output logarithm = reshape(output, {-1});
    const Output y = reshape(labels, {-1});
    return losses::reduce(exp(logarithm) - y * logarithm + (xlogy(y, y) - y), weights);
  }

  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    Metric absolute = metrics::mean_absolute_error(labels, exp(reshape(output, {-1})), weights);
    absolute.name = "mae";
    return {std::move(absolute)};
  }

  Output predictions(Output output) const override { return exp(output); }
  std::vector<std::string> prediction_names() const override { return {"prediction"}; }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<ValueScore>(names_, label_.prior, true);
  }
};

}  // namespace

std::unique_ptr<Head> make_poisson_head(const HeadSpec& spec, LabelSpec label) {
  return std::make_unique<PoissonHead>(spec, std::move(label));
}

}  // namespace thalweg
