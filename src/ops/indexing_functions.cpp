#include "ops/int_constant.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"

namespace thalweg {

Output one_hot(const Output& indices, int64_t depth, const OneHotOptions& options) {
  Graph& graph = indices.graph();
  const auto number = [&](double value) {
    return constant(graph, Tensor(value).cast(options.dtype));
  };
  return graph
      .add("OneHot", {indices, int_constant(graph, depth), number(options.on), number(options.off)},
           {{"axis", options.axis}}, {.name = options.name})
      .output();
}

Output gather(const Output& params, const Output& indices, const GatherOptions& options) {
  Graph& graph = params.graph();
  const Output axis = int_constant(graph, options.axis);
  return graph
      .add("GatherV2", {params, indices, axis}, {{"batch_dims", options.batch_dims}},
           {.name = options.name})
      .output();
}

Output gather_nd(const Output& params, const Output& indices, const IndexingOptions& options) {
  return params.graph().add("GatherNd", {params, indices}, {}, {.name = options.name}).output();
}

Output scatter_nd(const Output& indices, const Output& updates, const IntVector& shape,
                  const IndexingOptions& options) {
  Graph& graph = indices.graph();
  return graph
      .add("ScatterNd", {indices, updates, shape.in(graph, indices.dtype())}, {},
           {.name = options.name})
      .output();
}

Output tensor_scatter_update(const Output& x, const Output& indices, const Output& updates,
                             const IndexingOptions& options) {
  return x.graph()
      .add("TensorScatterUpdate", {x, indices, updates}, {}, {.name = options.name})
      .output();
}

Output tensor_scatter_add(const Output& x, const Output& indices, const Output& updates,
                          const IndexingOptions& options) {
  return x.graph()
      .add("TensorScatterAdd", {x, indices, updates}, {}, {.name = options.name})
      .output();
}

Output unsorted_segment_sum(const Output& data, const Output& segment_ids,
                            const Output& num_segments, const IndexingOptions& options) {
  return data.graph()
      .add("UnsortedSegmentSum", {data, segment_ids, num_segments}, {}, {.name = options.name})
      .output();
}

Output where(const Output& condition, const IndexingOptions& options) {
  return condition.graph().add("Where", {condition}, {}, {.name = options.name}).output();
}

Output invert_permutation(const Output& x, const IndexingOptions& options) {
  return x.graph().add("InvertPermutation", {x}, {}, {.name = options.name}).output();
}

TopK top_k(const Output& x, int64_t k, const TopKOptions& options) {
  const Output count = int_constant(x.graph(), k);
  const Node& node =
      x.graph().add("TopKV2", {x, count}, {{"sorted", options.sorted}}, {.name = options.name});
  return {node.output(0), node.output(1)};
}

}  // namespace thalweg
