// What heads of numbers have in common: finite float32 labels, their mean and deviation, and
// predictions in the labels' own units.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "estimator/head.h"
#include "thalweg/estimator/heads.h"

namespace thalweg {

class ValueHead : public Head {
 public:
  /// `names`: of the columns of labels. `least`: labels below it are an error.
  ValueHead(std::string_view kind, std::vector<std::string> names, LabelSpec label,
            double least = -std::numeric_limits<double>::infinity());

  std::string_view kind() const override { return kind_; }
  DType label_dtype() const override { return kFloat32; }
  /// `[rows]` of one column.
  Shape label_shape(int64_t rows) const override;
  void learn_labels(const Tensor& labels) override;
  void learn_training_labels(const Tensor& encoded, const Tensor& weights) override;
  Tensor encode(const Tensor& labels) const override;
  data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const override;

  void check_output(const Output& output) const override;
  Shape prediction_shape(int64_t rows) const override { return {rows, outputs()}; }

  std::vector<Figure> baseline(const Tensor& encoded, const Tensor& weights) const override;

 protected:
  size_t width() const { return names_.size(); }
  /// By what the network's numbers become labels: of column i value * deviation(i) + mean(i).
  double mean(size_t i) const { return i < label_.mean.size() ? label_.mean[i] : 0; }
  double deviation(size_t i) const { return i < label_.deviation.size() ? label_.deviation[i] : 1; }
  bool is_standardized() const { return label_.standardized; }
  /// `values` `[batch]` or `[batch, width]` as the network learns them, and back.
  Output standardize(Output values) const;
  Output restore(Output values) const;
  /// What is guessed for each row.
  virtual std::vector<double> guesses(const Tensor& encoded, const Tensor& weights) const;

  std::string_view kind_;
  std::vector<std::string> names_;
  double least_;
};

}  // namespace thalweg
