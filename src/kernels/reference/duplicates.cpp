#include "kernels/reference/duplicates.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"

namespace thalweg::reference {
namespace {

// For each index the place where it first stands; -1 for a negative one.
Ints first_places(const Ints& indices) {
  std::unordered_map<int64_t, int64_t> first;
  Ints places;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    places.push_back(indices[i] < 0 ? -1 : first.emplace(indices[i], place).first->second);
  }
  return places;
}

void write_rows(const Ints& indices, DType dtype, void* to) {
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t row = std::max<int64_t>(indices[i], 0);
    if (dtype == kInt64) {
      static_cast<int64_t*>(to)[i] = row;
    } else {
      static_cast<int32_t*>(to)[i] = static_cast<int32_t>(row);
    }
  }
}

}  // namespace

KernelPtr make_sum_duplicates(const KernelRequest& request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [dtype = request.inputs[0].dtype, indices = IndexInput(request, 0),
         inner = request.inputs[1].shape.slice(1).num_elements()](KernelContext& context) {
          const Ints rows = indices.read(context);
          const Ints places = first_places(rows);
          write_rows(rows, dtype, context.output_pointer(0));
          std::vector<Accumulator<T>> sums(rows.size() * static_cast<size_t>(inner));
          const T* values = context.input<T>(1);
          for (size_t i = 0; i < places.size(); ++i) {
            if (places[i] < 0) continue;
            for (int64_t k = 0; k < inner; ++k) {
              sums[static_cast<size_t>(places[i] * inner + k)] +=
                  widen(values[static_cast<int64_t>(i) * inner + k]);
            }
          }
          std::transform(sums.begin(), sums.end(), context.output<T>(1), narrow<T>);
        });
  });
}

}  // namespace thalweg::reference
