// The functions that the kernels of a plan call, each with its own plans.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/plan.h"
#include "thalweg/graph/function.h"
#include "thalweg/kernels/function_runner.h"

namespace thalweg {

/// Owned by the plan that a session runs; the plans of the functions share it, so that a function
/// that is called from several places is prepared once. Thread-safe.
class PlanFunctions final : public FunctionRunner {
 public:
  PlanFunctions(std::shared_ptr<FunctionLibrary> library, const KernelRegistry& kernels,
                std::shared_ptr<VariableStore> store, std::vector<std::string> disabled_passes);
  ~PlanFunctions() override;

  const PreparedFunction& prepare(const FunctionUse& use) override;

 private:
  class Prepared;

  std::shared_ptr<FunctionLibrary> library_;
  const KernelRegistry& kernels_;
  std::shared_ptr<VariableStore> store_;
  std::vector<std::string> disabled_passes_;
  std::recursive_mutex mutex_;  // to build a plan is to prepare the functions that it calls
  std::map<std::string, std::unique_ptr<Prepared>> prepared_;  // by use
};

}  // namespace thalweg
