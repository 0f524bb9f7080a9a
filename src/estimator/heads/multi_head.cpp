// Several heads on one network: their logits, labels and predictions side by side, their losses
// added by weight.
#include <algorithm>
#include <cmath>

#include "estimator/heads/kinds.h"
#include "estimator/heads/multi_score.h"
#include "thalweg/base/error.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

class MultiHead : public Head {
 public:
  MultiHead(const HeadSpec& spec, LabelSpec label)
      : Head(std::move(label)), kind_(to_string(spec.kind)) {
    label_.parts.resize(spec.parts.size());
    for (size_t i = 0; i < spec.parts.size(); ++i) {
      parts_.push_back({.name = spec.parts[i].name,
                        .weight = spec.parts[i].weight,
                        .head = make_head(spec.parts[i].head, label_.parts[i])});
    }
    collect_labels();
  }
  MultiHead(const MultiHead& other) : Head(other.label_), kind_(other.kind_) {
    for (const Part& part : other.parts_) {
      parts_.push_back({part.name, part.weight, part.head->clone()});
    }
  }

  std::string_view kind() const override { return kind_; }
  std::unique_ptr<Head> clone() const override { return std::make_unique<MultiHead>(*this); }

  DType label_dtype() const override { return kFloat32; }
  Shape label_shape(int64_t rows) const override {
    int64_t width = 0;
    for (const Part& part : parts_) width += label_width(*part.head);
    return {rows, width};
  }

  void learn_labels(const Tensor& labels) override {
    each_labels(encode(labels), [](Head& head, const Tensor& part) { head.learn_labels(part); });
    collect_labels();
  }
  void learn_training_labels(const Tensor& encoded, const Tensor& weights) override {
    each_labels(encoded,
                [&](Head& head, const Tensor& part) { head.learn_training_labels(part, weights); });
    collect_labels();
  }

  Tensor encode(const Tensor& labels) const override {
    if (labels.rank() != 2 || !label_shape(labels.dim(0)).is_compatible_with(labels.shape()) ||
        (!is_numeric(labels.dtype()) && labels.dtype() != kBool)) {
      throw invalid_argument("labels are ", labels.dtype(), labels.shape(), ", expected float32",
                             label_shape(kUnknownDim), ": those of the heads side by side");
    }
    return labels.dtype() == kFloat32 ? labels : labels.cast(kFloat32);
  }

  data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const override {
    int64_t begin = 0;
    for (const Part& part : parts_) {
      if (part.head->label_dtype() == kInt64) {
        return part.head->split(columns_of(encoded, begin, *part.head), fraction, seed);
      }
      begin += label_width(*part.head);
    }
    return data::random_split(encoded.dim(0), fraction, seed);
  }

  int64_t outputs() const override {
    int64_t sum = 0;
    for (const Part& part : parts_) sum += part.head->outputs();
    return sum;
  }

  void check_output(const Output& output) const override {
    const Shape wanted{kUnknownDim, outputs()};
    if (output.shape().has_rank() && output.shape().rank() == 2 &&
        output.shape().is_compatible_with(wanted)) {
      return;
    }
    std::string sums;
    for (const Part& part : parts_) {
      append(sums, str(sums.empty() ? "" : ", ", part.name, " ", part.head->outputs()));
    }
    throw invalid_argument("the network gives ", output.shape(), ", but the heads want ", wanted,
                           " (", sums, "): end it with a Dense of ", outputs(), " units");
  }

