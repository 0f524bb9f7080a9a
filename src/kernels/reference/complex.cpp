#include <cmath>
#include <complex>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: loops in its words
using Request = const KernelRequest&;

// A row of f(operands), which all have type In.
template <class In, class Out, class F, size_t... I>
void mapped_row(const void* const* operands, const int64_t* steps, void* output, int64_t count,
                double) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<Out*>(output)[i] = Out(F{}(static_cast<const In*>(operands[I])[i * steps[I]]...));
  }
}

template <class F, size_t... I, class... Ins, class... Outs>
KernelPtr make_mapped(Request request, Types<Ins...>, Types<Outs...>, std::index_sequence<I...>) {
  const DType from = request.inputs[0].dtype, to = request.outputs[0].dtype;
  RowLoop loop = nullptr;
  const auto find_out = [&]<class In>(TypeTag<In>) {
    ((to == kDTypeOf<Outs> ? void(loop = &mapped_row<In, Outs, F, I...>) : void()), ...);
  };
  ((from == kDTypeOf<Ins> ? find_out(TypeTag<Ins>{}) : void()), ...);
  return loop == nullptr ? nullptr : make_elementwise(request, loop);
}

constexpr Types<float, double> kReal;

template <class F>
constexpr KernelDef part_kernel(std::string_view op, F) {
  return {op, "reference", [](Request request) {
            return make_mapped<F>(request, kComplex, kReal, std::make_index_sequence<1>{});
          }};
}

constexpr auto kJoin = []<class T>(T re, T im) { return std::complex<T>(re, im); };

constexpr KernelDef kKernels[] = {
    {"Complex", "reference",
     [](Request request) {
       return make_mapped<decltype(kJoin)>(request, kReal, kComplex, std::make_index_sequence<2>{});
     }},
    part_kernel("Real", [](auto z) { return z.real(); }),
    part_kernel("Imag", [](auto z) { return z.imag(); }),
    part_kernel("Angle", [](auto z) { return std::arg(z); }),
    part_kernel("ComplexAbs", [](auto z) { return std::abs(z); }),
    unary_kernel("Conj", kComplex, [](auto z) { return std::conj(z); }),
};

}  // namespace

std::span<const KernelDef> reference_complex_kernels() { return kKernels; }

}  // namespace thalweg
