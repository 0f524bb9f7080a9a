// Ragged tensors: values in one row after another, and for each level of rows its splits.
#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/indices.h"
#include "kernels/reference/ragged_kernels.h"
#include "kernels/reference/sparse.h"
#include "kernels/reference/write_ints.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using reference::check_splits;
using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using reference::write_ints;
using Request = const KernelRequest&;

Shape length_of(const Ints& values) { return Shape{static_cast<int64_t>(values.size())}; }

// How many of start, start + delta, ... lie before the limit.
int64_t row_length(int64_t start, int64_t limit, int64_t delta) {
  const bool rises = delta > 0;
  if (rises ? start >= limit : start <= limit) return 0;
  // Differences of 64-bit numbers fit when they are unsigned.
  const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(limit);
  const uint64_t step = rises ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
  const uint64_t whole = ((rises ? to - from : from - to) - 1) / step;
  if (whole >= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw invalid_argument("a row from ", start, " to ", limit, " in steps of ", delta,
                           " is too long");
  }
  return static_cast<int64_t>(whole) + 1;
}

int64_t row_length(double start, double limit, double delta) {
  if (delta > 0 ? !(start < limit) : !(start > limit)) return 0;
  const double count = std::ceil((limit - start) / delta);
  if (!(count < 9.2e18)) {
    throw invalid_argument("a row from ", start, " to ", limit, " in steps of ", delta,
                           " has no end");
  }
  return static_cast<int64_t>(count);
}

KernelPtr make_range(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    using A = std::conditional_t<kIsFloating<T>, double, int64_t>;
    std::vector<bool> scalar;
    int64_t rows = kUnknownDim;
    for (const TensorSpec& input : request.inputs) {
      scalar.push_back(input.shape.rank() == 0);
      if (scalar.back()) continue;
      if (rows != kUnknownDim && rows != input.shape[0]) {
        throw invalid_argument("`starts`, `limits` and `deltas` have ", rows, " and ",
                               input.shape[0], " entries; vectors must have as many");
      }
      rows = input.shape[0];
    }
    if (rows == kUnknownDim) rows = 1;
    return make_kernel([scalar, rows, dtype = request.outputs[0].dtype,
                        places = output_places(request)](KernelContext& context) {
      Ints splits = {0};
      const auto at = [&](int i, int64_t row) {
        const T value = context.input<T>(i)[scalar[static_cast<size_t>(i)] ? 0 : row];
        return static_cast<A>(static_cast<reference::Arithmetic<T>>(value));
      };
      for (int64_t row = 0; row < rows; ++row) {
        if (at(2, row) == 0) throw invalid_argument("deltas[", row, "] is 0");
        const int64_t length = row_length(at(0, row), at(1, row), at(2, row));
        splits.push_back(checked_add(splits.back(), length));
      }
      // Memory before numbers: it tells whether there is room for so many.
      T* to = static_cast<T*>(places[1].memory(context, Shape{splits.back()}));
      write_ints(dtype, places[0].memory(context, length_of(splits)), splits);
      for (int64_t row = 0; row < rows; ++row) {
        const auto r = static_cast<size_t>(row);
        for (int64_t i = 0; i < splits[r + 1] - splits[r]; ++i) {
          const A value = at(0, row) + static_cast<A>(i) * at(2, row);
          *to++ = static_cast<T>(static_cast<reference::Arithmetic<T>>(value));
        }
      }
    });
  });
}