  Output loss(Output labels, Output output, Output weights) const override {
    Output sum;
    each_output(labels, output, [&](const Part& part, const Output& label, const Output& logits) {
      const Output own =
          part.head->loss(label, logits, weights_of(*part.head, label, weights)) * part.weight;
      sum = sum ? sum + own : own;
    });
    return sum;
  }

  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    std::vector<Metric> all;
    each_output(labels, output, [&](const Part& part, const Output& label, const Output& logits) {
      for (Metric& metric : part.head->metrics(label, logits, weights)) {
        metric.name = str(metric.name, "/", part.name);
        all.push_back(std::move(metric));
      }
    });
    return all;
  }

  Output predictions(Output output) const override {
    std::vector<Output> all;
    each_output({}, output, [&](const Part& part, const Output&, const Output& logits) {
      all.push_back(part.head->predictions(logits));
    });
    return concat(all, 1);
  }
  Shape prediction_shape(int64_t rows) const override {
    int64_t sum = 0;
    for (const Part& part : parts_) sum += part.head->prediction_shape(rows).dim(1);
    return {rows, sum};
  }
  std::vector<std::string> prediction_names() const override {
    std::vector<std::string> all;
    for (const Part& part : parts_) {
      for (const std::string& name : part.head->prediction_names()) {
        all.push_back(str(part.name, "/", name));
      }
    }
    return all;
  }

  std::unique_ptr<Score> make_score() const override {
    std::vector<MultiScore::Part> scores;
    int64_t label = 0, prediction = 0;
    for (const Part& part : parts_) {
      const int64_t labels = label_width(*part.head);
      const int64_t predictions = part.head->prediction_shape(1).dim(1);
      scores.push_back({.name = part.name,
                        .score = part.head->make_score(),
                        .label_dtype = part.head->label_dtype(),
                        .label_begin = label,
                        .label_width = labels,
                        .has_label_row = part.head->label_shape(1).rank() == 2,
                        .prediction_begin = prediction,
                        .prediction_width = predictions});
      label += labels;
      prediction += predictions;
    }
    return std::make_unique<MultiScore>(std::move(scores));
  }

  std::vector<Figure> baseline(const Tensor& encoded, const Tensor& weights) const override {
    std::vector<Figure> all;
    int64_t begin = 0;
    for (const Part& part : parts_) {
      for (const Figure& f : part.head->baseline(columns_of(encoded, begin, *part.head), weights)) {
        all.push_back({str(f.name, "/", part.name), f.value});
      }
      begin += label_width(*part.head);
    }
    return all;
  }

 private:
  struct Part {
    std::string name;
    double weight = 1;
    std::unique_ptr<Head> head;
  };

  static int64_t label_width(const Head& head) {
    const Shape shape = head.label_shape(1);
    return shape.rank() == 1 ? 1 : shape.dim(1);
  }

  static Tensor columns_of(const Tensor& encoded, int64_t begin, const Head& head) {
    return label_slice(encoded, begin, label_width(head), head.label_dtype(),
                       head.label_shape(1).rank() == 2);
  }

  template <class F>
  void each_labels(const Tensor& encoded, F&& f) {
    int64_t begin = 0;
    for (Part& part : parts_) {
      try {
        f(*part.head, columns_of(encoded, begin, *part.head));
      } catch (Error& error) {
        error.add_context(str("head '", part.name, "'"));
        throw;
      }
      begin += label_width(*part.head);
    }
  }

  template <class F>
  void each_output(const Output& labels, const Output& output, F&& f) const {
    int64_t label = 0, logit = 0;
    for (const Part& part : parts_) {
      const int64_t width = label_width(*part.head);
      Output own;
      if (labels) {
        own = slice(labels, {0, label}, {-1, width});
        if (part.head->label_shape(1).rank() == 1) own = reshape(own, {-1});
        if (part.head->label_dtype() != kFloat32) own = cast(own, part.head->label_dtype());
      }
      f(part, own, slice(output, {0, logit}, {-1, part.head->outputs()}));
      label += width;
      logit += part.head->outputs();
    }
  }

  // A head's class weights are not those of another one, so they come in here, in training and
  // evaluation alike.
  static Output weights_of(const Head& head, const Output& label, const Output& weights) {
    const std::vector<double>& factors = head.label().class_weights;
    if (factors.empty()) return weights;
    Tensor table(kFloat32, {static_cast<int64_t>(factors.size())});
    std::ranges::copy(factors, table.mutable_data<float>().begin());
    const Output own = gather(constant(label.graph(), table), label);
    return weights ? own * reshape(weights, {-1}) : own;
  }

  void collect_labels() {
    for (size_t i = 0; i < parts_.size(); ++i) label_.parts[i] = parts_[i].head->label();
  }

  std::string_view kind_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Head> make_multi_head(const HeadSpec& spec, LabelSpec label) {
  return std::make_unique<MultiHead>(spec, std::move(label));
}

}  // namespace thalweg
