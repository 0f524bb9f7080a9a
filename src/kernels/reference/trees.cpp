#include "kernels/trees.h"

#include <cmath>
#include <vector>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

KernelPtr make_predict(const KernelRequest& request) {
  return make_kernel(
      [sizes = TreeInputs(request)](KernelContext& c) { predict_row_by_row(sizes.bound(c)); });
}

constexpr KernelDef kKernels[] = {
    {"_TreeEnsemblePredict", "reference", make_predict},
};

}  // namespace

TreeInputs::TreeInputs(const KernelRequest& request)
    : batch(request.inputs[0].shape[0]),
      columns(request.inputs[0].shape[1]),
      nodes(request.inputs[1].shape[0]),
      leaves(request.inputs[6].shape[0]),
      width(request.inputs[6].shape[1]),
      trees(request.inputs[7].shape[0]),
      outputs(request.inputs[9].shape[0]),
      scale(request.node.attr<float>("scale")) {}

TreeInputs TreeInputs::bound(const KernelContext& c) const {
  TreeInputs in = *this;
  in.features = c.input<float>(0);
  in.feature = c.input<int32_t>(1);
  in.threshold = c.input<float>(2);
  in.left = c.input<int32_t>(3);
  in.missing_right = c.input<bool>(4);
  in.leaf = c.input<int32_t>(5);
  in.values = c.input<float>(6);
  in.roots = c.input<int32_t>(7);
  in.first_output = c.input<int32_t>(8);
  in.base = c.input<float>(9);
  in.sums = c.output<float>();
  return in;
}

void TreeInputs::check_node(int64_t node) const {
  if (left[node] == node) {
    if (leaf[node] < 0 || leaf[node] >= leaves) {
      throw invalid_argument("leaf[", node, "] is ", leaf[node], ", expected 0 to ", leaves - 1,
                             ", a row of `values`");
    }
    return;
  }
  if (left[node] < node || left[node] + 1 >= nodes) {
    throw invalid_argument("left[", node, "] is ", left[node],
                           ", expected the node itself, of a leaf, or a later one with another "
                           "after it, of ",
                           nodes, " nodes");
  }
  if (feature[node] < 0 || feature[node] >= columns) {
    throw invalid_argument("feature[", node, "] is ", feature[node], ", expected 0 to ",
                           columns - 1, ", a column of `features`");
  }
}

void TreeInputs::check_tree(int64_t tree) const {
  if (roots[tree] < 0 || roots[tree] >= nodes) {
    throw invalid_argument("roots[", tree, "] is ", roots[tree], ", expected 0 to ", nodes - 1);
  }
  if (first_output[tree] < 0 || first_output[tree] + width > outputs) {
    throw invalid_argument("first_output[", tree, "] is ", first_output[tree], ", expected 0 to ",
                           outputs - width, " for ", width, " values a leaf and ", outputs,
                           " outputs");
  }
}

void predict_row_by_row(const TreeInputs& in) {
  for (int64_t tree = 0; tree < in.trees; ++tree) in.check_tree(tree);
  std::vector<double> sums(static_cast<size_t>(in.outputs));
  for (int64_t row = 0; row < in.batch; ++row) {
    const float* x = in.features + row * in.columns;
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t tree = 0; tree < in.trees; ++tree) {
      int64_t node = in.roots[tree];
      in.check_node(node);
      while (in.left[node] != node) {
        const float value = x[in.feature[node]];
        const bool right =
            std::isnan(value) ? in.missing_right[node] : !(value < in.threshold[node]);
        node = in.left[node] + (right ? 1 : 0);
        in.check_node(node);
      }
      const float* values = in.values + in.leaf[node] * in.width;
      for (int64_t k = 0; k < in.width; ++k) {
        sums[static_cast<size_t>(in.first_output[tree] + k)] += static_cast<double>(values[k]);
      }
    }
    for (int64_t k = 0; k < in.outputs; ++k) {
      in.sums[row * in.outputs + k] =
          static_cast<float>(static_cast<double>(in.base[k]) +
                             static_cast<double>(in.scale) * sums[static_cast<size_t>(k)]);
    }
  }
}

std::span<const KernelDef> reference_tree_kernels() { return kKernels; }

}  // namespace thalweg
