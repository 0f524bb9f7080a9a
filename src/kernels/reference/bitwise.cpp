#include <algorithm>
#include <bit>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words

template <class T>
int shift_of(T by) {
  constexpr int kLast = 8 * sizeof(T) - 1;
  if constexpr (std::is_signed_v<T>) {
    if (by < 0) return 0;
  }
  return static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(by), kLast));
}

KernelPtr make_population_count(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) -> KernelPtr {
    if constexpr (std::is_integral_v<T>) {
      return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& context) {
        for (int64_t i = 0; i < count; ++i) {
          const auto word = static_cast<std::make_unsigned_t<T>>(context.input<T>(0)[i]);
          context.output<uint8_t>()[i] = static_cast<uint8_t>(std::popcount(word));
        }
      });
    } else {
      return nullptr;
    }
  });
}

constexpr KernelDef kKernels[] = {
    binary_kernel("BitwiseAnd", kIntegers, []<class T>(T a, T b) { return static_cast<T>(a & b); }),
    binary_kernel("BitwiseOr", kIntegers, []<class T>(T a, T b) { return static_cast<T>(a | b); }),
    binary_kernel("BitwiseXor", kIntegers, []<class T>(T a, T b) { return static_cast<T>(a ^ b); }),
    binary_kernel("LeftShift", kIntegers,
                  []<class T>(T x, T by) {
                    return static_cast<T>(static_cast<uint64_t>(x) << shift_of(by));
                  }),
    binary_kernel("RightShift", kIntegers,
                  []<class T>(T x, T by) { return static_cast<T>(x >> shift_of(by)); }),
    unary_kernel("Invert", kIntegers, []<class T>(T x) { return static_cast<T>(~x); }),
    {"PopulationCount", "reference", make_population_count},
};

}  // namespace

std::span<const KernelDef> reference_bitwise_kernels() { return kKernels; }

}  // namespace thalweg
