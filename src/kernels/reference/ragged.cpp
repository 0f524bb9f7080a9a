#include <cmath>
#include <limits>
#include <map>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/indices.h"
#include "kernels/reference/sparse.h"
#include "kernels/reference/write_ints.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using reference::OutputPlace;
using reference::write_ints;
using Request = const KernelRequest&;

Shape length_of(const Ints& values) { return Shape{static_cast<int64_t>(values.size())}; }

// Splits rise from 0 to the number of values.
void check_splits(const Ints& splits, int64_t values) {
  bool good = !splits.empty() && splits.front() == 0 && splits.back() == values;
  for (size_t i = 1; good && i < splits.size(); ++i) good = splits[i] >= splits[i - 1];
  if (!good)
    throw invalid_argument("splits must rise from 0 to the number of values, ", values, "; got ",
                           splits);
}

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

// Row lengths of one level, from splits or from the row of each value.
Ints lengths_of(const std::string& type, const Ints& partition, int64_t rows) {
  Ints lengths;
  if (type == "ROW_SPLITS") {
    for (size_t i = 1; i < partition.size(); ++i)
      lengths.push_back(partition[i] - partition[i - 1]);
    return lengths;
  }
  if (type != "VALUE_ROWIDS") throw invalid_argument("`row_partition_types` holds ", type);
  lengths.assign(static_cast<size_t>(rows), 0);
  for (int64_t row : partition) {
    if (row < 0 || row >= rows) throw invalid_argument("row ", row, " is outside [0, ", rows, ")");
    ++lengths[static_cast<size_t>(row)];
  }
  return lengths;
}

KernelPtr make_to_tensor(Request request) {
  const TensorSpec& values = request.inputs[1];
  if (!reference::has_elements(values.dtype)) return nullptr;
  std::vector<IntsInput> partitions;
  for (size_t i = 3; i < request.inputs.size(); ++i)
    partitions.emplace_back(request, static_cast<int>(i));
  return make_kernel([partitions, dtype = values.dtype, shape = values.shape,
                      scalar = request.inputs[0].shape.rank() == 0, target = IntsInput(request, 0),
                      fill = request.inputs[2].shape,
                      types = request.node.attr<std::vector<std::string>>("row_partition_types"),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    if (types.size() != partitions.size() || types.empty())
      throw invalid_argument(types.size(), " row_partition_types for ", partitions.size(),
                             " partitions");
    if (fill.num_elements() == 0 && shape.slice(1).num_elements() != 0)
      throw invalid_argument("`default_value` of shape ", fill, " holds nothing to fill with");
    std::vector<Ints> lengths;
    int64_t rows = 0;
    for (size_t i = 0; i < types.size(); ++i) {
      const Ints partition = partitions[i].read(context);
      if (partition.empty() && types[i] != "VALUE_ROWIDS")
        throw invalid_argument("partition ", i, " (", types[i], ") is empty");
      if (i == 0)
        rows = types[0] == "FIRST_DIM_SIZE" ? partition[0]
                                            : static_cast<int64_t>(partition.size()) - 1;
      if (rows < 0) throw invalid_argument("the partitions tell of ", rows, " rows");
      if (types[i] == "FIRST_DIM_SIZE") continue;
      const int64_t count = lengths.empty() ? rows
                                            : std::accumulate(lengths.back().begin(),
                                                              lengths.back().end(), int64_t{0});
      lengths.push_back(lengths_of(types[i], partition, count));
    }
    Ints dims = {rows};
    for (const Ints& level : lengths)
      dims.push_back(level.empty() ? 0 : *std::max_element(level.begin(), level.end()));
    const Shape inner = shape.slice(1);
    const size_t ragged = dims.size();
    dims.insert(dims.end(), inner.dims().begin(), inner.dims().end());
    const Ints wanted = target.read(context);
    if (!scalar && wanted.size() != dims.size())
      throw invalid_argument("`shape` ", wanted, " does not fit a ragged tensor of ", dims.size(),
                             " dimensions");
    for (size_t i = 0; !scalar && i < dims.size(); ++i) {
      if (wanted[i] >= 0) dims[i] = wanted[i];
    }
    const Shape result{std::span<const int64_t>(dims)};
    if (result.slice(static_cast<int>(ragged)) != inner)
      throw invalid_argument("values of shape ", shape, " do not fit the dense shape ", result);
    void* to = place.memory(context, result);
    // The default is broadcast to an inner value.
    const int64_t width = inner.num_elements();
    const int64_t fills = fill.num_elements();
    for (int64_t i = 0; i < result.num_elements(); ++i) {
      reference::copy_elements(dtype,
                               reference::element_at(dtype, context.input_pointer(2), i % fills),
                               reference::element_at(dtype, to, i), 1);
    }
    // Where each row of a level begins in the result, in inner values; -1 when it was cut.
    Ints starts = reference::evenly(0, 1, rows);
    for (int64_t& start : starts) start = start < dims[0] ? start : -1;
    for (size_t level = 0; level < lengths.size(); ++level) {
      Ints next;
      for (size_t r = 0; r < lengths[level].size(); ++r) {
        for (int64_t i = 0; i < lengths[level][r]; ++i) {
          const bool kept = r < starts.size() && starts[r] >= 0 && i < dims[level + 1];
          next.push_back(kept ? starts[r] * dims[level + 1] + i : -1);
        }
      }
      starts = std::move(next);
    }
    if (static_cast<int64_t>(starts.size()) != shape[0])
      throw invalid_argument("the partitions place ", starts.size(), " values, there are ",
                             shape[0]);
    for (size_t i = 0; i < starts.size(); ++i) {
      if (starts[i] < 0) continue;
      reference::copy_elements(
          dtype,
          reference::element_at(dtype, context.input_pointer(1), static_cast<int64_t>(i) * width),
          reference::element_at(dtype, to, starts[i] * width), width);
    }
  });
}

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

constexpr KernelDef kKernels[] = {
    {"RaggedRange", "reference", make_range},
    {"RaggedGather", "reference", make_gather},
    {"RaggedTensorToSparse", "reference", make_to_sparse},
    {"RaggedTensorToTensor", "reference", make_to_tensor},
    {"DenseCountSparseOutput", "reference", make_count<Rows::kDense>},
    {"SparseCountSparseOutput", "reference", make_count<Rows::kSparse>},
    {"RaggedCountSparseOutput", "reference", make_count<Rows::kRagged>},
};

}  // namespace

std::span<const KernelDef> reference_ragged_kernels() { return kKernels; }

}  // namespace thalweg
