// Candidate samplers: a few classes that stand for all, for losses over many classes (sampled
// softmax, noise contrastive estimation). Seeds as in thalweg/ops/random.h.
#pragma once

#include "thalweg/ops/random.h"

namespace thalweg {

struct Candidates {
  Output sampled;              // int64 `[num_sampled]`
  Output true_expected_count;  // how often each true class is expected, the shape of true_classes
  Output sampled_expected_count;  // and each sampled one
};
struct SamplerOptions {
  bool unique = true;  ///< no class twice
  RandomOptions random = {};
};
/// Uniform over [0, range_max), for int64 `true_classes` `[batch, num_true]`.
/// UniformCandidateSampler
Candidates uniform_candidate_sampler(Output true_classes, int64_t num_sampled, int64_t range_max,
                                     const SamplerOptions& options = {});
/// By Zipf's law, for classes sorted by falling frequency. LogUniformCandidateSampler
Candidates log_uniform_candidate_sampler(Output true_classes, int64_t num_sampled,
                                         int64_t range_max, const SamplerOptions& options = {});

struct AccidentalHits {
  Output indices;  // rows of true_classes, int32
  Output ids;      // positions in `sampled`, int64
  Output weights;  // the lowest float, to be added to scores
};
/// Where sampled classes are true ones. ComputeAccidentalHits
AccidentalHits compute_accidental_hits(Output true_classes, Output sampled);

}  // namespace thalweg
