// Kernels of decision trees: the families, and the tensors as both of them see them.
#pragma once

#include <cstdint>
#include <span>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

std::span<const KernelDef> reference_tree_kernels();
std::span<const KernelDef> cpu_tree_kernels();

/// The inputs of _TreeEnsemblePredict, and the sizes that go with them.
struct TreeInputs {
  const float* features;
  const int32_t* feature;
  const float* threshold;
  const int32_t* left;
  const bool* missing_right;
  const int32_t* leaf;
  const float* values;
  const int32_t* roots;
  const int32_t* first_output;
  const float* base;
  float* sums;

  int64_t batch, columns, nodes, leaves, width, trees, outputs;
  float scale;

  /// The sizes alone; known when a kernel is made.
  explicit TreeInputs(const KernelRequest& request);
  TreeInputs bound(const KernelContext& context) const;

  /// Throws invalid_argument when the node is none of a tree: an index outside, a child that is
  /// not later than its parent. So every walk over checked nodes ends.
  void check_node(int64_t node) const;
  void check_tree(int64_t tree) const;
};

/// Each row by itself, every node checked when it is come to.
void predict_row_by_row(const TreeInputs& in);

}  // namespace thalweg
