// Reshape and Concat of quantized numbers: the range goes along, and where tensors of different
// ranges are joined, their numbers go into one that holds all.
#include <algorithm>
#include <cmath>

#include "kernels/reference/quantized_elements.h"
#include "kernels/reference/quantized_kernels.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

// Ops that TensorFlow writes with Eigen's arrays do each step in float.
template <class Q>
float dequantized_in_float(int64_t value, FloatRange range) {
  const auto scale =
      static_cast<float>((range.max - range.min) / (static_cast<double>(kStepsOf<Q>) - 1.0));
  const float first = range.max == range.min ? range.min : std::round(range.min / scale) * scale;
  return (first - static_cast<float>(kLowestOf<Q>) * scale) + static_cast<float>(value) * scale;
}

template <class Q>
int64_t quantized_in_float(float x, FloatRange range) {
  const auto scale =
      range.max == range.min
          ? 0.0f
          : static_cast<float>((static_cast<double>(kStepsOf<Q>) - 1.0) / (range.max - range.min));
  const float first = std::round(range.min * scale);
  const float value = std::round(x * scale) - (first - static_cast<float>(kLowestOf<Q>));
  return std::clamp(static_cast<int64_t>(value), kLowestOf<Q>, kHighestOf<Q>);
}

}  // namespace

KernelPtr reference::make_quantized_reshape(Request request) {
  const TensorSpec& x = request.inputs[0];
  return make_kernel([dtype = x.dtype, shape = x.shape, target = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& c) {
    const Ints dims = target.read(c);
    void* to = place.memory(c, resolve_reshape(shape, Shape(std::span<const int64_t>(dims))));
    copy_elements(dtype, c.input_pointer(0), to, shape.num_elements());
    give_range(c, 1, range_input(c, 2));
  });
}

KernelPtr reference::make_quantized_concat(Request request) {
  const int count = static_cast<int>(request.inputs.size() - 1) / 3;
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i)
    shapes.push_back(request.inputs[static_cast<size_t>(i) + 1].shape);
  return visit_quantized(request.outputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    return make_kernel([count, shapes, axis_input = IntsInput(request, 0),
                        place = OutputPlace(request, 0)](KernelContext& c) {
      const auto axis = static_cast<int>(
          place_axis(axis_input.read_one(c), static_cast<size_t>(shapes[0].rank())));
      std::vector<FloatRange> ranges;
      FloatRange all{*c.input<float>(1 + count), *c.input<float>(1 + 2 * count)};
      Shape joined = shapes[0];
      joined.set_dim(axis, 0);
      for (int i = 0; i < count; ++i) {
        ranges.push_back({*c.input<float>(1 + count + i), *c.input<float>(1 + 2 * count + i)});
        all = {std::min(all.min, ranges.back().min), std::max(all.max, ranges.back().max)};
        joined.set_dim(axis, joined[axis] + shapes[static_cast<size_t>(i)][axis]);
      }
      if (kLowestOf<Q> < 0) {
        const float end = std::max(std::abs(all.min), std::abs(all.max));
        all = {-end, end};
      }
      auto* to = static_cast<Q*>(place.memory(c, joined));
      const int64_t outer = joined.slice(0, axis).num_elements();
      for (int64_t o = 0; o < outer; ++o) {
        for (int i = 0; i < count; ++i) {
          const FloatRange& range = ranges[static_cast<size_t>(i)];
          const int64_t run = shapes[static_cast<size_t>(i)].slice(axis).num_elements();
          const Q* from = c.input<Q>(1 + i) + o * run;
          for (int64_t k = 0; k < run; ++k) {
            const bool same = range.min == all.min && range.max == all.max;
            *to++ = same ? from[k]
                         : from_integer<Q>(quantized_in_float<Q>(
                               dequantized_in_float<Q>(from[k].value, range), all));
          }
        }
      }
      give_range(c, 1, all);
    });
  });
}

}  // namespace thalweg
