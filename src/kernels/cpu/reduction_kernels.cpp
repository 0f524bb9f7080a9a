// Reductions over any axes that are neighbours, and argmax/argmin over the last one.
#include <algorithm>

#include "kernels/cpu/reduce.h"
#include "kernels/families.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kGrain = 32768;  // floats read in about 5 microseconds

simd::Reduction reduction_of(std::string_view op) {
  if (op == "Sum") return simd::Reduction::kSum;
  if (op == "Mean") return simd::Reduction::kMean;
  if (op == "Max") return simd::Reduction::kMax;
  if (op == "Min") return simd::Reduction::kMin;
  return simd::Reduction::kProd;
}

// The tensor seen as [outer, mid, inner], mid being what is reduced; nothing when the axes are not
// neighbours.
struct Blocks {
  int64_t outer = 1, mid = 1, inner = 1;
};

std::optional<Blocks> blocks_of(const Shape& shape, const Tensor& axes) {
  std::vector<bool> reduced(static_cast<size_t>(shape.rank()), false);
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const auto axis = static_cast<int64_t>(axes.at(i));
    reduced[static_cast<size_t>(axis < 0 ? axis + shape.rank() : axis)] = true;
  }
  Blocks blocks;
  int phase = 0;  // before, within, after the reduced axes
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    const bool now = reduced[static_cast<size_t>(i)];
    if (phase == 0 && now) phase = 1;
    if (phase == 1 && !now) phase = 2;
    if (phase == 2 && now) return std::nullopt;
    (phase == 0 ? blocks.outer : phase == 1 ? blocks.mid : blocks.inner) *= shape[i];
  }
  return blocks;
}

KernelPtr make_reduction(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  const Tensor* axes = request.inputs[1].constant;
  if (x.dtype != kFloat32 || axes == nullptr || !request.outputs[0].shape.is_fully_defined())
    return nullptr;
  const auto found = blocks_of(x.shape, *axes);
  if (!found) return nullptr;
  const Blocks blocks = *found;
  const simd::Reduction op = reduction_of(request.node.type());
  return make_kernel([=](KernelContext& context) {
    const float* in = context.input<float>(0);
    float* out = context.output<float>();
    if (blocks.outer == 1 && blocks.inner >= 64) {
      // Whole cache lines of columns to each thread.
      const int64_t strips = (blocks.inner + 63) / 64;
      const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(64 * blocks.mid, 1));
      parallel_for(strips, grain, [&](int64_t begin, int64_t end) {
        simd::reduce_columns(op, in, out, blocks.mid, blocks.inner, begin * 64,
                             std::min(end * 64, blocks.inner));
      });
      return;
    }
    const int64_t block = blocks.mid * blocks.inner;
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(block, 1));
    parallel_for(blocks.outer, grain, [&](int64_t begin, int64_t end) {
      simd::reduce_middle(op, in + begin * block, out + begin * blocks.inner, end - begin,
                          blocks.mid, blocks.inner);
    });
  });
}

KernelPtr make_arg_reduction(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  const Tensor* axis = request.inputs[1].constant;
  if (x.dtype != kFloat32 || axis == nullptr || request.outputs[0].dtype != kInt64 ||
      x.shape.rank() < 1)
    return nullptr;
  const auto dimension = static_cast<int64_t>(axis->at(0));
  if (dimension != -1 && dimension != x.shape.rank() - 1) return nullptr;
  const int64_t columns = x.shape.dim(-1);
  const int64_t rows = columns == 0 ? 0 : x.shape.num_elements() / columns;
  if (columns == 0) return nullptr;  // the reference kernel has the error
  const bool max = request.node.type() == "ArgMax";
  return make_kernel([=](KernelContext& context) {
    const float* in = context.input<float>(0);
    int64_t* out = context.output<int64_t>();
    parallel_for(rows, std::max<int64_t>(1, kGrain / columns), [&](int64_t begin, int64_t end) {
      (max ? simd::argmax_rows : simd::argmin_rows)(in + begin * columns, out + begin, end - begin,
                                                    columns);
    });
  });
}

KernelPtr make_l2_loss(const KernelRequest& request) {
  if (request.inputs[0].dtype != kFloat32) return nullptr;
  const int64_t count = request.inputs[0].shape.num_elements();
  return make_kernel([count](KernelContext& context) {
    *context.output<float>() = simd::sum_of_squares(context.input<float>(0), count) / 2;
  });
}

constexpr KernelDef kReductionKernels[] = {
    {"Sum", "cpu", make_reduction},        {"Mean", "cpu", make_reduction},
    {"Max", "cpu", make_reduction},        {"Min", "cpu", make_reduction},
    {"Prod", "cpu", make_reduction},       {"ArgMax", "cpu", make_arg_reduction},
    {"ArgMin", "cpu", make_arg_reduction}, {"L2Loss", "cpu", make_l2_loss},
};

}  // namespace

std::span<const KernelDef> cpu_reduction_kernels() { return kReductionKernels; }

}  // namespace thalweg
