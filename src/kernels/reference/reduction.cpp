// Reductions: every element of the input is taken in row-major order into the accumulator of its
// output element.
#include <cmath>
#include <limits>
#include <span>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: types in its words
using Request = const KernelRequest&;

// How the input's cells map to the output's.
struct Reduction {
  Shape input;
  Shape output;
  std::vector<int64_t> output_steps;  // for a step along each input dimension
  int64_t group = 1;                  // input cells for each output cell
};

std::vector<int64_t> read_axes(const KernelContext& context, const TensorSpec& spec) {
  const int64_t count = spec.shape.num_elements();
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < count; ++i) {
    axes.push_back(spec.dtype == kInt32 ? context.input<int32_t>(1)[i]
                                        : context.input<int64_t>(1)[i]);
  }
  return axes;
}

Reduction plan_reduction(const Shape& input, const std::vector<int64_t>& axes, bool keep_dims) {
  const int rank = input.rank();
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      throw invalid_argument("axis ", axis, " is outside [", -rank, ", ", rank, ")");
    const auto dim = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (reduced[dim]) throw invalid_argument("axes ", axes, " name dimension ", dim, " twice");
    reduced[dim] = true;
  }
  Reduction plan{.input = input,
                 .output_steps = std::vector<int64_t>(static_cast<size_t>(rank), 0)};
  std::vector<int64_t> dims;
  int64_t step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    if (reduced[static_cast<size_t>(i)]) {
      plan.group *= input[i];
      if (keep_dims) dims.insert(dims.begin(), 1);
    } else {
      plan.output_steps[static_cast<size_t>(i)] = step;
      step *= input[i];
      dims.insert(dims.begin(), input[i]);
    }
  }
  plan.output = Shape(dims);
  return plan;
}

// Calls f(input cell, output cell) for every input cell.
template <class F>
void for_each_cell(const Reduction& plan, F f) {
  const int64_t count = plan.input.num_elements();
  std::vector<int64_t> position(plan.output_steps.size(), 0);
  int64_t target = 0;
  for (int64_t i = 0; i < count; ++i) {
    f(i, target);
    for (size_t d = position.size(); d-- > 0;) {
      target += plan.output_steps[d];
      if (++position[d] < plan.input[static_cast<int>(d)]) break;
      target -= plan.output_steps[d] * position[d];
      position[d] = 0;
    }
  }
}

// A reducer of elements T: its accumulator starts at initial(), takes each element by step(), and
// gives a T by finish().
template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;
// What floats and complex numbers add up in.
template <class T>
using Precise = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;

template <class T>
struct Summing {
  // Integers add up modulo their range.
  using Accumulator = std::conditional_t<std::is_integral_v<T>, T, Precise<T>>;
  static Accumulator initial() { return 0; }
  static Accumulator step(Accumulator sum, T x) {
    return wrapping_add(sum, Accumulator(Arithmetic<T>(x)));
  }
  static T finish(Accumulator sum, int64_t) { return T(Arithmetic<T>(sum)); }
};

template <class T>
struct Averaging {
  using Accumulator =
      std::conditional_t<!std::is_integral_v<T>, Precise<T>,
                         std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  static Accumulator initial() { return 0; }
  static Accumulator step(Accumulator sum, T x) {
    return wrapping_add(sum, Accumulator(Arithmetic<T>(x)));
  }
  static T finish(Accumulator sum, int64_t group) {
    if constexpr (std::is_integral_v<T>) {
      return group == 0 ? T{0} : static_cast<T>(sum / static_cast<Accumulator>(group));
    } else {
      return T(Arithmetic<T>(sum / static_cast<double>(group)));
    }
  }
};

template <class T>
struct Multiplying {
  using Accumulator = typename Summing<T>::Accumulator;
  static Accumulator initial() { return 1; }
  static Accumulator step(Accumulator product, T x) {
    return wrapping_mul(product, Accumulator(Arithmetic<T>(x)));
  }
  static T finish(Accumulator product, int64_t) { return T(Arithmetic<T>(product)); }
};

