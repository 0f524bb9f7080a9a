// The networks that are measured, as graphs: a multi-layer perceptron and LeNet, both trained with
// Adam.
#pragma once

#include <thalweg/thalweg.h>

#include <memory>
#include <string>
#include <vector>

namespace thalweg::bench {

/// A network ready to be trained on one fixed batch.
class TrainingCase {
 public:
  /// "mlp" (784-512-512-10, batch 128) or "lenet" (5x5 32 and 64, dense 1024, batch 64). Throws
  /// not_found.
  explicit TrainingCase(const std::string& name);

  void step() { step_.run(batch_, results_); }
  double loss() const { return results_[0].at(0); }
  /// Multiplications and additions of one training step's products and convolutions.
  double flops() const { return flops_; }
  std::string profile(int runs) const { return step_.profile(batch_, runs); }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Session> session_;
  Callable step_;
  std::vector<Tensor> batch_;
  std::vector<Tensor> results_;
  double flops_ = 0;
};

}  // namespace thalweg::bench
