#include <numeric>
#include <type_traits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/random_stream.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using reference::StreamSource;

// Elements that one block makes: a double takes two words.
template <class T>
constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;

// Fills an output with what `number(block, j)` makes of its Philox block, j counting the elements
// of that block.
template <class T, class F>
void fill_by_block(const RandomStream& stream, T* to, int64_t count, F&& number) {
  for (int64_t i = 0; i < count; i += kPerBlock<T>) {
    const PhiloxBlock block = stream.block(static_cast<uint64_t>(i / kPerBlock<T>));
    for (int64_t j = 0; j < kPerBlock<T> && i + j < count; ++j)
      to[i + j] = number(block, static_cast<size_t>(j));
  }
}

template <class T>
T uniform(const PhiloxBlock& block, size_t j) {
  if constexpr (std::is_same_v<T, double>) {
    return unit_double(block[2 * j], block[2 * j + 1]);
  } else if constexpr (std::is_same_v<T, float>) {
    return unit_float(block[j]);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return unit_bfloat16(block[j]);
  } else {
    return unit_float16(block[j]);
  }
}

template <class T>
T normal(const PhiloxBlock& block, size_t j) {
  if constexpr (std::is_same_v<T, double>) {
    const auto [first, second] = normal_doubles(block);
    return j == 0 ? first : second;
  } else {
    const auto [first, second] = normal_floats(block[j & 2], block[(j & 2) + 1]);
    return T(j % 2 == 0 ? first : second);
  }
}

// Elements of one group are drawn from 256 words an element set aside for it: numbers are drawn in
// pairs, and those of 2 and more are left out. (TensorFlow sets as many aside; with 4.6 % left out
// they never run short.)
template <class T>
void fill_truncated(const RandomStream& stream, T* to, int64_t count) {
  constexpr int64_t kGroup = kPerBlock<T>;
  constexpr int64_t kBlocksPerGroup = kGroup * 256 / 4;
  for (int64_t begin = 0; begin < count; begin += kGroup) {
    int64_t made = 0;
    const auto keep = [&](double value) {
      if (std::abs(value) < 2 && made < kGroup) {
        if (begin + made < count) to[begin + made] = narrow<T>(value);
        ++made;
      }
    };
    for (int64_t n = begin / kGroup * kBlocksPerGroup; made < kGroup; ++n) {
      const PhiloxBlock block = stream.block(static_cast<uint64_t>(n));
      if constexpr (std::is_same_v<T, double>) {
        const auto [first, second] = normal_doubles(block);
        keep(first);
        keep(second);
      } else {
        for (size_t j = 0; j < 4; j += 2) {
          const auto [first, second] = normal_floats(block[j], block[j + 1]);
          keep(first);
          keep(second);
        }
      }
    }
  }
}

// A kernel that calls fill(stream, T* to, count).
template <class F>
KernelPtr make_filler(const KernelRequest& request, F fill) {
  return visit_floats(request.outputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([fill, source = StreamSource(request), dims = IntsInput(request, 0),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const Shape shape = reference::requested_shape(dims.read(context));
      fill(source.stream(context), static_cast<T*>(place.memory(context, shape)),
           shape.num_elements());
    });
  });
}

KernelPtr make_uniform(const KernelRequest& request) {
  return make_filler(request, []<class T>(const RandomStream& stream, T* to, int64_t count) {
    fill_by_block(stream, to, count, uniform<T>);
  });
}

KernelPtr make_normal(const KernelRequest& request) {
  return make_filler(request, []<class T>(const RandomStream& stream, T* to, int64_t count) {
    fill_by_block(stream, to, count, normal<T>);
  });
}

KernelPtr make_truncated_normal(const KernelRequest& request) {
  return make_filler(request, []<class T>(const RandomStream& stream, T* to, int64_t count) {
    fill_truncated(stream, to, count);
  });
}

template <class T>
KernelPtr make_bounded(const KernelRequest& request) {
  const auto low_input = static_cast<int>(request.inputs.size()) - 2;
  return make_kernel([low_input, source = StreamSource(request), dims = IntsInput(request, 0),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    using Word = std::make_unsigned_t<T>;
    const T low = *context.input<T>(low_input);
    const T high = *context.input<T>(low_input + 1);
    if (low >= high) throw invalid_argument("`minval` ", low, " must be below `maxval` ", high);
    // Unsigned, for high - low may be more than a T holds.
    const Word range = static_cast<Word>(high) - static_cast<Word>(low);
    const Shape shape = reference::requested_shape(dims.read(context));
    fill_by_block(source.stream(context), static_cast<T*>(place.memory(context, shape)),
                  shape.num_elements(), [&](const PhiloxBlock& block, size_t j) {
                    Word word = block[j];
                    if constexpr (sizeof(T) == 8)
                      word = block[2 * j] | uint64_t{block[2 * j + 1]} << 32;
                    return static_cast<T>(static_cast<Word>(low) + word % range);
                  });
  });
}

