// Candidate samplers: a few classes that stand for all in a loss, with how often each is expected.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "kernels/families.h"
#include "kernels/reference/random_stream.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: streams in its words
using Request = const KernelRequest&;

// Uniform over the classes.
struct UniformClasses {
  explicit UniformClasses(int64_t n) : size(n) {}
  int64_t sample(RandomWords& random) const {
    return static_cast<int64_t>(random.below(static_cast<uint64_t>(size)));
  }
  double probability(int64_t) const { return 1.0 / static_cast<double>(size); }
  int64_t size;
};

// Zipf's law for classes sorted by falling frequency: P(k) = log((k + 2) / (k + 1)) / log(n + 1).
struct LogUniformClasses {
  explicit LogUniformClasses(int64_t n) : size(n), log_size(std::log1p(static_cast<double>(n))) {}
  int64_t sample(RandomWords& random) const {
    const auto k = static_cast<int64_t>(std::exp(random.uniform() * log_size)) - 1;
    return k % size;  // rounding may reach n
  }
  double probability(int64_t k) const {
    return std::log((static_cast<double>(k) + 2) / (static_cast<double>(k) + 1)) / log_size;
  }
  int64_t size;
  double log_size;
};

// How often a class is expected among `wanted` samples, for which `tries` were drawn.
float expected_count(double probability, int64_t wanted, int64_t tries) {
  if (tries == wanted) return static_cast<float>(probability * static_cast<double>(wanted));
  return static_cast<float>(-std::expm1(static_cast<double>(tries) * std::log1p(-probability)));
}

template <class Classes>
KernelPtr make_sampler(Request request) {
  const Node& node = request.node;
  const int64_t size = node.attr<int64_t>("range_max");
  const int64_t wanted = node.attr<int64_t>("num_sampled");
  const bool unique = node.attr<bool>("unique");
  if (unique && wanted > size)
    throw invalid_argument("num_sampled ", wanted, " different classes of ", size,
                           " cannot be drawn: range_max must not be below");
  const int64_t true_count = request.inputs[0].shape.num_elements();
  return make_kernel(
      [=, classes = Classes(size), source = StreamSource(request)](KernelContext& c) {
        RandomWords random(source.stream(c));
        int64_t* samples = c.output<int64_t>(0);
        std::set<int64_t> used;
        int64_t tries = 0;
        for (int64_t i = 0; i < wanted;) {
          const int64_t k = classes.sample(random);
          ++tries;
          if (!unique || used.insert(k).second) samples[i++] = k;
        }
        for (int64_t i = 0; i < true_count; ++i) {
          const int64_t k = c.input<int64_t>(0)[i];
          if (k < 0 || k >= size)
            throw invalid_argument("`true_classes` holds ", k, ", outside of [0, ", size, ")");
          c.output<float>(1)[i] = expected_count(classes.probability(k), wanted, tries);
        }
        for (int64_t i = 0; i < wanted; ++i)
          c.output<float>(2)[i] = expected_count(classes.probability(samples[i]), wanted, tries);
      });
}

// All classes, each once.
KernelPtr make_all(Request request) {
  const int64_t wanted = request.node.attr<int64_t>("num_sampled");
  const int64_t true_count = request.inputs[0].shape.num_elements();
  return make_kernel([=](KernelContext& c) {
    for (int64_t i = 0; i < wanted; ++i) c.output<int64_t>(0)[i] = i;
    std::fill_n(c.output<float>(1), true_count, 1.0f);
    std::fill_n(c.output<float>(2), wanted, 1.0f);
  });
}

// Where samples happen to be true classes, to mask them out of the loss.
KernelPtr make_accidental_hits(Request request) {
  const int64_t rows = request.inputs[0].shape[0], columns = request.inputs[0].shape[1];
  const int64_t count = request.inputs[1].shape[0];
  return make_kernel([=](KernelContext& c) {
    std::map<int64_t, int64_t> place;
    for (int64_t i = 0; i < count; ++i) place[c.input<int64_t>(1)[i]] = i;
    std::vector<int32_t> indices;
    std::vector<int64_t> ids;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const auto found = place.find(c.input<int64_t>(0)[row * columns + column]);
        if (found == place.end()) continue;
        indices.push_back(static_cast<int32_t>(row));
        ids.push_back(found->second);
      }
    }
    const Shape shape{static_cast<int64_t>(ids.size())};
    const std::vector<float> weights(ids.size(), -std::numeric_limits<float>::max());
    c.set_output(0, Tensor::from(std::span<const int32_t>(indices), shape));
    c.set_output(1, Tensor::from(std::span<const int64_t>(ids), shape));
    c.set_output(2, Tensor::from(std::span<const float>(weights), shape));
  });
}

constexpr KernelDef kKernels[] = {
    {"UniformCandidateSampler", "reference", make_sampler<UniformClasses>},
    {"LogUniformCandidateSampler", "reference", make_sampler<LogUniformClasses>},
    {"AllCandidateSampler", "reference", make_all},
    {"ComputeAccidentalHits", "reference", make_accidental_hits},
};

}  // namespace

std::span<const KernelDef> reference_candidate_sampling_kernels() { return kKernels; }

}  // namespace thalweg
