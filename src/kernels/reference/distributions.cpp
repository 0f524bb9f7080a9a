// Numbers of other than uniform and normal distributions. Each element has blocks of its own set
// aside, of which rejection uses as many as it takes: these are TensorFlow's algorithms and blocks,
// so that equal seeds give its numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/random_stream.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: streams in its words
using Request = const KernelRequest&;

constexpr uint64_t kBlocksAnElement = 256;

double number(DType dtype, const void* data, int64_t i) {
  double value = 0;
  convert_elements(dtype, element_at(dtype, data, i), kFloat64, &value, 1);
  return value;
}

// From pairs of a normal and a uniform number (Marsaglia and Tsang 2000).
double gamma_sample(double alpha, RandomDoubles& random) {
  if (alpha == 1) return -std::log1p(-random.uniform());
  // Below 1 a sample of alpha + 1 is scaled down.
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    const double x = random.normal();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = random.uniform();
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      return small ? d * v * std::pow(random.uniform(), 1 / alpha) : d * v;
    }
  }
}

// Counts events of a process below 10, and rejects from a transformed uniform number above
// (Hormann 1993).
double poisson_sample(double rate, RandomDoubles& random, double largest) {
  if (!std::isfinite(rate) || rate < 0) return std::numeric_limits<double>::quiet_NaN();
  if (rate > largest) {
    throw invalid_argument("a rate of ", rate, " gives numbers above ", largest,
                           ", the largest that the result can hold");
  }
  if (rate < 10) {
    const double end = std::exp(-rate);
    double product = 1;
    for (double x = 0;; ++x) {
      product *= random.uniform();
      if (product <= end && x <= largest) return x;
    }
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  while (true) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double shifted = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > largest) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    const double t = -rate + k * log_rate - std::lgamma(k + 1);
    if (s <= t) return k;
  }
}

// Samples for each parameter: the stateful ops give `shape` of them each, results `[shape...,
// parameters...]`; the stateless ones fill `shape`, whose last dimensions are the parameters'.
class Samples {
 public:
  Samples(Request request, std::string_view parameter)
      : source_(request), dims_(request, 0), place_(request, 0) {
    const auto& arguments = request.node.op().inputs;
    while (arguments[static_cast<size_t>(input_)].name != parameter) ++input_;
    parameters_ = request.inputs[static_cast<size_t>(input_)];
    parameters_.constant = nullptr;
    repeats_ = request.node.find_attr("seed") != nullptr;
  }

  // sample(parameter, random) for each.
  template <class T, class F>
  void fill(KernelContext& context, F sample) const {
    Shape shape = requested_shape(dims_.read(context));
    const int64_t parameters = parameters_.shape.num_elements();
    if (repeats_) {
      shape = shape.concat(parameters_.shape);
    } else if (shape.rank() < parameters_.shape.rank() ||
               !(shape.slice(shape.rank() - parameters_.shape.rank()) == parameters_.shape)) {
      throw invalid_argument("`shape` ", shape, " must end with that of the parameters, ",
                             parameters_.shape);
    }
    T* out = static_cast<T*>(place_.memory(context, shape));
    const int64_t each = parameters == 0 ? 0 : shape.num_elements() / parameters;
    const RandomStream stream = source_.stream(context);
    for (int64_t p = 0; p < parameters; ++p) {
      const double parameter = number(parameters_.dtype, context.input_pointer(input_), p);
      for (int64_t i = 0; i < each; ++i) {
        RandomDoubles random(stream, kBlocksAnElement * static_cast<uint64_t>(p * each + i));
        out[i * parameters + p] = static_cast<T>(sample(parameter, random));
      }
    }
  }

 private:
  StreamSource source_;
  IntsInput dims_;
  OutputPlace place_;
  TensorSpec parameters_;
  int input_ = 0;
  bool repeats_ = false;
};

// Calls f for the types that samples are stored in.
template <class F>
KernelPtr visit_samples(DType dtype, F f) {
  switch (dtype) {
    case kFloat32: return f(TypeTag<float>{});
    case kFloat64: return f(TypeTag<double>{});
    case kInt32: return f(TypeTag<int32_t>{});
    case kInt64: return f(TypeTag<int64_t>{});
    default: return nullptr;
  }
}

KernelPtr make_gamma(Request request) {
  return visit_samples(request.outputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([samples = Samples(request, "alpha")](KernelContext& context) {
      samples.fill<T>(context, gamma_sample);
    });
  });
}

KernelPtr make_poisson(Request request) {
  const bool stateless = request.node.find_attr("seed") == nullptr;
  return visit_samples(request.outputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [samples = Samples(request, stateless ? "lam" : "rate")](KernelContext& context) {
          samples.fill<T>(context, [](double rate, RandomDoubles& random) {
            return poisson_sample(rate, random, static_cast<double>(std::numeric_limits<T>::max()));
          });
        });
  });
}

