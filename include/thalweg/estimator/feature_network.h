// Stage 2: what networks and linear models make of prepared tensors (transform.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "thalweg/estimator/transform.h"
#include "thalweg/nn/layer.h"
#include "thalweg/nn/regularizers.h"

namespace thalweg {

/// The prepared tensors of a batch, in the order of Transform::prepared().
using PreparedBatch = std::vector<Output>;

/// The dense `columns` side by side, `[batch, d]`, sorted by key and each once. Makes the variables
/// of embeddings, `input_layer/<key>/weights`, or finds them when they are there. Throws
/// invalid_argument for a category that is neither in an indicator nor in an embedding.
Output input_layer(const Transform& transform, const std::vector<FeatureColumn>& columns,
                   const PreparedBatch& prepared);

/// Values in their order, for recurrent networks.
struct Sequence {
  Output values;   // [batch, steps, dimension]; zeros behind the last one
  Output lengths;  // int64 [batch]
};
/// `column`: embedding() or indicator() of a list(), or of a text() without tf_idf, which would
/// change the order. Variables are those of input_layer(). Throws invalid_argument for others.
Sequence sequence_layer(const Transform& transform, const FeatureColumn& column,
                        const PreparedBatch& prepared);

/// sum over columns of weights times numbers, or of the weights of the row's ids, plus a bias:
/// `[batch, units]`. All weights begin at 0: `linear/<key>/weights` `[buckets or numbers, units]`,
/// `linear/bias`. Throws invalid_argument for an embedding.
Output linear_model(const Transform& transform, const std::vector<FeatureColumn>& columns,
                    const PreparedBatch& prepared, int64_t units,
                    const Regularizer& regularizer = {});

}  // namespace thalweg
