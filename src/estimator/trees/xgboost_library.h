// XGBoost's C interface with owners and errors; the only header that includes it.
#pragma once

#include <xgboost/c_api.h>

#include <string>
#include <vector>

#include "estimator/trees/tree_rows.h"

namespace thalweg::xgboost {

/// Throws internal_error with the library's message when a call failed.
void check(int status, const char* call);

/// Rows with labels, weights and the logits that training starts from. Copies them.
class Matrix {
 public:
  /// `label_width`: columns of labels; those of CheckedRows are repeated when it has one.
  Matrix(const CheckedRows& rows, const std::vector<float>& base, int64_t label_width);
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  /// Predictions on `matrices` are kept and brought up to date round by round.
  explicit Booster(const std::vector<const Matrix*>& matrices);
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void set(const char* name, const std::string& value);
  void boost(int round, const Matrix& training);
  /// By one's own gradients [rows, outputs].
  void boost(const Matrix& training, std::vector<float>& gradients, std::vector<float>& hessians);
  /// Logits [rows, outputs]; the library's, until its next call.
  const float* margins(const Matrix& rows) const;
  /// The node that each row comes to in each tree: [rows, trees].
  std::vector<int32_t> leaves(const Matrix& rows) const;
  std::string model() const;

 private:
  BoosterHandle handle_ = nullptr;
};

}  // namespace thalweg::xgboost
