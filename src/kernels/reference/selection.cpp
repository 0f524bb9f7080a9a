#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;

KernelPtr make_where(const KernelRequest& request) {
  return visit_dtype(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) -> KernelPtr {
    if constexpr (std::is_same_v<T, std::string>) {
      return nullptr;
    } else {
      return make_kernel([shape = request.inputs[0].shape,
                          place = OutputPlace(request, 0)](KernelContext& context) {
        const T* x = context.input<T>(0);
        Ints found;
        for (int64_t i = 0; i < shape.num_elements(); ++i) {
          if (!(x[i] == T{})) found.push_back(i);
        }
        const auto rank = static_cast<int64_t>(shape.rank());
        auto* to = static_cast<int64_t*>(
            place.memory(context, Shape{static_cast<int64_t>(found.size()), rank}));
        for (int64_t flat : found) {
          const Ints at = reference::coordinates(shape, flat);
          to = std::copy(at.begin(), at.end(), to);
        }
      });
    }
  });
}

// Whether a comes before b among the largest: NaN first, so that it shows; the comparison must be
// an order.
template <class T>
bool is_larger(T a, T b) {
  if constexpr (kIsFloating<T>) {
    const auto x = widen(a);
    const auto y = widen(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
    return x > y;
  } else {
    return a > b;
  }
}

KernelPtr make_top_k(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape = request.inputs[0].shape, index_type = request.outputs[1].dtype,
                        k = IntsInput(request, 1), values = OutputPlace(request, 0),
                        indices = OutputPlace(request, 1)](KernelContext& context) {
      const int64_t size = shape.dim(-1);
      const int64_t count = k.read_one(context);
      if (count < 0 || count > size) {
        throw invalid_argument("`k` is ", count, ", but the last dimension of shape ", shape,
                               " has ", size, " elements");
      }
      Shape result = shape;
      result.set_dim(shape.rank() - 1, count);
      auto* largest = static_cast<T*>(values.memory(context, result));
      void* places = indices.memory(context, result);
      const T* row = context.input<T>(0);
      std::vector<int64_t> order(static_cast<size_t>(size));
      for (int64_t r = 0; r < shape.slice(0, shape.rank() - 1).num_elements(); ++r, row += size) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int64_t a, int64_t b) { return is_larger(row[a], row[b]); });
        for (int64_t i = 0; i < count; ++i) {
          const int64_t index = order[static_cast<size_t>(i)];
          const int64_t cell = r * count + i;
          largest[cell] = row[index];
          switch (index_type) {
            case kInt16: static_cast<int16_t*>(places)[cell] = static_cast<int16_t>(index); break;
            case kInt32: static_cast<int32_t*>(places)[cell] = static_cast<int32_t>(index); break;
            default: static_cast<int64_t*>(places)[cell] = index;
          }
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Where", "reference", make_where},
    {"TopKV2", "reference", make_top_k},
};

}  // namespace

std::span<const KernelDef> reference_selection_kernels() { return kKernels; }

}  // namespace thalweg
