#include "thalweg/ops/candidate_sampling.h"

#include "ops/draw.h"
#include "ops/families.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

Shape true_classes_shape(const ShapeContext& c) {
  Shape classes = c.with_rank(0, 2);
  const int64_t columns = c.attr<int64_t>("num_true");
  if (classes[1] != kUnknownDim && classes[1] != columns)
    throw c.error("`true_classes` must have ", columns, " columns (num_true), got ", classes);
  classes.set_dim(1, columns);
  return classes;
}

void sampler_shape(ShapeContext& c) {
  const Shape samples{c.attr<int64_t>("num_sampled")};
  c.set_output(0, samples);
  c.set_output(1, true_classes_shape(c));
  c.set_output(2, samples);
}

void hits_shape(ShapeContext& c) {
  true_classes_shape(c);
  c.with_rank(1, 1);
  for (int i = 0; i < 3; ++i) c.set_output(i, Shape{kUnknownDim});
}

constexpr const char* kTrue = "true_classes: int64 | True classes, `[batch, num_true]`.";
constexpr const char* kNumTrue = "num_true: int >= 1 | True classes a row.";
constexpr const char* kNumSampled = "num_sampled: int >= 1 | Classes to draw.";
constexpr const char* kUnique = "unique: bool | Whether no class is drawn twice.";
constexpr const char* kRange = "range_max: int >= 1 | Number of classes.";
constexpr const char* kSeed = "seed: int = 0 | Chooses the sequence.";
constexpr const char* kSeed2 = "seed2: int = 0 | Chooses it further.";
constexpr const char* kSampled = "sampled_candidates: int64 | Classes, `[num_sampled]`.";
constexpr const char* kTrueCount =
    "true_expected_count: float | How often each true class is expected among the samples, "
    "`[batch, num_true]`.";
constexpr const char* kSampledCount =
    "sampled_expected_count: float | How often each sampled class is, `[num_sampled]`.";
constexpr std::string_view kNoGradient = "it takes and gives classes, which are integers";

constexpr OpDef sampler(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {kTrue},
          .outputs = {kSampled, kTrueCount, kSampledCount},
          .attrs = {kNumTrue, kNumSampled, kUnique, kRange, kSeed, kSeed2},
          .doc = doc,
          .shape = sampler_shape,
          .no_gradient = kNoGradient,
          .effect = Effect::kRandom};
}

constexpr OpDef kOps[] = {
    sampler("UniformCandidateSampler", "Draws classes alike. Seeds and runs as in RandomUniform."),
    sampler(
        "LogUniformCandidateSampler",
        "Draws class k with probability log((k + 2) / (k + 1)) / log(range_max + 1): Zipf's law "
        "for classes sorted by falling frequency. Seeds and runs as in RandomUniform."),
    sampler("ThreadUnsafeUnigramCandidateSampler",
            "Draws classes as often as they were among `true_classes` in earlier runs; to begin "
            "with each counts once. Counts begin anew where a plan is built anew. Seeds and runs "
            "as in RandomUniform."),
    sampler("LearnedUnigramCandidateSampler",
            "ThreadUnsafeUnigramCandidateSampler under another name: both guard themselves here."),
    {.name = "FixedUnigramCandidateSampler",
     .inputs = {kTrue},
     .outputs = {kSampled, kTrueCount, kSampledCount},
     .attrs = {kNumTrue, kNumSampled, kUnique, kRange,
               "vocab_file: string = '' | A text file whose lines end with a comma and the weight "
               "of a class.",
               "distortion: float = 1 | Weights are raised to this power.",
               "num_reserved_ids: int = 0 | Classes before those, which are never drawn.",
               "num_shards: int >= 1 = 1 | Only each num_shards-th class is taken, ...",
               "shard: int >= 0 = 0 | ... from this one on.",
               "unigrams: list(float) = [] | The weights, in place of a file.", kSeed, kSeed2},
     .doc = "Draws classes with given weights. Seeds and runs as in RandomUniform.",
     .shape = sampler_shape,
     .no_gradient = kNoGradient,
     .effect = Effect::kRandom},
    {.name = "AllCandidateSampler",
     .inputs = {kTrue},
     .outputs = {kSampled, kTrueCount, kSampledCount},
     .attrs = {kNumTrue, "num_sampled: int >= 1 | Number of classes.", kUnique, kSeed, kSeed2},
     .doc = "All classes, each once; for tests of what samplers stand in for.",
     .shape = sampler_shape,
     .no_gradient = kNoGradient},
    {.name = "ComputeAccidentalHits",
     .inputs = {kTrue, "sampled_candidates: int64 | Sampled classes, `[num_sampled]`."},
     .outputs = {"indices: int32 | Rows of `true_classes`, `[count]`.",
                 "ids: int64 | Positions in `sampled_candidates`, `[count]`.",
                 "weights: float | The lowest float, `[count]`."},
     .attrs = {"num_true: int | True classes a row.", kSeed, kSeed2},
     .doc = "Where sampled classes happen to be true ones, to mask their scores with `weights`.",
     .shape = hits_shape,
     .no_gradient = kNoGradient},
};

Candidates add_sampler(std::string_view op, Output true_classes, int64_t num_sampled,
                       int64_t range_max, const SamplerOptions& options) {
  const Shape& shape = true_classes.shape();
  if (shape.rank() != 2 || shape[1] == kUnknownDim)
    throw invalid_argument("true_classes must be [batch, num_true], got ", shape);
  Node& node = draw(true_classes.graph(), op, {true_classes},
                    {{"num_true", shape[1]},
                     {"num_sampled", num_sampled},
                     {"unique", options.unique},
                     {"range_max", range_max}},
                    options.random);
  return {node.output(0), node.output(1), node.output(2)};
}

}  // namespace

std::span<const OpDef> candidate_sampling_ops() { return kOps; }

Candidates uniform_candidate_sampler(Output true_classes, int64_t num_sampled, int64_t range_max,
                                     const SamplerOptions& options) {
  return add_sampler("UniformCandidateSampler", true_classes, num_sampled, range_max, options);
}

Candidates log_uniform_candidate_sampler(Output true_classes, int64_t num_sampled,
                                         int64_t range_max, const SamplerOptions& options) {
  return add_sampler("LogUniformCandidateSampler", true_classes, num_sampled, range_max, options);
}

AccidentalHits compute_accidental_hits(Output true_classes, Output sampled) {
  const Shape& shape = true_classes.shape();
  if (shape.rank() != 2 || shape[1] == kUnknownDim)
    throw invalid_argument("true_classes must be [batch, num_true], got ", shape);
  Node& node = true_classes.graph().add("ComputeAccidentalHits", {true_classes, sampled},
                                        {{"num_true", shape[1]}});
  return {node.output(0), node.output(1), node.output(2)};
}

}  // namespace thalweg
