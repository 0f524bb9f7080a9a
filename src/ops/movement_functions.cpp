#include "ops/int_constant.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

std::vector<Output> all_outputs(const Node& node) {
  std::vector<Output> outputs;
  for (int i = 0; i < node.num_outputs(); ++i) outputs.push_back(node.output(i));
  return outputs;
}

}  // namespace

Output transpose(const Output& x, const IntVector& perm, const ArrayOptions& options) {
  Graph& graph = x.graph();
  IntVector order = perm;
  if (perm.is_constant() && perm.values().empty()) {
    if (x.shape().has_rank()) {
      std::vector<int64_t> reversed;
      for (int64_t i = x.shape().rank() - 1; i >= 0; --i) reversed.push_back(i);
      order = reversed;
    } else {
      const Output minus_one = int_constant(graph, -1);
      order = range(rank_of(x) + minus_one, minus_one, minus_one);
    }
  }
  return graph.add("Transpose", {x, order.in(graph)}, {}, {.name = options.name}).output();
}

Output reverse(const Output& x, const IntVector& axes, const ArrayOptions& options) {
  return x.graph().add("ReverseV2", {x, axes.in(x.graph())}, {}, {.name = options.name}).output();
}

Output concat(const std::vector<Output>& values, int64_t axis, const ArrayOptions& options) {
  if (values.empty()) throw invalid_argument("concat needs at least one value");
  if (values.size() == 1) return identity(values[0], options);
  std::vector<Output> inputs = values;
  inputs.push_back(int_constant(values[0].graph(), axis));
  return values[0].graph().add("ConcatV2", std::move(inputs), {}, {.name = options.name}).output();
}

std::vector<Output> split(const Output& x, int64_t count, int64_t axis,
                          const ArrayOptions& options) {
  return all_outputs(x.graph().add("Split", {int_constant(x.graph(), axis), x},
                                   {{"num_split", count}}, {.name = options.name}));
}

std::vector<Output> split_v(const Output& x, const std::vector<int64_t>& sizes, int64_t axis,
                            const ArrayOptions& options) {
  Graph& graph = x.graph();
  return all_outputs(graph.add("SplitV", {x, IntVector(sizes).in(graph), int_constant(graph, axis)},
                               {{"num_split", static_cast<int64_t>(sizes.size())}},
                               {.name = options.name}));
}

Output pack(const std::vector<Output>& values, int64_t axis, const ArrayOptions& options) {
  if (values.empty()) throw invalid_argument("pack needs at least one value");
  return values[0].graph().add("Pack", values, {{"axis", axis}}, {.name = options.name}).output();
}

std::vector<Output> unpack(const Output& x, int64_t axis, const ArrayOptions& options) {
  const int64_t count = x.shape().has_rank() ? x.shape().dim(static_cast<int>(axis)) : kUnknownDim;
  if (count == kUnknownDim) {
    throw invalid_argument("unpack: dimension ", axis, " of ", x.name(), " with shape ", x.shape(),
                           " must be known while building");
  }
  return all_outputs(
      x.graph().add("Unpack", {x}, {{"num", count}, {"axis", axis}}, {.name = options.name}));
}

}  // namespace thalweg
