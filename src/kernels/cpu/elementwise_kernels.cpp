// Single element-wise ops on SIMD functions.
#include <algorithm>
#include <array>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/operands.h"
#include "kernels/families.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

// Elements that take about 5 microseconds, from about 0.15 ns (a sum in cache) to 0.3 ns (a
// polynomial) each.
constexpr int64_t kGrain = 16384;

constexpr std::string_view kKeepZero[] = {
    "Neg",      "Abs",       "Sign",         "Expm1",    "Log1p",       "Sqrt",
    "Square",   "Tanh",      "Erf",          "Relu",     "Relu6",       "Elu",
    "Selu",     "Sin",       "Tan",          "Asin",     "Atan",        "Sinh",
    "Softsign", "Floor",     "Ceil",         "Rint",     "Round",       "AddV2",
    "Add",      "Sub",       "Mul",          "Maximum",  "Minimum",     "SquaredDifference",
    "ReluGrad", "Relu6Grad", "EluGrad",      "SeluGrad", "SigmoidGrad", "TanhGrad",
    "DivNoNan", "LeakyRelu", "LeakyReluGrad"};

bool keeps_zero(std::string_view op) {
  return std::find(std::begin(kKeepZero), std::end(kKeepZero), op) != std::end(kKeepZero);
}

KernelPtr make_unary(const KernelRequest& request) {
  const simd::UnaryFn function = simd::find_unary(request.node.type());
  auto plan = plan_elementwise(request, keeps_zero(request.node.type()));
  if (function == nullptr || !plan) return nullptr;
  const int64_t count = plan->count;
  return make_kernel(
      [function, count](KernelContext& context) {
        const float* x = context.input<float>(0);
        float* y = context.output<float>();
        parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
          function(x + begin, y + begin, end - begin);
        });
      },
      std::move(plan->traits));
}

KernelPtr make_leaky_relu(const KernelRequest& request) {
  auto plan = plan_elementwise(request, true);
  if (!plan) return nullptr;
  const int64_t count = plan->count;
  const float alpha = request.node.attr<float>("alpha");
  const bool gradient = request.node.type() == "LeakyReluGrad";
  return make_kernel(
      [=](KernelContext& context) {
        const float* a = context.input<float>(0);
        const float* b = gradient ? context.input<float>(1) : nullptr;
        float* y = context.output<float>();
        parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
          if (gradient) {
            simd::leaky_relu_grad(a + begin, b + begin, alpha, y + begin, end - begin);
          } else {
            simd::leaky_relu(a + begin, alpha, y + begin, end - begin);
          }
        });
      },
      std::move(plan->traits));
}

// One operand full, the other one value: op(full, value) or op(value, full).
KernelPtr make_scalar_binary(const KernelRequest& request, ElementwisePlan plan) {
  const int full = plan.operands[0].pattern == Pattern::kFull ? 0 : 1;
  const auto function = simd::find_binary_scalar(
      request.node.type(), full == 0 ? simd::ScalarSide::kSecond : simd::ScalarSide::kFirst);
  if (function == nullptr) return nullptr;
  const int64_t count = plan.count;
  return make_kernel(
      [=](KernelContext& context) {
        const float* x = context.input<float>(full);
        const float value = *context.input<float>(1 - full);
        float* y = context.output<float>();
        parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
          function(x + begin, value, y + begin, end - begin);
        });
      },
      std::move(plan.traits));
}

// One operand a row, the other a column: each element of the column with the whole row.
KernelPtr make_outer_binary(const KernelRequest& request, ElementwisePlan plan) {
  const int row = plan.operands[0].pattern == Pattern::kRow ? 0 : 1;
  const int64_t length = plan.operands[static_cast<size_t>(row)].length;
  const int64_t rows = plan.operands[static_cast<size_t>(1 - row)].length;
  const auto function = simd::find_binary_scalar(
      request.node.type(), row == 0 ? simd::ScalarSide::kSecond : simd::ScalarSide::kFirst);
  if (function == nullptr || length * rows != plan.count) return nullptr;
  return make_kernel(
      [=](KernelContext& context) {
        const float* x = context.input<float>(row);
        const float* v = context.input<float>(1 - row);
        float* y = context.output<float>();
        parallel_for(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(length, 1)),
                     [=](int64_t begin, int64_t end) {
                       for (int64_t r = begin; r < end; ++r)
                         function(x, v[r], y + r * length, length);
                     });
      },
      std::move(plan.traits));
}