// One class a sample, each with its probability: where a uniform number falls among the running
// sums of exp(logits).
KernelPtr make_multinomial(Request request) {
  const TensorSpec logits{.dtype = request.inputs[0].dtype, .shape = request.inputs[0].shape};
  return make_kernel([logits, to = request.outputs[0].dtype, source = StreamSource(request),
                      count = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const int64_t samples = count.read_one(context);
    const int64_t rows = logits.shape[0], classes = logits.shape[1];
    if (samples < 0) throw invalid_argument("`num_samples` must not be negative, got ", samples);
    if (classes == 0 && rows * samples > 0)
      throw invalid_argument("`logits` must have at least one class, got ", logits.shape);
    void* out = place.memory(context, Shape{rows, samples});
    RandomWords random(source.stream(context));
    std::vector<double> sums(static_cast<size_t>(classes));
    for (int64_t row = 0; row < rows; ++row) {
      double largest = std::numeric_limits<double>::lowest(), total = 0;
      const auto logit = [&](int64_t j) {
        return number(logits.dtype, context.input_pointer(0), row * classes + j);
      };
      for (int64_t j = 0; j < classes; ++j)
        if (std::isfinite(logit(j))) largest = std::max(largest, logit(j));
      for (int64_t j = 0; j < classes; ++j) {
        if (std::isfinite(logit(j))) total += std::exp(logit(j) - largest);
        sums[static_cast<size_t>(j)] = total;
      }
      for (int64_t i = 0; i < samples; ++i) {
        const auto found = std::upper_bound(sums.begin(), sums.end(), random.uniform() * total);
        const int64_t chosen = found - sums.begin();
        if (to == kInt32) {
          static_cast<int32_t*>(out)[row * samples + i] = static_cast<int32_t>(chosen);
        } else {
          static_cast<int64_t*>(out)[row * samples + i] = chosen;
        }
      }
    }
  });
}

// A standard normal number within [low, high], low >= 0 or the bounds on both sides of 0: plain
// rejection where much is inside, of an exponential number in the tail (Robert 1995), else of a
// uniform one.
double truncated_sample(double low, double high, RandomDoubles& random) {
  if (high < 0) return -truncated_sample(-high, -low, random);
  const double width = high - low;
  if (low <= 0 && width > 2.5) {
    while (true) {
      const double x = random.normal();
      if (x >= low && x <= high) return x;
    }
  }
  const double rate = (low + std::sqrt(low * low + 4)) / 2;
  if (low > 0 && width * rate > 1) {
    while (true) {
      const double x = low - std::log1p(-random.uniform()) / rate;
      if (x <= high && random.uniform() <= std::exp(-(x - rate) * (x - rate) / 2)) return x;
    }
  }
  const double peak = low > 0 ? low : 0;
  while (true) {
    const double x = low + width * random.uniform();
    if (random.uniform() <= std::exp((peak * peak - x * x) / 2)) return x;
  }
}

KernelPtr make_parameterized_truncated_normal(Request request) {
  return visit_floats(request.outputs[0].dtype, [&]<class T>(TypeTag<T>) {
    std::vector<int64_t> counts;
    for (size_t i = 1; i < 5; ++i) counts.push_back(request.inputs[i].shape.num_elements());
    return make_kernel([counts, source = StreamSource(request), dims = IntsInput(request, 0),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const Shape shape = requested_shape(dims.read(context));
      T* out = static_cast<T*>(place.memory(context, shape));
      const RandomStream stream = source.stream(context);
      const int64_t count = shape.num_elements();
      const int64_t batches = shape.rank() == 0 ? 1 : shape[0];
      for (int64_t i = 0; i < count; ++i) {
        const int64_t batch = i / (count / batches);
        const auto parameter = [&](int k) {
          const int64_t entries = counts[static_cast<size_t>(k - 1)];
          if (entries != 1 && entries != batches)
            throw invalid_argument("parameters must be scalars or have ", batches,
                                   " entries, the first dimension of the shape; got ", entries);
          return widen(context.input<T>(k)[entries == 1 ? 0 : batch]);
        };
        const double mean = parameter(1), deviation = parameter(2);
        const double low = (parameter(3) - mean) / deviation;
        const double high = (parameter(4) - mean) / deviation;
        if (!(deviation > 0) || !(low < high))
          throw invalid_argument("`stdevs` must be above 0 and `minvals` below `maxvals`");
        RandomDoubles random(stream, kBlocksAnElement * static_cast<uint64_t>(i));
        out[i] = narrow<T>(mean + deviation * truncated_sample(low, high, random));
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Multinomial", "reference", make_multinomial},
    {"StatelessMultinomial", "reference", make_multinomial},
    {"RandomGamma", "reference", make_gamma},
    {"StatelessRandomGammaV2", "reference", make_gamma},
    {"StatelessRandomGammaV3", "reference", make_gamma},
    {"RandomPoisson", "reference", make_poisson},
    {"RandomPoissonV2", "reference", make_poisson},
    {"StatelessRandomPoisson", "reference", make_poisson},
    {"ParameterizedTruncatedNormal", "reference", make_parameterized_truncated_normal},
};

}  // namespace

std::span<const KernelDef> reference_distributions_kernels() { return kKernels; }

}  // namespace thalweg
