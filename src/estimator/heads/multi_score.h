// What an evaluation of several heads gathers: what each gathers, of its columns.
#pragma once

#include <string>
#include <vector>

#include "estimator/head.h"

namespace thalweg {

/// Columns of labels `[rows, ...]`, as `dtype`: `[rows]`, or `[rows, width]` when `is_matrix`.
Tensor label_slice(const Tensor& labels, int64_t begin, int64_t width, DType dtype, bool is_matrix);

class MultiScore : public Score {
 public:
  struct Part {
    std::string name;
    std::unique_ptr<Score> score;
    DType label_dtype;
    int64_t label_begin, label_width;
    bool has_label_row;  // labels are [rows, width], also of width 1
    int64_t prediction_begin, prediction_width;
  };
  explicit MultiScore(std::vector<Part> parts) : parts_(std::move(parts)) {}
  void add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
           double loss) override;
  EvaluationReport report() const override;

 private:
  std::vector<Part> parts_;
  double weight_ = 0, loss_ = 0;
};

}  // namespace thalweg