// One operand full, the other a row or a column: row by row.
KernelPtr make_row_binary(const KernelRequest& request, ElementwisePlan plan) {
  const std::string_view op = request.node.type();
  const int full = plan.operands[0].pattern == Pattern::kFull ? 0 : 1;
  const Operand other = plan.operands[static_cast<size_t>(1 - full)];
  const bool is_row = other.pattern == Pattern::kRow;
  const auto by_row = simd::find_binary(op);
  const auto by_value = simd::find_binary_scalar(
      op, full == 0 ? simd::ScalarSide::kSecond : simd::ScalarSide::kFirst);
  if (is_row ? by_row == nullptr : by_value == nullptr) return nullptr;
  const int64_t inner = is_row ? other.length : plan.count / std::max<int64_t>(other.length, 1);
  const int64_t outer = inner == 0 ? 0 : plan.count / inner;
  return make_kernel(
      [=](KernelContext& context) {
        const float* x = context.input<float>(full);
        const float* v = context.input<float>(1 - full);
        float* y = context.output<float>();
        parallel_for(outer, std::max<int64_t>(1, kGrain / std::max<int64_t>(inner, 1)),
                     [=](int64_t begin, int64_t end) {
                       for (int64_t r = begin; r < end; ++r) {
                         const int64_t at = r * inner;
                         if (!is_row) {
                           by_value(x + at, v[r], y + at, inner);
                         } else if (full == 0) {
                           by_row(x + at, v, y + at, inner);
                         } else {
                           by_row(v, x + at, y + at, inner);
                         }
                       }
                     });
      },
      std::move(plan.traits));
}

KernelPtr make_binary(const KernelRequest& request) {
  auto plan = plan_elementwise(request, keeps_zero(request.node.type()));
  if (!plan) return nullptr;
  const Pattern a = plan->operands[0].pattern;
  const Pattern b = plan->operands[1].pattern;
  if (a == Pattern::kFull && b == Pattern::kFull) {
    const simd::BinaryFn function = simd::find_binary(request.node.type());
    if (function == nullptr) return nullptr;
    const int64_t count = plan->count;
    return make_kernel(
        [function, count](KernelContext& context) {
          const float* x = context.input<float>(0);
          const float* y = context.input<float>(1);
          float* z = context.output<float>();
          parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
            function(x + begin, y + begin, z + begin, end - begin);
          });
        },
        std::move(plan->traits));
  }
  if ((a == Pattern::kRow && b == Pattern::kColumn) ||
      (a == Pattern::kColumn && b == Pattern::kRow)) {
    return make_outer_binary(request, std::move(*plan));
  }
  if (a != Pattern::kFull && b != Pattern::kFull) return nullptr;
  if (a == Pattern::kScalar || b == Pattern::kScalar) {
    // A padded layout would see op(0, value) in its padding.
    if (plan->traits.output_layouts[0] != nullptr &&
        plan->traits.output_layouts[0]->has_padding() && request.node.type() != "Mul") {
      return nullptr;
    }
    return make_scalar_binary(request, std::move(*plan));
  }
  return make_row_binary(request, std::move(*plan));
}

// y = sum of all, two at a time.
KernelPtr make_add_n(const KernelRequest& request) {
  auto plan = plan_elementwise(request, true);
  if (!plan || request.inputs.size() < 2) return nullptr;
  for (const Operand& operand : plan->operands) {
    if (operand.pattern != Pattern::kFull) return nullptr;
  }
  const int64_t count = plan->count;
  const int inputs = static_cast<int>(request.inputs.size());
  // The result is written before the last operands are read: only the first pair may lie under it.
  plan->traits.in_place = {{0, 0}, {1, 0}};
  const simd::BinaryFn add = simd::find_binary("AddV2");
  return make_kernel(
      [=](KernelContext& context) {
        float* y = context.output<float>();
        parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
          add(context.input<float>(0) + begin, context.input<float>(1) + begin, y + begin,
              end - begin);
          for (int i = 2; i < inputs; ++i)
            add(y + begin, context.input<float>(i) + begin, y + begin, end - begin);
        });
      },
      std::move(plan->traits));
}

constexpr std::array kUnary = {
    "Abs",      "Acos",     "Asin",  "Atan",   "Ceil",    "Cos",  "Cosh",       "Elu",  "Erf",
    "Exp",      "Expm1",    "Floor", "Log",    "Log1p",   "Neg",  "Reciprocal", "Relu", "Relu6",
    "Rint",     "Round",    "Rsqrt", "Selu",   "Sigmoid", "Sign", "Erfc",       "Sin",  "Sinh",
    "Softplus", "Softsign", "Sqrt",  "Square", "Tan",     "Tanh"};
constexpr std::array kBinary = {
    "Add",      "AddV2",          "Sub",          "Mul",          "Div",
    "RealDiv",  "DivNoNan",       "Maximum",      "Minimum",      "SquaredDifference",
    "EluGrad",  "ReciprocalGrad", "Relu6Grad",    "ReluGrad",     "RsqrtGrad",
    "SeluGrad", "SigmoidGrad",    "SoftplusGrad", "SoftsignGrad", "SqrtGrad",
    "TanhGrad"};

constexpr auto make_table() {
  std::array<KernelDef, kUnary.size() + kBinary.size() + 3> table{};
  size_t n = 0;
  for (const char* op : kUnary) table[n++] = {op, "cpu", make_unary};
  for (const char* op : kBinary) table[n++] = {op, "cpu", make_binary};
  table[n++] = {"LeakyRelu", "cpu", make_leaky_relu};
  table[n++] = {"LeakyReluGrad", "cpu", make_leaky_relu};
  table[n++] = {"AddN", "cpu", make_add_n};
  return table;
}
constexpr auto kElementwiseKernels = make_table();

}  // namespace

std::span<const KernelDef> cpu_elementwise_kernels() { return kElementwiseKernels; }

}  // namespace thalweg
