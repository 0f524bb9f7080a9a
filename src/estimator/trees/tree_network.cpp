#include "estimator/trees/tree_network.h"

#include "thalweg/base/error.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// In the order of tree_components().
enum Part {
  kFeature,
  kThreshold,
  kLeft,
  kMissingRight,
  kLeaf,
  kValues,
  kRoots,
  kFirstOutput,
  kBase
};

Output native_sums(const Output& features, const TreeParts& trees, const TreeShape& shape) {
  std::vector<Output> inputs = {features};
  inputs.insert(inputs.end(), trees.begin(), trees.end());
  return features.graph()
      .add("_TreeEnsemblePredict", inputs, {{"scale", shape.scale}}, {.name = "sums"})
      .output();
}

// The nodes [batch, trees] where the rows end.
Output walk(const Output& features, const TreeParts& trees, const TreeShape& shape) {
  Graph& graph = features.graph();
  const Output zero = zeros_like(cast(slice(features, {0, 0}, {-1, 1}), kInt32));  // [batch, 1]
  Output node = zero + reshape(trees[kRoots], {1, shape.trees});
  const Output flat = reshape(features, {-1});
  const Output batch = gather(shape_of(features), constant(graph, int32_t{0}));
  const Output rows = range(constant(graph, int32_t{0}), batch, constant(graph, int32_t{1}));
  const Output first =
      reshape(rows, {-1, 1}) * constant(graph, static_cast<int32_t>(shape.columns));
  for (int64_t step = 0; step < shape.depth; ++step) {
    const Output x = gather(flat, first + gather(trees[kFeature], node));
    // At a leaf the threshold is NaN, which no number is right of, and missing values go left.
    const Output right = logical_or(greater_equal(x, gather(trees[kThreshold], node)),
                                    logical_and(is_nan(x), gather(trees[kMissingRight], node)));
    node = gather(trees[kLeft], node) + cast(right, kInt32);
  }
  return node;
}

Output stock_sums(const Output& features, const TreeParts& trees, const TreeShape& shape) {
  Graph& graph = features.graph();
  const Output base = cast(trees[kBase], kFloat64);
  Output sums;
  if (shape.trees == 0) {
    sums = matmul(zeros_like(cast(features, kFloat64)),
                  zeros(graph, kFloat64, {shape.columns, shape.outputs}));
  } else {
    const Output leaf = gather(trees[kLeaf], walk(features, trees, shape));  // [batch, trees]
    const Output values = cast(gather(trees[kValues], leaf), kFloat64);  // [batch, trees, width]
    if (shape.width == shape.outputs) {
      sums = reduce_sum(values, {1});
    } else {
      // Tree by tree, the outputs that its values go to: [trees * width, outputs].
      const Output offsets = range(graph, 0, shape.width, 1, kInt32);
      const Output places = reshape(trees[kFirstOutput], {-1, 1}) + offsets;
      const Output matrix = one_hot(reshape(places, {-1}), shape.outputs, {.dtype = kFloat64});
      sums = matmul(reshape(values, {-1, shape.trees * shape.width}), matrix);
    }
  }
  return cast(base + sums * constant(graph, static_cast<double>(shape.scale)), kFloat32);
}

Output link(const Output& sums, TreeLink link) {
  switch (link) {
    case TreeLink::kNone: return sums;
    case TreeLink::kLog: return log(maximum(sums, kLeastShare));
    case TreeLink::kLogShares: return log(minimum(maximum(sums, kLeastShare), 1 - kLeastShare));
    case TreeLink::kLogOdds: {
      const Output share = minimum(maximum(sums, kLeastShare), 1 - kLeastShare);
      return log(share) - log(1.0 - share);
    }
  }
  throw internal_error("no link ", static_cast<int>(link));
}

}  // namespace

TreeParts tree_variables(Graph& graph, const TreeShape& shape) {
  const NameScope scope(graph, str(kTreeScope, "/"));
  TreeParts result;
  for (const data::Component& part : tree_components(shape)) {
    const Graph::VariableRecord* known = graph.find_variable(str(kTreeScope, "/", part.name));
    result.push_back(known != nullptr ? read_variable(known->handle->output(), part.dtype)
                                      : Variable(graph, zeros(graph, part.dtype, part.shape),
                                                 {.name = part.name, .trainable = false}));
  }
  return result;
}

TreeParts tree_constants(Graph& graph, const TreeEnsemble& ensemble) {
  const NameScope scope(graph, kTreeScope);
  const data::Spec parts = tree_components(ensemble.shape);
  const std::vector<Tensor> tensors = tree_tensors(ensemble);
  TreeParts result;
  for (size_t i = 0; i < tensors.size(); ++i) {
    result.push_back(constant(graph, tensors[i], {.name = parts[i].name}));
  }
  return result;
}

Output tree_logits(const Output& features, const TreeParts& trees, const TreeShape& shape,
                   TreeForm form) {
  const Shape& given = features.shape();
  if (features.dtype() != kFloat32 || given.rank() != 2 || given[1] != shape.columns) {
    throw invalid_argument("the trees take features float32[?, ", shape.columns, "], got ",
                           str(features.dtype(), given));
  }
  THALWEG_CHECK(trees.size() == tree_components(shape).size());
  const NameScope scope(features.graph(), "ensemble");
  const Output sums = form == TreeForm::kNative ? native_sums(features, trees, shape)
                                                : stock_sums(features, trees, shape);
  return link(sums, shape.link);
}

}  // namespace thalweg
