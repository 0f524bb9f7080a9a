// Decision trees as plain tensors. The op is ours, so it stands in no file for TensorFlow: exported
// models walk the same tensors by Gather (src/estimator/trees/tree_network.cpp).
#include "ops/trees.h"

#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

// Inputs `first` to `last` are vectors of one length.
void check_vectors(ShapeContext& c, int first, int last) {
  int64_t length = kUnknownDim;
  for (int i = first; i <= last; ++i) {
    const int64_t dim = c.with_rank(i, 1)[0];
    if (dim == kUnknownDim) continue;
    if (length != kUnknownDim && length != dim) {
      throw c.error("`", c.input_name(i), "` has ", dim, " entries, `", c.input_name(first),
                    "` has ", length, "; expected as many");
    }
    length = dim;
  }
}

void predict_shape(ShapeContext& c) {
  const int64_t batch = c.with_rank(0, 2)[0];
  check_vectors(c, 1, 5);
  const int64_t width = c.with_rank(6, 2)[1];
  check_vectors(c, 7, 8);
  const int64_t outputs = c.with_rank(9, 1)[0];
  if (width != kUnknownDim && outputs != kUnknownDim && (width < 1 || width > outputs)) {
    throw c.error("`values` has ", width, " columns, expected 1 to ", outputs,
                  ", the length of `base`");
  }
  c.set_output(0, Shape{batch, outputs});
}

constexpr OpDef kTreeOps[] = {
    {.name = "_TreeEnsemblePredict",
     .inputs =
         {"features: float | `[batch, columns]`; NaN is a missing value.",
          "feature: int32 | `[nodes]`: the column that a node looks at.",
          "threshold: float | `[nodes]`: a smaller value goes to the left child, any other number "
          "to the right one.",
          "left: int32 | `[nodes]`: the left child, a later node, and the right one is the next "
          "after it. A leaf names itself.",
          "missing_right: bool | `[nodes]`: whether a missing value goes to the right.",
          "leaf: int32 | `[nodes]`: of a leaf its row of `values`.",
          "values: float | `[leaves, width]`.", "roots: int32 | `[trees]`: their first nodes.",
          "first_output: int32 | `[trees]`: the output that the first of a leaf's values is added "
          "to, the others go to those after it.",
          "base: float | `[outputs]`: what each sum starts from."},
     .outputs = {"sums: float | `[batch, outputs]`: base + scale * the sum over the trees, added "
                 "up in double precision in the order of the trees."},
     .attrs = {"scale: float = 1 | 1 / trees makes it the mean."},
     .doc = "What an ensemble of decision trees gives for each row.",
     .shape = predict_shape,
     .no_gradient = "it is a step function of the features"},
};

}  // namespace

std::span<const OpDef> tree_ops() { return kTreeOps; }

}  // namespace thalweg
