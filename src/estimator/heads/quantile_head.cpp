// Quantiles of a number by the pinball loss, an output each, ascending. Koenker and Bassett,
// Econometrica 46, 1978.
#include <algorithm>

#include "estimator/heads/kinds.h"
#include "estimator/heads/quantile_score.h"
#include "estimator/heads/value_head.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"

namespace thalweg {
namespace {

class QuantileHead : public ValueHead {
 public:
  QuantileHead(const HeadSpec& spec, LabelSpec label)
      : ValueHead(to_string(spec.kind), spec.labels, std::move(label)), quantiles_(spec.quantiles) {
    std::ranges::sort(quantiles_);
  }

  std::unique_ptr<Head> clone() const override { return std::make_unique<QuantileHead>(*this); }
  int64_t outputs() const override { return static_cast<int64_t>(quantiles_.size()); }

  Output loss(Output labels, Output output, Output weights) const override {
    return losses::reduce(pinball(standardize(labels), output), weights);
  }

  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    return {metrics::mean("pinball", pinball(labels, predictions(output)), weights)};
  }

  // Outputs learn apart and may cross; in ascending order they are never farther from the true
  // quantiles (Chernozhukov, Fernandez-Val and Galichon, Econometrica 78, 2010).
  Output predictions(Output output) const override {
    const Output ascending = outputs() == 1 ? output : -top_k(-output, outputs()).values;
    return restore(ascending);
  }

  std::vector<std::string> prediction_names() const override {
    std::vector<std::string> names;
    for (const double q : quantiles_) names.push_back(str("q", q));
    return names;
  }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<QuantileScore>(quantiles_, label_.prior);
  }

 protected:
  std::vector<double> guesses(const Tensor& encoded, const Tensor& weights) const override {
    std::vector<double> result;
    const auto weight = weights.is_valid() ? weights.data<float>() : std::span<const float>();
    for (const double q : quantiles_) {
      result.push_back(weighted_quantile(encoded.data<float>(), q, weight));
    }
    return result;
  }

 private:
  // [batch, quantiles] of labels [batch].
  Output pinball(const Output& labels, const Output& values) const {
    Tensor q(kFloat32, {outputs()});
    std::ranges::copy(quantiles_, q.mutable_data<float>().begin());
    const Output shares = constant(values.graph(), q);
    const Output error = reshape(labels, {-1, 1}) - values;
    return maximum(shares * error, (shares - 1.0) * error);
  }

  std::vector<double> quantiles_;
};

}  // namespace

std::unique_ptr<Head> make_quantile_head(const HeadSpec& spec, LabelSpec label) {
  return std::make_unique<QuantileHead>(spec, std::move(label));
}

}  // namespace thalweg
