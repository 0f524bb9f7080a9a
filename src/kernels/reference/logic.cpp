#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words
using Request = const KernelRequest&;

inline constexpr auto kComparable = kNumbers + Types<bool, std::string>{};

// Tensors of shapes that do not broadcast are unequal as wholes, where the attribute allows such a
// comparison at all.
template <class F>
KernelPtr make_equality(Request request, F equality, bool result_if_incompatible) {
  if (!can_broadcast(request.inputs[0].shape, request.inputs[1].shape)) {
    return make_kernel(
        [=](KernelContext& context) { *context.output<bool>() = result_if_incompatible; });
  }
  return binary(request, kComparable, equality);
}

template <class T>
void select_row(const void* const* operands, const int64_t* steps, void* output, int64_t count,
                double) {
  const bool* condition = static_cast<const bool*>(operands[0]);
  const T* if_true = static_cast<const T*>(operands[1]);
  const T* if_false = static_cast<const T*>(operands[2]);
  for (int64_t i = 0; i < count; ++i) {
    static_cast<T*>(output)[i] =
        condition[i * steps[0]] ? if_true[i * steps[1]] : if_false[i * steps[2]];
  }
}

KernelPtr make_select(Request request) {
  std::vector<Shape> shapes;
  for (const TensorSpec& input : request.inputs) shapes.push_back(input.shape);
  if (request.node.type() == "Select" && shapes[0].rank() == 1 && shapes[1].rank() > 1) {
    // One condition a row: as a column it broadcasts.
    for (int i = 1; i < shapes[1].rank(); ++i) shapes[0] = shapes[0].concat(Shape{1});
  }
  return visit_dtype(request.outputs[0].dtype, [&](auto tag) {
    return make_elementwise(request, shapes, &select_row<typename decltype(tag)::type>);
  });
}

constexpr KernelDef kKernels[] = {
    unary_kernel("IsNan", kFloats, [](auto x) { return std::isnan(x); }),
    unary_kernel("IsInf", kFloats, [](auto x) { return std::isinf(x); }),
    unary_kernel("IsFinite", kFloats, [](auto x) { return std::isfinite(x); }),

    binary_kernel("Less", kNumbers, [](auto a, auto b) { return a < b; }),
    binary_kernel("LessEqual", kNumbers, [](auto a, auto b) { return a <= b; }),
    binary_kernel("Greater", kNumbers, [](auto a, auto b) { return a > b; }),
    binary_kernel("GreaterEqual", kNumbers, [](auto a, auto b) { return a >= b; }),
    {"Equal", "reference",
     [](Request r) {
       return make_equality(
           r, [](const auto& a, const auto& b) { return a == b; }, false);
     }},
    {"NotEqual", "reference",
     [](Request r) {
       return make_equality(
           r, [](const auto& a, const auto& b) { return a != b; }, true);
     }},

    unary_kernel("LogicalNot", Types<bool>{}, [](bool x) { return !x; }),
    binary_kernel("LogicalAnd", Types<bool>{}, [](bool a, bool b) { return a && b; }),
    binary_kernel("LogicalOr", Types<bool>{}, [](bool a, bool b) { return a || b; }),

    {"SelectV2", "reference", make_select},
    {"Select", "reference", make_select},
};

}  // namespace

std::span<const KernelDef> reference_logic_kernels() { return kKernels; }

}  // namespace thalweg
