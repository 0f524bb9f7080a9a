// What another program gave for a model, run after run, as tools/make_interop_golden.py writes it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::interop {

struct GoldenRun {
  std::string signature;  // of a SavedModel; empty for a graph
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> targets;
  std::vector<std::pair<std::string, Tensor>> fetches;
};

struct Golden {
  std::string made_with;  // "TensorFlow 2.21.0"
  std::vector<GoldenRun> runs;
};

/// Throws invalid_argument naming file and line.
Golden read_golden(const std::string& path);

/// Empty when `got` is `expected` within 1e-5, relative and absolute; else what differs.
std::string difference(const Tensor& got, const Tensor& expected);

}  // namespace thalweg::interop
