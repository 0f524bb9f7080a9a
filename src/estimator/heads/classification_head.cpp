// One class of several: of a table's model, and of a Classifier.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimator/heads/class_labels.h"
#include "estimator/heads/class_score.h"
#include "estimator/heads/example_weights.h"
#include "estimator/heads/kinds.h"
#include "thalweg/base/error.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/normalization.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

class ClassificationHead : public Head {
 public:
  /// A Classifier's: a logit for each class, also of two.
  explicit ClassificationHead(LabelSpec label)
      : Head(std::move(label)), kind_("classifier"), is_classifier_(true) {}
  ClassificationHead(const HeadSpec& spec, LabelSpec label)
      : Head(std::move(label)), kind_(to_string(spec.kind)), spec_(spec) {
    if (label_.class_names.empty()) label_.class_names = spec.classes;
    if (!label_.class_names.empty()) check_spec();
  }

  std::string_view kind() const override { return kind_; }
  std::unique_ptr<Head> clone() const override {
    return std::make_unique<ClassificationHead>(*this);
  }

  DType label_dtype() const override { return kInt64; }

  void learn_labels(const Tensor& labels) override {
    learn_classes(label_, labels);
    check_spec();
  }

  void learn_training_labels(const Tensor& encoded, const Tensor& weights) override {
    const int64_t rows = encoded.dim(0);
    check_training_weights(weights, rows);
    const auto weight = weight_span(weights);
    std::vector<double> counts(classes()), shares(classes());
    double total = 0;
    size_t row = 0;
    for (const int64_t label : encoded.data<int64_t>()) {
      const double w = weight_at(weight, row++);
      counts[static_cast<size_t>(label)] += 1;
      shares[static_cast<size_t>(label)] += w;
      total += w;
    }
    for (double& share : shares) share /= total;
    label_.prior = shares;
    learn_class_weights(counts, static_cast<double>(rows));
    if (!label_.class_weights.empty())
      check_training_weights(training_weights(encoded, weights), rows);
  }

  Tensor encode(const Tensor& labels) const override { return encode_classes(label_, labels); }

  Tensor training_weights(const Tensor& encoded, const Tensor& weights) const override {
    if (label_.class_weights.empty()) return weights;
    const auto weight = weight_span(weights);
    Tensor result(kFloat32, {encoded.dim(0)});
    const auto out = result.mutable_data<float>();
    size_t row = 0;
    for (const int64_t label : encoded.data<int64_t>()) {
      const double factor = label_.class_weights[static_cast<size_t>(label)];
      out[row] = static_cast<float>(factor * weight_at(weight, row));
      ++row;
    }
    return result;
  }

  data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const override {
    return data::stratified_split(encoded, fraction, seed);
  }

  int64_t outputs() const override { return has_one_logit() ? 1 : static_cast<int64_t>(classes()); }

  void check_output(const Output& output) const override {
    const Shape wanted{kUnknownDim, outputs()};
    if (output.shape().has_rank() && output.shape().rank() == 2 &&
        output.shape().is_compatible_with(wanted)) {
      return;
    }
    throw invalid_argument("the network gives ", output.shape(), ", but there are ", classes(),
                           " classes (", listed(label_.class_names), "), so ", wanted,
                           " is expected: end it with a Dense of ", outputs(),
                           outputs() == 1 ? " unit" : " units");
  }

  Output loss(Output labels, Output output, Output weights) const override {
    if (!has_one_logit()) return losses::sparse_softmax_cross_entropy(labels, output, weights);
    return losses::sigmoid_cross_entropy(labels, reshape(output, {-1}), weights);
  }

  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    // Of one logit by the probabilities, so that 0 counts for the first class as everywhere.
    return {metrics::accuracy(labels, has_one_logit() ? predictions(output) : output, weights)};
  }

  Output predictions(Output output) const override {
    if (!has_one_logit()) return softmax(output);
    // Not 1 - p, which is 0 where p is near 1.
    return concat({sigmoid(-output), sigmoid(output)}, 1);
  }

  Shape prediction_shape(int64_t rows) const override {
    return {rows, static_cast<int64_t>(classes())};
  }
  std::vector<std::string> prediction_names() const override { return label_.class_names; }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<ClassScore>(label_, positive());
  }

  std::vector<Figure> baseline(const Tensor& encoded, const Tensor& weights) const override {
    const auto weight = weight_span(weights);
    std::vector<double> support(classes());
    size_t row = 0;
    for (const int64_t label : encoded.data<int64_t>()) {
      support[static_cast<size_t>(label)] += weight_at(weight, row++);
    }
    std::vector<Figure> figures = class_baseline(support, class_shares(label_), positive());
    if (is_classifier_) figures.resize(1);  // what its lines of progress have, too
    return figures;
  }

 private:
  size_t classes() const { return label_.class_names.size(); }
  bool has_one_logit() const { return !is_classifier_ && classes() == 2; }

  size_t place_of(const std::string& name, std::string_view what) const {
    const auto found = std::ranges::find(label_.class_names, name);
    if (found != label_.class_names.end()) {
      return static_cast<size_t>(found - label_.class_names.begin());
    }
    throw invalid_argument(what, " '", name, "', which is none of the ", classes(),
                           " classes: ", listed(label_.class_names));
  }

  size_t positive() const {
    return spec_.positive.empty() ? classes() - 1 : place_of(spec_.positive, "positive is");
  }

  void check_spec() const {
    check_class_names(label_.class_names);
    positive();
    if (!spec_.positive.empty() && classes() != 2) {
      throw invalid_argument("positive is '", spec_.positive, "', but there are ", classes(),
                             " classes; it says which of two is spoken of");
    }
    for (const auto& [name, weight] : spec_.class_weights.given) {
      place_of(name, "class weights name");
    }
  }

  void learn_class_weights(const std::vector<double>& counts, double rows) {
    const ClassWeights& wanted = spec_.class_weights;
    label_.class_weights = {};
    if (!wanted.balanced && wanted.given.empty()) return;
    label_.class_weights.assign(classes(), 1);
    for (size_t k = 0; k < classes(); ++k) {
      if (wanted.balanced) {
        // A class without rows is not weighed.
        if (counts[k] > 0) {
          label_.class_weights[k] = rows / (static_cast<double>(classes()) * counts[k]);
        }
      } else if (const auto found = wanted.given.find(label_.class_names[k]);
                 found != wanted.given.end()) {
        label_.class_weights[k] = found->second;
      }
    }
  }

  std::string_view kind_;
  bool is_classifier_ = false;
  HeadSpec spec_ = {};
};

}  // namespace

std::unique_ptr<Head> make_classifier_head(LabelSpec label) {
  return std::make_unique<ClassificationHead>(std::move(label));
}

std::unique_ptr<Head> make_classification_head(const HeadSpec& spec, LabelSpec label) {
  return std::make_unique<ClassificationHead>(spec, std::move(label));
}

}  // namespace thalweg
