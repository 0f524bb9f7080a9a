// One node, computed now on given tensors: for constant folding, data-dependent steps and tests.
#pragma once

#include <span>
#include <vector>

#include "thalweg/kernels/kernel_registry.h"

namespace thalweg {

struct EvaluateOptions {
  uint64_t random_run = 0;
  std::span<Resource* const> resources = {};  // for handles, by flat input index; null elsewhere
  FunctionRunner* functions = nullptr;        // for ops that call functions
  KernelContext* caller = nullptr;            // the run that this is part of: prints go there
};

/// The outputs of `node` for `inputs` (one valid tensor per flat input; resource inputs are left
/// invalid). Output shapes are inferred again from the inputs' shapes and values. Throws what the
/// kernel throws, with the node as context.
std::vector<Tensor> evaluate(const Node& node, std::span<const Tensor> inputs,
                             const KernelRegistry& kernels, const EvaluateOptions& options = {});

/// Throws what is being handled again, std::bad_alloc and std::length_error as resource_exhausted,
/// std::out_of_range as invalid_argument, each naming `node`. Call it from a catch block only.
[[noreturn]] void rethrow_as_error(const Node& node);

}  // namespace thalweg