KernelPtr make_gather(Request request) {
  const auto levels = static_cast<size_t>(request.node.attr<int64_t>("PARAMS_RAGGED_RANK"));
  const TensorSpec& values = request.inputs[levels];
  if (!reference::has_elements(values.dtype)) return nullptr;
  std::vector<IntsInput> splits;
  for (size_t i = 0; i < levels; ++i) splits.emplace_back(request, static_cast<int>(i));
  return make_kernel([splits, levels, dtype = values.dtype, table = values.shape,
                      split_type = request.inputs[0].dtype,
                      indices = reference::IndexInput(request, static_cast<int>(levels) + 1),
                      places = output_places(request)](KernelContext& context) {
    // Ranges of rows, level by level; at last, of values.
    std::vector<std::pair<int64_t, int64_t>> ranges;
    std::vector<Ints> params;
    for (const IntsInput& input : splits) params.push_back(input.read(context));
    for (size_t i = 0; i < levels; ++i)
      check_splits(params[i],
                   i + 1 < levels ? static_cast<int64_t>(params[i + 1].size()) - 1 : table[0]);
    const auto rows = static_cast<int64_t>(params[0].size()) - 1;
    const Ints picked = indices.read(context);
    for (size_t i = 0; i < picked.size(); ++i) {
      if (picked[i] < 0 || picked[i] >= rows)
        throw indices.out_of_range(static_cast<int64_t>(i), picked[i], rows,
                                   "the rows of the ragged tensor");
      ranges.emplace_back(picked[i], picked[i] + 1);
    }
    // Dimensions of the indices but the last are rows of one length.
    size_t output = 0;
    const Shape& shape = indices.shape();
    for (int d = 1; d < shape.rank(); ++d) {
      const int64_t count = shape.slice(0, d).num_elements();
      const Ints uniform = reference::evenly(0, shape[d], count + 1);
      write_ints(split_type, places[output++].memory(context, length_of(uniform)), uniform);
    }
    for (const Ints& level : params) {
      Ints result = {0};
      for (auto& [begin, end] : ranges) {
        for (int64_t row = begin; row < end; ++row) {
          const auto r = static_cast<size_t>(row);
          result.push_back(result.back() + level[r + 1] - level[r]);
        }
        begin = level[static_cast<size_t>(begin)];
        end = level[static_cast<size_t>(end)];
      }
      // A single row is no longer one of many.
      if (shape.rank() == 0 && &level == &params.front()) continue;
      write_ints(split_type, places[output++].memory(context, length_of(result)), result);
    }
    const int64_t inner = table.slice(1).num_elements();
    Ints starts;
    for (const auto& [begin, end] : ranges) {
      for (int64_t i = begin; i < end; ++i) starts.push_back(i * inner);
    }
    void* to = places[output].memory(context, length_of(starts).concat(table.slice(1)));
    reference::gather_elements(dtype, {starts, reference::evenly(0, 1, inner)},
                               context.input_pointer(static_cast<int>(levels)), to);
  });
}

KernelPtr make_to_sparse(Request request) {
  const auto levels = static_cast<size_t>(request.node.attr<int64_t>("RAGGED_RANK"));
  const TensorSpec& values = request.inputs[levels];
  if (!reference::has_elements(values.dtype)) return nullptr;
  std::vector<IntsInput> splits;
  for (size_t i = 0; i < levels; ++i) splits.emplace_back(request, static_cast<int>(i));
  return make_kernel([splits, levels, dtype = values.dtype, shape = values.shape,
                      places = output_places(request)](KernelContext& context) {
    // The index of each row of a level, from the outermost.
    std::vector<Ints> at;
    Ints dims;
    for (size_t level = 0; level < levels; ++level) {
      const Ints rows = splits[level].read(context);
      const int64_t below = level + 1 < levels
                                ? static_cast<int64_t>(splits[level + 1].read(context).size()) - 1
                                : shape[0];
      check_splits(rows, below);
      if (level == 0) {
        dims.push_back(static_cast<int64_t>(rows.size()) - 1);
        for (int64_t i = 0; i < dims[0]; ++i) at.push_back({i});
      }
      std::vector<Ints> next;
      int64_t longest = 0;
      for (size_t r = 0; r + 1 < rows.size(); ++r) {
        longest = std::max(longest, rows[r + 1] - rows[r]);
        for (int64_t i = 0; i < rows[r + 1] - rows[r]; ++i) {
          next.push_back(at[r]);
          next.back().push_back(i);
        }
      }
      dims.push_back(longest);
      at = std::move(next);
    }
    const Shape inner = shape.slice(1);
    Ints indices;
    for (const Ints& row : at) {
      for (int64_t k = 0; k < inner.num_elements(); ++k) {
        indices.insert(indices.end(), row.begin(), row.end());
        const Ints rest = reference::coordinates(inner, k);
        indices.insert(indices.end(), rest.begin(), rest.end());
      }
    }
    dims.insert(dims.end(), inner.dims().begin(), inner.dims().end());
    reference::write_indices(context, places[0], indices, dims.size());
    void* to = places[1].memory(context, Shape{shape.num_elements()});
    reference::copy_elements(dtype, context.input_pointer(static_cast<int>(levels)), to,
                             shape.num_elements());
    reference::write_vector(context, places[2], dims);
  });
}

constexpr KernelDef kKernels[] = {
    {"RaggedRange", "reference", make_range},
    {"RaggedGather", "reference", make_gather},
    {"RaggedTensorToSparse", "reference", make_to_sparse},
    {"RaggedTensorToTensor", "reference", reference::make_ragged_to_tensor},
    {"DenseCountSparseOutput", "reference", reference::make_dense_count},
    {"SparseCountSparseOutput", "reference", reference::make_sparse_count},
    {"RaggedCountSparseOutput", "reference", reference::make_ragged_count},
};

}  // namespace

std::span<const KernelDef> reference_ragged_kernels() { return kKernels; }

}  // namespace thalweg
