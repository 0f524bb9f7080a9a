// Candidate samplers: a few classes that stand for all in a loss, with how often each is expected.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "kernels/families.h"
#include "kernels/reference/random_stream.h"
#include "kernels/reference/text.h"
#include "thalweg/base/file.h"

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

// Classes with given weights, by the alias method (Walker 1977; Vose 1991), whose tables are laid
// out as TensorFlow's so that equal words give its classes: each place holds one class below its
// threshold and another above.
class WeightedClasses {
 public:
  explicit WeightedClasses(std::vector<float> weights)
      : size(static_cast<int64_t>(weights.size())),
        weights_(std::move(weights)),
        total_(std::accumulate(weights_.begin(), weights_.end(), 0.0f)),
        thresholds_(weights_.size(), 1.0f),
        others_(weights_.size(), -1) {
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    std::vector<double> shares;
    std::vector<size_t> high, low;
    for (size_t i = 0; i < weights_.size(); ++i) {
      shares.push_back(static_cast<double>(weights_[i] * static_cast<float>(size)) / sum);
      (shares[i] < 1 ? low : high).push_back(i);
    }
    while (!high.empty() && !low.empty()) {
      const size_t below = low.back(), above = high.back();
      low.pop_back();
      high.pop_back();
      others_[below] = static_cast<int64_t>(above);
      shares[above] -= 1 - shares[below];
      (shares[above] < 1 ? low : high).push_back(above);
    }
    for (size_t i = 0; i < shares.size(); ++i) thresholds_[i] = static_cast<float>(shares[i]);
    // Rounding leaves some a little off one.
    for (const auto* rest : {&high, &low}) {
      for (size_t i : *rest) {
        thresholds_[i] = 1;
        others_[i] = static_cast<int64_t>(i);
      }
    }
  }

  int64_t sample(RandomWords& random) const {
    const float uniform = unit_float(random.word());
    const auto place = static_cast<size_t>(random.below_32(static_cast<uint32_t>(size)));
    return uniform < thresholds_[place] ? static_cast<int64_t>(place) : others_[place];
  }
  double probability(int64_t k) const { return weights_[static_cast<size_t>(k)] / total_; }

  int64_t size;

 private:
  std::vector<float> weights_;
  float total_;
  std::vector<float> thresholds_;
  std::vector<int64_t> others_;
};

// Classes drawn as often as they were true so far, each once to begin with. The counts stand in a
// binary indexed tree (Fenwick 1994): place i holds the sum of the lowbit(i) counts up to it.
class SeenClasses {
 public:
  explicit SeenClasses(int64_t n) : size(n), state_(std::make_shared<State>()) {
    state_->sums.resize(static_cast<size_t>(n) + 1, 0);
    for (int64_t k = 0; k < n; ++k) state_->add(k);
  }

  int64_t sample(RandomWords& random) const {
    const std::lock_guard lock(state_->mutex);
    return state_->find(random.below_32(static_cast<uint32_t>(state_->total)));
  }
  double probability(int64_t k) const {
    const std::lock_guard lock(state_->mutex);
    return static_cast<double>(state_->count(k)) / static_cast<double>(state_->total);
  }
  void see(const int64_t* classes, int64_t n) const {
    const std::lock_guard lock(state_->mutex);
    for (int64_t i = 0; i < n && state_->total < std::numeric_limits<int32_t>::max(); ++i)
      state_->add(classes[i]);
  }

  int64_t size;

 private:
  struct State {
    std::mutex mutex;
    std::vector<int64_t> sums;
    int64_t total = 0;

    void add(int64_t k) {
      for (auto i = static_cast<size_t>(k) + 1; i < sums.size(); i += i & -i) ++sums[i];
      ++total;
    }
    int64_t before(int64_t k) const {
      int64_t sum = 0;
      for (auto i = static_cast<size_t>(k); i > 0; i -= i & -i) sum += sums[i];
      return sum;
    }
    int64_t count(int64_t k) const { return before(k + 1) - before(k); }
    // The class that the rank-th of all counted ones is.
    int64_t find(int64_t rank) const {
      size_t place = 0;
      size_t step = 1;
      while (step * 2 < sums.size()) step *= 2;
      for (; step > 0; step /= 2) {
        if (place + step >= sums.size() || sums[place + step] > rank) continue;
        place += step;
        rank -= sums[place];
      }
      return static_cast<int64_t>(place);
    }
  };
  std::shared_ptr<State> state_;
};

