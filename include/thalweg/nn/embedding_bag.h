// Bags of embeddings: rows of a trained table, several an example, combined into one vector.
#pragma once

#include "thalweg/graph/graph.h"
#include "thalweg/ops/state.h"

namespace thalweg {

/// Of the vectors e of a row's ids and their weights w.
enum class Combiner {
  kSum,    // sum w e
  kMean,   // sum w e / sum w
  kSqrtN,  // sum w e / sqrt(sum w^2)
};

/// `table` [buckets, dimension], `ids` int64 [batch, width]; an id of -1 is none. `weights` float32
/// [batch, width], default 1; ids with a weight of at most 0 count as none. Gives [batch,
/// dimension]; a row without ids gives zeros. tf.nn.embedding_lookup_sparse.
Output embedding_bag(const Variable& table, Output ids, Output weights = {},
                     Combiner combiner = Combiner::kMean);

}  // namespace thalweg
