// Building nodes that draw from other than uniform and normal distributions. Seeds as in
// thalweg/ops/random.h.
#pragma once

#include "thalweg/ops/random.h"

namespace thalweg {

/// For each row of `logits` `[batch, classes]` that many classes, drawn with probabilities
/// softmax(logits): int64 `[batch, num_samples]`. Multinomial
Output multinomial(Output logits, int64_t num_samples, const RandomOptions& options = {});
/// The same as a function of the seed `[2]`. StatelessMultinomial
Output stateless_multinomial(Output logits, int64_t num_samples, Output seed,
                             const StatelessRandomOptions& options = {});
/// Gamma numbers of shape parameter alpha and scale 1: `shape` of them for each alpha. RandomGamma
Output random_gamma(const IntVector& shape, Output alpha, const RandomOptions& options = {});
/// Poisson numbers of mean `rate`: `shape` of them for each rate, of `options.dtype`.
/// RandomPoissonV2
Output random_poisson(const IntVector& shape, Output rate, const RandomOptions& options = {});
/// Normal numbers of `mean` and `stddev` within [low, high]; parameters are scalars or have an
/// entry for each of the result's first dimension. ParameterizedTruncatedNormal
Output parameterized_truncated_normal(const IntVector& shape, Output mean, Output stddev,
                                      Output low, Output high, const RandomOptions& options = {});

}  // namespace thalweg