// How often a class is expected among `wanted` samples, for which `tries` were drawn.
float expected_count(double probability, int64_t wanted, int64_t tries) {
  if (tries == wanted) return static_cast<float>(probability * static_cast<double>(wanted));
  return static_cast<float>(-std::expm1(static_cast<double>(tries) * std::log1p(-probability)));
}

template <class Classes>
KernelPtr sampler(Request request, const Classes& classes) {
  const Node& node = request.node;
  const int64_t size = classes.size;
  const int64_t wanted = node.attr<int64_t>("num_sampled");
  const bool unique = node.attr<bool>("unique");
  if (unique && wanted > size)
    throw invalid_argument("num_sampled ", wanted, " different classes of ", size,
                           " cannot be drawn: range_max must not be below");
  const int64_t true_count = request.inputs[0].shape.num_elements();
  return make_kernel([=, source = StreamSource(request)](KernelContext& c) {
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
    if constexpr (requires { classes.see(c.input<int64_t>(0), true_count); })
      classes.see(c.input<int64_t>(0), true_count);
  });
}

template <class Classes>
KernelPtr make_sampler(Request request) {
  const int64_t size = request.node.attr<int64_t>("range_max");
  if (size > std::numeric_limits<int32_t>::max() && std::is_same_v<Classes, SeenClasses>)
    throw invalid_argument("range_max ", size, " is too large: at most 2^31 - 1 classes");
  return sampler(request, Classes(size));
}

// The number behind the last comma of a line.
float weight_of_line(const std::string& line, size_t number, const std::string& path) {
  const size_t comma = line.rfind(',');
  float weight = 0;
  const std::string_view text =
      comma == std::string::npos ? line : std::string_view(line).substr(comma + 1);
  if (!read_number(text, weight)) {
    throw invalid_argument(path, ":", number + 1, ": the last column is `", text,
                           "`, expected the class's weight");
  }
  return weight;
}

KernelPtr make_fixed_unigram(Request request) {
  const Node& node = request.node;
  const auto& file = node.attr<std::string>("vocab_file");
  auto given = node.attr<std::vector<float>>("unigrams");
  if (file.empty() == given.empty())
    throw invalid_argument("either `vocab_file` or `unigrams` must be given, and not both");
  if (!file.empty()) {
    const std::vector<std::string> lines = split(read_file(file), '\n');
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty() || i + 1 < lines.size())
        given.push_back(weight_of_line(lines[i], i, file));
    }
  }
  const auto distortion = node.attr<float>("distortion");
  const int64_t reserved = node.attr<int64_t>("num_reserved_ids");
  const int64_t shards = node.attr<int64_t>("num_shards"), shard = node.attr<int64_t>("shard");
  if (shard >= shards) throw invalid_argument("shard ", shard, " of ", shards, " shards");
  std::vector<float> weights;
  for (int64_t id = 0; id < reserved; ++id) {
    if (id % shards == shard) weights.push_back(0);
  }
  auto id = static_cast<int64_t>(weights.size());  // as TensorFlow counts
  for (float weight : given) {
    if (id++ % shards == shard) weights.push_back(std::pow(weight, distortion));
  }
  const int64_t size = node.attr<int64_t>("range_max");
  if (static_cast<int64_t>(weights.size()) != size) {
    throw invalid_argument("range_max is ", size, ", but there are ", weights.size(),
                           " classes, reserved ones included");
  }
  const auto possible =
      std::count_if(weights.begin(), weights.end(), [](float w) { return w > 0; });
  const bool bad = std::any_of(weights.begin(), weights.end(),
                               [](float w) { return !(w >= 0) || std::isinf(w); });
  if (bad || possible == 0)
    throw invalid_argument("the weights of classes must be finite, not negative and not all 0");
  if (node.attr<bool>("unique") && possible < node.attr<int64_t>("num_sampled")) {
    throw invalid_argument("num_sampled ", node.attr<int64_t>("num_sampled"),
                           " different classes cannot be drawn: ", possible, " have a weight");
  }
  return sampler(request, WeightedClasses(std::move(weights)));
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
    {"ThreadUnsafeUnigramCandidateSampler", "reference", make_sampler<SeenClasses>},
    {"LearnedUnigramCandidateSampler", "reference", make_sampler<SeenClasses>},
    {"FixedUnigramCandidateSampler", "reference", make_fixed_unigram},
    {"AllCandidateSampler", "reference", make_all},
    {"ComputeAccidentalHits", "reference", make_accidental_hits},
};

}  // namespace

std::span<const KernelDef> reference_candidate_sampling_kernels() { return kKernels; }

}  // namespace thalweg
