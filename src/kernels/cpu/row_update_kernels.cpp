// Optimizers and sums on single rows of a variable, float32: what a step costs then depends on the
// rows that a batch meets, not on the table's size.
#include <array>

#include "kernels/cpu/optimizer.h"
#include "kernels/cpu/row_sum_kernels.h"
#include "kernels/cpu/table_rows.h"
#include "kernels/reference/indices.h"
#include "kernels/variable_access.h"

namespace thalweg {
namespace {

using table_rows::for_each_shard;
using table_rows::visit_index;

constexpr int64_t kAhead = 8;  // rows fetched into the cache before they are needed

// Throws before the first row is changed.
template <class I>
void check_rows(const I* rows, int64_t count, const VariableState& variable) {
  const int64_t size = variable.value_shape[0];
  for (int64_t i = 0; i < count; ++i) {
    if (rows[i] >= 0 && rows[i] < size) continue;
    throw invalid_argument("indices[", i, "] is ", rows[i], ", outside [0, ", size,
                           "), the rows of variable `", variable.name, "`");
  }
}

// The variable at input `s`, whose rows must be those of `row`.
float* table_of(KernelContext& context, int s, const Shape& row) {
  VariableState& variable = context.variable(s);
  auto* data = static_cast<float*>(writable_value(variable));
  const Shape& value = variable.value_shape;
  if (value.rank() < 1)
    throw invalid_argument("variable `", variable.name, "` is a scalar: it has no rows");
  if (value.slice(1) != row) {
    throw invalid_argument("variable `", variable.name, "` has shape ", value,
                           ", the gradient's rows ", row);
  }
  if (value != context.variable(0).value_shape) {
    throw invalid_argument("slot `", variable.name, "` has shape ", value, ", variable `",
                           context.variable(0).name, "` ", context.variable(0).value_shape);
  }
  return data;
}

// The first `kSlots` inputs are the variable and its slots, input `kGrad` the gradient's rows, the
// next one their indices, all others scalars. `update(arrays, gradient, n)` changes n elements.
template <int kSlots, int kGrad, class MakeUpdate>
KernelPtr make_update(const KernelRequest& request, MakeUpdate make_rule) {
  const Shape& gradient = request.inputs[kGrad].shape;
  if (request.inputs[kGrad].dtype != kFloat32 || gradient.rank() < 1) return nullptr;
  if (!(gradient.slice(0, 1) == request.inputs[kGrad + 1].shape)) return nullptr;
  const auto inputs = static_cast<int>(request.inputs.size());
  return visit_index(request.inputs[kGrad + 1].dtype, [&]<class I>(TypeTag<I>) {
    return make_kernel([=, row = gradient.slice(1), count = gradient[0]](KernelContext& context) {
      std::array<float, 8> h{};
      size_t next = 0;
      for (int i = kSlots; i < inputs; ++i) {
        if (i != kGrad && i != kGrad + 1) h[next++] = *context.input<float>(i);
      }
      std::array<float*, kSlots> tables;
      for (int s = 0; s < kSlots; ++s) tables[static_cast<size_t>(s)] = table_of(context, s, row);
      const I* rows = context.input<I>(kGrad + 1);
      check_rows(rows, count, context.variable(0));
      const int64_t inner = row.num_elements();
      const auto update = make_rule(h);
      const float* gradients = context.input<float>(kGrad);
      for_each_shard(count * (inner + 4), [&](int64_t shard, int64_t shards) {
        for (int64_t i = 0; i < count; ++i) {
          if (i + kAhead < count) {
            for (const float* table : tables)
              __builtin_prefetch(table + rows[i + kAhead] * inner, 1);
          }
          const auto at = static_cast<int64_t>(rows[i]);
          if (at % shards != shard) continue;
          std::array<float*, kSlots> arrays;
          for (size_t s = 0; s < kSlots; ++s) arrays[s] = tables[s] + at * inner;
          update(arrays, gradients + i * inner, inner);
        }
      });
    });
  });
}

// Scalars are lr, and epsilon in the second version.
template <bool kEpsilon>
KernelPtr make_adagrad(const KernelRequest& request) {
  const bool slots = request.node.attr<bool>("update_slots");
  return make_update < 2,
         kEpsilon ? 4 : 3 > (request, [slots](const auto& h) {
                          const simd::AdagradStep step = {h[0], kEpsilon ? h[1] : 0.0f, slots};
                          return [step](const auto& a, const float* g, int64_t n) {
                            simd::apply_adagrad(step, a[0], a[1], g, n);
                          };
                        });
}

// Scalars are lr, l1, l2, in the second version l2_shrinkage, and lr_power.
template <bool kShrinkage>
KernelPtr make_ftrl(const KernelRequest& request) {
  const bool by_lr = request.node.attr<bool>("multiply_linear_by_lr");
  return make_update<3, 3>(request, [by_lr](const auto& h) {
    const simd::FtrlStep step = {h[0], h[1], h[2], kShrinkage ? h[3] : 0.0f, h[kShrinkage ? 4 : 3],
                                 by_lr};
    return [step](const auto& a, const float* g, int64_t n) {
      simd::apply_ftrl(step, a[0], a[1], a[2], g, n);
    };
  });
}

template <int kSign>
KernelPtr make_scatter(const KernelRequest& request) {
  const Shape indices = request.inputs[1].shape;
  const Shape updates = request.inputs[2].shape;
  if (request.inputs[2].dtype != kFloat32 || updates.rank() < indices.rank()) return nullptr;
  if (updates.slice(0, indices.rank()) != indices) return nullptr;
  return visit_index(request.inputs[1].dtype, [&]<class I>(TypeTag<I>) {
    return make_kernel([count = indices.num_elements(),
                        row = updates.slice(indices.rank())](KernelContext& context) {
      float* table = table_of(context, 0, row);
      const I* rows = context.input<I>(1);
      check_rows(rows, count, context.variable(0));
      const float* changes = context.input<float>(2);
      const int64_t inner = row.num_elements();
      for_each_shard(count * inner, [&](int64_t shard, int64_t shards) {
        for (int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<int64_t>(rows[i]);
          if (at % shards != shard) continue;
          float* to = table + at * inner;
          const float* change = changes + i * inner;
          for (int64_t k = 0; k < inner; ++k) to[k] += kSign * change[k];
        }
      });
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"ResourceSparseApplyAdagrad", "cpu", make_adagrad<false>},
    {"ResourceSparseApplyAdagradV2", "cpu", make_adagrad<true>},
    {"ResourceSparseApplyFtrl", "cpu", make_ftrl<false>},
    {"ResourceSparseApplyFtrlV2", "cpu", make_ftrl<true>},
    {"ResourceScatterAdd", "cpu", make_scatter<1>},
    {"ResourceScatterSub", "cpu", make_scatter<-1>},
};

}  // namespace

std::span<const KernelDef> cpu_row_update_kernels() { return kKernels; }

}  // namespace thalweg
