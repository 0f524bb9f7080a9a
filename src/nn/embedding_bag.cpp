#include "thalweg/nn/embedding_bag.h"

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

void check(const Variable& table, const Output& ids, const Output& weights) {
  if (table.shape().has_rank() && table.shape().rank() != 2) {
    throw invalid_argument("embedding_bag: table `", table.name(), "` has shape ", table.shape(),
                           ", expected [buckets, dimension]");
  }
  if (!is_floating(table.dtype())) {
    throw invalid_argument("embedding_bag: table `", table.name(), "` is of dtype ", table.dtype(),
                           ", expected floating numbers");
  }
  if (!ids || (ids.dtype() != kInt64 && ids.dtype() != kInt32) || ids.shape().rank() != 2) {
    throw invalid_argument("embedding_bag: ids are ", ids ? str(ids.dtype(), ids.shape()) : "none",
                           ", expected int64 [batch, width]");
  }
  if (weights && (weights.dtype() != kFloat32 || weights.shape().rank() != 2 ||
                  !weights.shape().is_compatible_with(ids.shape()))) {
    throw invalid_argument("embedding_bag: weights are ", weights.dtype(), weights.shape(),
                           ", ids are ", ids.shape(), "; expected float32 of that shape");
  }
}

// The share of each id in its row's vector [batch, width]; 0 of ids that do not count.
Output shares(const Output& counts, const Output& weights, DType dtype, Combiner combiner) {
  const Output mask = cast(counts, dtype);
  const Output w = weights ? select(counts, cast(weights, dtype), zeros_like(mask)) : mask;
  // DivNoNan: a row in which nothing counts has shares of 0.
  switch (combiner) {
    case Combiner::kSum: return w;
    case Combiner::kMean: return div_no_nan(w, reduce_sum(w, {1}, {.keep_dims = true}));
    case Combiner::kSqrtN:
      return div_no_nan(w, sqrt(reduce_sum(square(w), {1}, {.keep_dims = true})));
  }
  throw internal_error("no combiner of this number");
}

}  // namespace

Output embedding_bag(const Variable& table, Output ids, Output weights, Combiner combiner) {
  check(table, ids, weights);
  Graph& graph = ids.graph();
  const NameScope scope(graph, "embedding_bag");
  const Output zero = constant(graph, Tensor(int64_t{0}).cast(ids.dtype()));
  Output counts = greater_equal(ids, zero);
  if (weights) counts = logical_and(counts, greater(weights, 0.0));
  const Output share = shares(counts, weights, table.dtype(), combiner);
  // Ids that do not count take row 0, times 0.
  const Output rows = resource_gather(table.handle(), maximum(ids, zero), table.dtype());
  if (ids.shape()[1] == 1) return reshape(rows, {-1, table.shape()[1]}) * share;
  if (table.shape()[1] == 1)
    return reduce_sum(reshape(rows, shape_of(ids)) * share, {1}, {.keep_dims = true});
  // [batch, 1, width] x [batch, width, dimension]: no weighted copy of the rows is written.
  const Output sums = batch_matmul(expand_dims(share, 1), rows);
  return reshape(sums, {-1, table.shape()[1]});
}

}  // namespace thalweg
