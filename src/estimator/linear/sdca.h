// Stochastic dual coordinate ascent, one example at a time, with the gap to the best loss.
// Shalev-Shwartz and Zhang, JMLR 14, 2013; with l1 Mathematical Programming 155, 2016.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/linear_loss.h"

namespace thalweg::linear {

/// Rows as lists of features: those of each term, one after the other, and last a bias, always 1.
class SparseRows {
 public:
  /// The tensors of `rows` must outlive it.
  SparseRows(const PreparedRows& rows, const std::vector<Term>& terms);

  int64_t rows() const { return rows_; }
  int64_t features() const { return features_; }
  int64_t bias() const { return features_ - 1; }
  /// Calls f(feature, value) for those of a row that are not 0.
  template <class F>
  void for_each(int64_t row, F&& f) const;

 private:
  struct Numbers {  // `count` neighbours
    const float* from;
    int64_t first;  // their first feature
    int64_t count;
  };
  struct Ids {
    const int64_t* from;
    int64_t first;  // the feature of id 0
    int64_t buckets;
  };
  struct Bag {
    const int64_t* ids;
    const float* weights;
    int64_t width;
    int64_t first;
    int64_t buckets;
  };
  void add_numbers(const Tensor& numbers, const std::vector<int64_t>& indices);
  [[noreturn]] static void refuse_id(int64_t id, int64_t buckets);

  int64_t rows_ = 0;
  int64_t features_ = 0;
  int64_t number_stride_ = 0, id_stride_ = 0;
  std::vector<Numbers> numbers_;
  std::vector<Ids> ids_;
  std::vector<Bag> bags_;
};

struct SdcaState {
  int64_t epoch = 0;
  double loss = 0;    // sum_i w_i loss_i
  double primal = 0;  // with the penalties
  double dual = 0;    // never above the least primal value
};

struct SdcaOptions {
  double l1 = 0;
  double l2 = 1;
  double tolerance = 1e-4;  // of (primal - dual) / primal
  int64_t most_epochs = 200;
  uint64_t seed = 1;
  /// Called after each epoch, with the weights; false: stop.
  std::function<bool(const SdcaState&, const std::vector<double>& weights)> report = {};
};

struct SdcaResult {
  bool converged = false;
  SdcaState state;
  std::vector<double> weights;  // [features], the last is the bias
};

/// Minimises sum_i w_i loss_i + l2 / 2 |x|^2 + l1 |x| without the bias in the last term. l2 must be
/// above 0; the loss one of kSigmoid, kSquared, kHinge, kSmoothHinge with 1 unit.
SdcaResult minimize_sdca(const SparseRows& rows, const LinearLoss& loss,
                         const LinearTargets& targets, const SdcaOptions& options);

template <class F>
void SparseRows::for_each(int64_t row, F&& f) const {
  for (const Numbers& numbers : numbers_) {
    const float* x = numbers.from + row * number_stride_;
    for (int64_t i = 0; i < numbers.count; ++i) f(numbers.first + i, double{x[i]});
  }
  for (const Ids& column : ids_) {
    const int64_t id = column.from[row * id_stride_];
    if (id >= column.buckets) refuse_id(id, column.buckets);
    if (id >= 0) f(column.first + id, 1.0);
  }
  for (const Bag& bag : bags_) {
    const int64_t* ids = bag.ids + row * bag.width;
    const float* weights = bag.weights + row * bag.width;
    for (int64_t i = 0; i < bag.width; ++i) {
      if (ids[i] < 0 || !(weights[i] > 0)) continue;
      if (ids[i] >= bag.buckets) refuse_id(ids[i], bag.buckets);
      f(bag.first + ids[i], double{weights[i]});
    }
  }
  f(bias(), 1.0);
}

}  // namespace thalweg::linear
