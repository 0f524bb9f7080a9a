// How kernels call functions of the graph's library (a loop's body, a branch) without knowing who
// runs them: `runtime` implements this.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

/// A function that a kernel holds ready. Thread-safe.
class PreparedFunction {
 public:
  virtual ~PreparedFunction() = default;
  /// Runs the function as part of the run that `caller` belongs to: variables are locked already,
  /// prints go where the run's prints go, random numbers are new with each call. `arguments` has
  /// one tensor an argument, left invalid for handles. `results` that hold memory of the right
  /// dtype and shape, shared with nobody, are written in place. With `take_arguments`, objects
  /// (lists) in arguments may be taken over. The plan for the arguments' shapes is built at the
  /// first call with them. Throws resource_exhausted when calls nest too deep.
  virtual void call(std::span<const Tensor> arguments, std::span<Tensor> results,
                    KernelContext& caller, bool take_arguments = false) const = 0;
};

/// A function for one use of it.
struct FunctionUse {
  std::string name;
  std::vector<const Node*> handles =
      {};                         // by argument: the op that makes the handle; null for values
  std::vector<int> results = {};  // those wanted
};

class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  /// Lives as long as the runner. Throws not_found when the graph's library has no such function.
  virtual const PreparedFunction& prepare(const FunctionUse& use) = 0;
};

}  // namespace thalweg
