#include "estimator/heads/multi_score.h"

#include <algorithm>

#include "estimator/heads/example_weights.h"

namespace thalweg {
namespace {

// A copy of columns of float32 [rows, all].
Tensor columns(const Tensor& all, int64_t begin, int64_t width) {
  const int64_t rows = all.dim(0), stride = all.dim(1);
  Tensor result(kFloat32, {rows, width});
  const float* from = all.data<float>().data() + begin;
  float* to = result.mutable_data<float>().data();
  for (int64_t i = 0; i < rows; ++i, from += stride) to = std::copy_n(from, width, to);
  return result;
}

}  // namespace

Tensor label_slice(const Tensor& labels, int64_t begin, int64_t width, DType dtype,
                   bool is_matrix) {
  Tensor own = columns(labels, begin, width);
  if (!is_matrix) own = own.reshape({labels.dim(0)});
  return dtype == kFloat32 ? own : own.cast(dtype);
}

void MultiScore::add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                     double loss) {
  const auto weight = weight_span(weights);
  double total = 0;
  for (size_t i = 0; i < static_cast<size_t>(labels.dim(0)); ++i) total += weight_at(weight, i);
  weight_ += total;
  if (total > 0) loss_ += loss * total;
  for (const Part& part : parts_) {
    part.score->add(label_slice(labels, part.label_begin, part.label_width, part.label_dtype,
                                part.has_label_row),
                    columns(predictions, part.prediction_begin, part.prediction_width), weights, 0);
  }
}

EvaluationReport MultiScore::report() const {
  EvaluationReport report;
  report.metrics = {{"loss", loss_ / weight_}};
  if (weight_ == 0) report.undefined.emplace_back("loss", "the weights of all rows are 0");
  report.weight = weight_;
  for (const Part& part : parts_) {
    EvaluationReport own = part.score->report();
    own.head = part.name;
    // Its loss is not known apart.
    std::erase_if(own.metrics, [](const Figure& f) { return f.name == "loss"; });
    std::erase_if(own.undefined, [](const auto& entry) { return entry.first == "loss"; });
    report.examples = own.examples;
    for (const Figure& f : own.metrics) {
      report.metrics.push_back({str(f.name, "/", part.name), f.value});
    }
    for (const Figure& f : own.baseline) {
      report.baseline.push_back({str(f.name, "/", part.name), f.value});
    }
    for (const auto& [name, reason] : own.undefined) {
      report.undefined.emplace_back(str(name, "/", part.name), reason);
    }
    report.parts.push_back(std::move(own));
  }
  return report;
}

}  // namespace thalweg
