// How kernels call functions of the graph's library (a loop's body, a branch) without knowing who
// runs them: `runtime` implements this.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

/// A function that a kernel holds ready. Thread-safe.
class PreparedFunction {
 public:
  virtual ~PreparedFunction() = default;
  /// The results for `arguments`, as part of the run that `caller` belongs to: variables are locked
  /// already, prints go where the run's prints go. The plan for the arguments' shapes is built at
  /// the first call with them.
  virtual std::vector<Tensor> call(std::span<const Tensor> arguments,
                                   KernelContext& caller) const = 0;
};

class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  /// Throws not_found when the graph's library has no such function.
  virtual std::shared_ptr<const PreparedFunction> prepare(std::string_view function) = 0;
};

}  // namespace thalweg
