// How often each number stands in each row, as a sparse tensor: DenseCountSparseOutput and its
// siblings differ in how they tell the row of a number.
#include <algorithm>
#include <map>

#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/ragged_kernels.h"
#include "kernels/reference/sparse.h"

namespace thalweg {
namespace {

using reference::check_splits;
using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using Request = const KernelRequest&;

// The row of each number: from splits, from sparse indices, or a matrix's own.
enum class Rows { kDense, kSparse, kRagged };

template <Rows kRows>
KernelPtr make_count(Request request) {
  const int values_input = kRows == Rows::kDense ? 0 : 1;
  const int weights_input = static_cast<int>(request.inputs.size()) - 1;
  const int64_t weights = request.inputs[static_cast<size_t>(weights_input)].shape.num_elements();
  const bool weighted = weights != 0;
  return visit_numbers(request.outputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, values = IntsInput(request, values_input),
                        shape = request.inputs[0].shape, rows = IntsInput(request, 0),
                        dense = IntsInput(request, kRows == Rows::kSparse ? 2 : 0),
                        binary = request.node.attr<bool>("binary_output"),
                        min_length = request.node.attr<int64_t>("minlength"),
                        max_length = request.node.attr<int64_t>("maxlength"),
                        places = output_places(request)](KernelContext& context) {
      const Ints numbers = values.read(context);
      if (weighted && weights != static_cast<int64_t>(numbers.size())) {
        throw invalid_argument("there are ", weights, " weights for ", numbers.size(), " values");
      }
      Ints row_of(numbers.size(), 0);
      int64_t count = 1;
      bool by_row = true;
      if (kRows == Rows::kDense) {
        by_row = shape.rank() == 2;
        count = by_row ? shape[0] : 1;
        for (size_t i = 0; by_row && i < row_of.size(); ++i)
          row_of[i] = static_cast<int64_t>(i) / shape[1];
      } else if (kRows == Rows::kSparse) {
        const Ints dims = dense.read(context), indices = rows.read(context);
        if (dims.empty() || dims.size() > 2 || indices.size() != numbers.size() * dims.size()) {
          throw invalid_argument("`dense_shape` ", dims, " and ", indices.size(),
                                 " numbers of `indices` do not fit ", numbers.size(), " values");
        }
        by_row = dims.size() == 2;
        count = by_row ? dims[0] : 1;
        for (size_t i = 0; by_row && i < row_of.size(); ++i) row_of[i] = indices[2 * i];
      } else {
        const Ints splits = rows.read(context);
        check_splits(splits, static_cast<int64_t>(numbers.size()));
        count = static_cast<int64_t>(splits.size()) - 1;
        for (size_t r = 0; r + 1 < splits.size(); ++r) {
          for (int64_t i = splits[r]; i < splits[r + 1]; ++i)
            row_of[static_cast<size_t>(i)] = static_cast<int64_t>(r);
        }
      }
      std::map<std::pair<int64_t, int64_t>, T> counts;
      int64_t width = 0;
      for (size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] < 0)
          throw invalid_argument("value ", i, " is ", numbers[i], "; none may be negative");
        if (row_of[i] < 0 || row_of[i] >= count)
          throw invalid_argument("row ", row_of[i], " is outside [0, ", count, ")");
        if (max_length >= 0 && numbers[i] >= max_length) continue;
        width = std::max(width, numbers[i] + 1);
        T& cell = counts[{row_of[i], numbers[i]}];
        if (binary) {
          cell = narrow<T>(1);
        } else {
          cell =
              narrow<T>(widen(cell) + (weighted ? widen(context.input<T>(weights_input)[i]) : 1));
        }
      }
      width = max_length >= 0 ? max_length : std::max(width, min_length);
      Ints indices;
      for (const auto& [at, unused] : counts) {
        if (by_row) indices.push_back(at.first);
        indices.push_back(at.second);
      }
      reference::write_indices(context, places[0], indices, by_row ? 2 : 1);
      T* to =
          static_cast<T*>(places[1].memory(context, Shape{static_cast<int64_t>(counts.size())}));
      for (const auto& [unused, value] : counts) *to++ = value;
      reference::write_vector(context, places[2], by_row ? Ints{count, width} : Ints{width});
    });
  });
}

}  // namespace

KernelPtr reference::make_dense_count(Request request) { return make_count<Rows::kDense>(request); }
KernelPtr reference::make_sparse_count(Request request) {
  return make_count<Rows::kSparse>(request);
}
KernelPtr reference::make_ragged_count(Request request) {
  return make_count<Rows::kRagged>(request);
}

}  // namespace thalweg
