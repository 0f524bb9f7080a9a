// Several labels an example, each there or not, independent of the others.
#include <cmath>

#include "estimator/heads/class_labels.h"
#include "estimator/heads/example_weights.h"
#include "estimator/heads/kinds.h"
#include "estimator/heads/multi_label_score.h"
#include "thalweg/base/error.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

class MultiLabelHead : public Head {
 public:
  MultiLabelHead(const HeadSpec& spec, LabelSpec label)
      : Head(std::move(label)), kind_(to_string(spec.kind)) {
    if (label_.class_names.empty()) {
      label_.class_names = spec.labels.size() > 1 ? spec.labels : spec.classes;
    }
    if (label_.class_names.empty()) {
      throw invalid_argument("multi_label: no labels are known; learn them from the rows first");
    }
  }

  std::string_view kind() const override { return kind_; }
  std::unique_ptr<Head> clone() const override { return std::make_unique<MultiLabelHead>(*this); }

  DType label_dtype() const override { return kFloat32; }
  Shape label_shape(int64_t rows) const override { return {rows, outputs()}; }

  void learn_labels(const Tensor& labels) override {
    const Tensor encoded = encode(labels);
    label_.class_counts.assign(classes(), 0);
    size_t i = 0;
    for (const float value : encoded.data<float>()) {
      if (value == 1) ++label_.class_counts[i % classes()];
      ++i;
    }
  }

  void learn_training_labels(const Tensor& encoded, const Tensor& weights) override {
    check_training_weights(weights, encoded.dim(0));
    const auto weight = weight_span(weights);
    const auto labels = encoded.data<float>();
    label_.prior.assign(classes(), 0);
    double total = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      const double w = weight_at(weight, i / classes());
      label_.prior[i % classes()] += w * labels[i];
      if (i % classes() == 0) total += w;
    }
    for (double& share : label_.prior) share /= total;
  }

  Tensor encode(const Tensor& labels) const override {
    if (labels.rank() != 2 || labels.dim(1) != outputs() ||
        (!is_numeric(labels.dtype()) && labels.dtype() != kBool)) {
      throw invalid_argument("labels are ", labels.dtype(), labels.shape(),
                             ", expected numbers 0 and 1 of shape ", label_shape(kUnknownDim), ": ",
                             listed(label_.class_names));
    }
    const Tensor encoded = labels.dtype() == kFloat32 ? labels : labels.cast(kFloat32);
    size_t i = 0;
    for (const float value : encoded.data<float>()) {
      if (value != 0 && value != 1) {
        throw invalid_argument("the label '", label_.class_names[i % classes()], "' of row ",
                               i / classes() + 1, " is ", value, ", expected 0 or 1");
      }
      ++i;
    }
    return encoded;
  }

  data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const override {
    return data::random_split(encoded.dim(0), fraction, seed);
  }

  int64_t outputs() const override { return static_cast<int64_t>(classes()); }

  void check_output(const Output& output) const override {
    const Shape wanted{kUnknownDim, outputs()};
    if (output.shape().has_rank() && output.shape().rank() == 2 &&
        output.shape().is_compatible_with(wanted)) {
      return;
    }
    throw invalid_argument("the network gives ", output.shape(), ", but there are ", classes(),
                           " labels (", listed(label_.class_names), "), so ", wanted,
                           " is expected: end it with a Dense of ", outputs(), " units");
  }

  Output loss(Output labels, Output output, Output weights) const override {
    return losses::sigmoid_cross_entropy(labels, output, weights);
  }
  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    Metric right = metrics::binary_accuracy(labels, output, 0, weights);
    right.name = "label_accuracy";
    return {std::move(right)};
  }
  Output predictions(Output output) const override { return sigmoid(output); }
  Shape prediction_shape(int64_t rows) const override { return {rows, outputs()}; }
  std::vector<std::string> prediction_names() const override { return label_.class_names; }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<MultiLabelScore>(label_);
  }
  std::vector<Figure> baseline(const Tensor& encoded, const Tensor& weights) const override {
    MultiLabelScore score(label_);
    score.add(encoded, encoded, weights, 0);
    return score.baseline();
  }

 private:
  size_t classes() const { return label_.class_names.size(); }

  std::string_view kind_;
};

}  // namespace

std::unique_ptr<Head> make_multi_label_head(const HeadSpec& spec, LabelSpec label) {
  return std::make_unique<MultiLabelHead>(spec, std::move(label));
}

}  // namespace thalweg