KernelPtr make_uniform_int(const KernelRequest& request) {
  switch (request.outputs[0].dtype) {
    case kInt32: return make_bounded<int32_t>(request);
    case kInt64: return make_bounded<int64_t>(request);
    case kUInt32: return make_bounded<uint32_t>(request);
    case kUInt64: return make_bounded<uint64_t>(request);
    default: return nullptr;
  }
}

// All integers of the type alike.
template <class T>
KernelPtr make_full(const KernelRequest& request) {
  return make_kernel([source = StreamSource(request), dims = IntsInput(request, 0),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Shape shape = reference::requested_shape(dims.read(context));
    fill_by_block(source.stream(context), static_cast<T*>(place.memory(context, shape)),
                  shape.num_elements(), [](const PhiloxBlock& block, size_t j) {
                    if constexpr (sizeof(T) == 8)
                      return static_cast<T>(block[2 * j] | uint64_t{block[2 * j + 1]} << 32);
                    else
                      return static_cast<T>(block[j]);
                  });
  });
}

KernelPtr make_full_int(const KernelRequest& request) {
  switch (request.outputs[0].dtype) {
    case kInt32: return make_full<int32_t>(request);
    case kInt64: return make_full<int64_t>(request);
    case kUInt32: return make_full<uint32_t>(request);
    case kUInt64: return make_full<uint64_t>(request);
    default: return nullptr;
  }
}

// The stream of a seed, as the inputs of the second version of the stateless ops.
KernelPtr make_key_counter(const KernelRequest& request) {
  return make_kernel([source = StreamSource(request),
                      has_algorithm = request.outputs.size() > 2](KernelContext& context) {
    const RandomStream stream = source.stream(context);
    const auto join = [](uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; };
    context.output<uint64_t>(0)[0] = join(stream.key.lo, stream.key.hi);
    context.output<uint64_t>(1)[0] = join(stream.start[0], stream.start[1]);
    context.output<uint64_t>(1)[1] = join(stream.start[2], stream.start[3]);
    if (has_algorithm) *context.output<int32_t>(2) = 1;
  });
}

KernelPtr make_algorithm(const KernelRequest&) {
  return make_kernel([](KernelContext& context) { *context.output<int32_t>(0) = 1; });
}

// Fisher and Yates: element i trades places with one of those from i on.
KernelPtr make_shuffle(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel(
      [dtype = x.dtype, shape = x.shape, source = StreamSource(request)](KernelContext& context) {
        const int64_t count = shape.rank() == 0 ? 1 : shape[0];
        const int64_t inner = shape.rank() == 0 ? 1 : shape.slice(1).num_elements();
        const RandomStream stream = source.stream(context);
        Ints order(static_cast<size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        PhiloxBlock block{};
        for (size_t i = 0; i + 1 < order.size(); ++i) {
          if (i % 4 == 0) block = stream.block(i / 4);
          std::swap(order[i], order[i + block[i % 4] % (order.size() - i)]);
        }
        for (int64_t& row : order) row *= inner;
        reference::gather_elements(dtype, {order, reference::evenly(0, 1, inner)},
                                   context.input_pointer(0), context.output_pointer(0));
      });
}

constexpr KernelDef kKernels[] = {
    {"RandomUniform", "reference", make_uniform},
    {"RandomStandardNormal", "reference", make_normal},
    {"TruncatedNormal", "reference", make_truncated_normal},
    {"RandomUniformInt", "reference", make_uniform_int},
    {"RandomShuffle", "reference", make_shuffle},
    {"StatelessRandomUniform", "reference", make_uniform},
    {"StatelessRandomNormal", "reference", make_normal},
    {"StatelessTruncatedNormal", "reference", make_truncated_normal},
    {"StatelessRandomUniformInt", "reference", make_uniform_int},
    {"StatelessRandomUniformFullInt", "reference", make_full_int},
    {"StatelessRandomUniformV2", "reference", make_uniform},
    {"StatelessRandomNormalV2", "reference", make_normal},
    {"StatelessTruncatedNormalV2", "reference", make_truncated_normal},
    {"StatelessRandomUniformIntV2", "reference", make_uniform_int},
    {"StatelessRandomUniformFullIntV2", "reference", make_full_int},
    {"StatelessRandomGetKeyCounter", "reference", make_key_counter},
    {"StatelessRandomGetKeyCounterAlg", "reference", make_key_counter},
    {"StatelessRandomGetAlg", "reference", make_algorithm},
};

}  // namespace

std::span<const KernelDef> reference_random_kernels() { return kKernels; }

}  // namespace thalweg
