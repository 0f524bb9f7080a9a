// The variables' values: what outlives a run, and what checkpoints hold.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/kernels/resource.h"

namespace thalweg {

/// Values by name. Thread-safe: a run that only reads shares the lock, one that writes holds it
/// alone. May be shared by several sessions.
class VariableStore {
 public:
  VariableStore() = default;
  VariableStore(const VariableStore&) = delete;
  VariableStore& operator=(const VariableStore&) = delete;

  /// Sorted names of the initialised variables.
  std::vector<std::string> names() const;
  bool is_initialized(std::string_view name) const;
  /// A copy of the value in plain row-major order, whatever layout plans keep it in. Throws
  /// not_found with the nearest name.
  Tensor get(std::string_view name) const;
  /// As get(), but without a copy where the value lies in plain order: a later run that changes the
  /// variable leaves this memory alone. For weights that are used as constants.
  Tensor share(std::string_view name) const;
  /// Gives the variable a value; makes it when it is new. Throws invalid_argument when dtype or
  /// shape contradict what a graph declared for it.
  void set(std::string_view name, const Tensor& value);

  /// Number of runs so far that drew random numbers: with it, checkpoints can restore the exact
  /// stream.
  uint64_t random_runs() const { return random_runs_; }
  void set_random_runs(uint64_t count) { random_runs_ = count; }

 private:
  friend class Plan;
  friend class PlanBuilder;
  friend class Session;

  // The entry for a variable of a graph; made uninitialised when it is new. Its address never
  // changes.
  VariableState& declare(const std::string& name, DType dtype, const Shape& shape);
  const VariableState& find(std::string_view name) const;
  // Brings the value into `layout`. Needs the lock held alone.
  static void convert(VariableState& variable, const LayoutPtr& layout);

  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<VariableState>, std::less<>> variables_;
  std::map<std::string, std::shared_ptr<Resource>> resources_;  // tables, queues; by op and name
  std::atomic<uint64_t> random_runs_{0};
};

}  // namespace thalweg