template <class T, bool kLargest>
struct Choosing {
  using Accumulator = Arithmetic<T>;
  using Limits = std::numeric_limits<Accumulator>;
  static Accumulator initial() {
    if constexpr (Limits::has_infinity)
      return kLargest ? -Limits::infinity() : Limits::infinity();
    else
      return kLargest ? Limits::lowest() : Limits::max();
  }
  static Accumulator step(Accumulator best, T x) {
    const Accumulator value(x);
    const bool better = kLargest ? value > best : value < best;
    return better || is_nan(value) ? value : best;
  }
  static T finish(Accumulator best, int64_t) { return T(best); }
};
template <class T>
using Largest = Choosing<T, true>;
template <class T>
using Smallest = Choosing<T, false>;

template <bool kAll>
struct Judging {
  using Accumulator = char;  // a vector of bool has no cells
  static char initial() { return kAll; }
  static char step(char so_far, bool x) { return kAll ? so_far && x : so_far || x; }
  static bool finish(char result, int64_t) { return result != 0; }
};

using Reduce = void (*)(const Reduction& plan, const void* input, void* output);

template <class T, class Reducer>
void reduce(const Reduction& plan, const void* input, void* output) {
  std::vector<typename Reducer::Accumulator> sums(static_cast<size_t>(plan.output.num_elements()),
                                                  Reducer::initial());
  for_each_cell(plan, [&](int64_t from, int64_t to) {
    auto& sum = sums[static_cast<size_t>(to)];
    sum = Reducer::step(sum, static_cast<const T*>(input)[from]);
  });
  for (size_t i = 0; i < sums.size(); ++i)
    static_cast<T*>(output)[i] = Reducer::finish(sums[i], plan.group);
}

KernelPtr make_reduction(Request request, Reduce reduce) {
  if (reduce == nullptr) return nullptr;
  const TensorSpec output = request.outputs[0];
  TensorSpec axes = request.inputs[1];
  axes.constant = nullptr;  // only lent for this call
  return make_kernel([=, input = request.inputs[0].shape,
                      keep_dims = request.node.attr<bool>("keep_dims")](KernelContext& context) {
    const Reduction plan = plan_reduction(input, read_axes(context, axes), keep_dims);
    if (output.shape.is_fully_defined()) {
      return reduce(plan, context.input_pointer(0), context.output_pointer(0));
    }
    Tensor result(output.dtype, plan.output);
    reduce(plan, context.input_pointer(0), result.mutable_raw());
    context.set_output(0, std::move(result));
  });
}

template <template <class> class Reducer, class... Ts>
Reduce find_reduce(DType dtype, Types<Ts...>) {
  Reduce found = nullptr;
  ((dtype == kDTypeOf<Ts> ? void(found = &reduce<Ts, Reducer<Ts>>) : void()), ...);
  return found;
}

template <template <class> class Reducer>
constexpr KernelDef numeric(std::string_view op) {
  return {op, "reference", [](Request r) {
            return make_reduction(r, find_reduce<Reducer>(r.inputs[0].dtype, kNumbers));
          }};
}
template <template <class> class Reducer>
constexpr KernelDef numeric_or_complex(std::string_view op) {
  return {op, "reference", [](Request r) {
            return make_reduction(r, find_reduce<Reducer>(r.inputs[0].dtype, kNumbers + kComplex));
          }};
}

constexpr KernelDef kKernels[] = {
    numeric_or_complex<Summing>("Sum"),
    numeric_or_complex<Averaging>("Mean"),
    numeric<Multiplying>("Prod"),
    numeric<Largest>("Max"),
    numeric<Smallest>("Min"),
    {"Any", "reference",
     [](Request r) { return make_reduction(r, &reduce<bool, Judging<false>>); }},
    {"All", "reference", [](Request r) { return make_reduction(r, &reduce<bool, Judging<true>>); }},
};

}  // namespace

std::span<const KernelDef> reference_reduction_kernels() { return kKernels; }

}  // namespace thalweg
