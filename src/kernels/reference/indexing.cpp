#include <algorithm>
#include <numeric>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using reference::IndexVectors;
using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;

KernelPtr make_one_hot(const KernelRequest& request) {
  const DType dtype = request.inputs[2].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  const Shape indices = request.inputs[0].shape;
  const DType index_type = request.inputs[0].dtype;
  const size_t axis = reference::place_axis(request.node.attr<int64_t>("axis"),
                                            static_cast<size_t>(indices.rank()) + 1);
  return make_kernel([dtype, indices, index_type, axis, depth = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const int64_t size = depth.read_one(context);
    if (size < 0) throw invalid_argument("`depth` is ", size, ", it must not be negative");
    const auto d = static_cast<int>(axis);
    const Shape shape = indices.slice(0, d).concat(Shape{size}).concat(indices.slice(d));
    void* to = place.memory(context, shape);
    reference::fill_elements(dtype, context.input_pointer(3), to, shape.num_elements());
    const int64_t inner = indices.slice(d).num_elements();
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const int64_t index = visit_dtype(index_type, [&]<class T>(TypeTag<T>) -> int64_t {
        if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(context.input<T>(0)[i]);
        throw internal_error("indices of dtype ", index_type);
      });
      if (index < 0 || index >= size) continue;
      const int64_t cell = (i / inner * size + index) * inner + i % inner;
      reference::copy_elements(dtype, context.input_pointer(2),
                               reference::element_at(dtype, to, cell), 1);
    }
  });
}

KernelPtr make_gather(const KernelRequest& request) {
  const TensorSpec& params = request.inputs[0];
  if (!reference::has_elements(params.dtype)) return nullptr;
  return make_kernel([dtype = params.dtype, table = params.shape, indices = IndexInput(request, 1),
                      axis = IntsInput(request, 2),
                      batch_attr = request.node.attr<int64_t>("batch_dims"),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Shape& picked = indices.shape();
    const auto along = static_cast<int>(
        reference::place_axis(axis.read_one(context), static_cast<size_t>(table.rank())));
    const int batch_dims =
        static_cast<int>(batch_attr < 0 ? batch_attr + picked.rank() : batch_attr);
    if (batch_dims > along)
      throw invalid_argument("`batch_dims` is ", batch_dims, ", more than `axis` ", along);
    // params as [batch, outer, size, inner], indices as [batch, count].
    const int64_t batches = table.slice(0, batch_dims).num_elements();
    const int64_t outer = table.slice(batch_dims, along).num_elements();
    const int64_t size = table[along];
    const int64_t inner = table.slice(along + 1).num_elements();
    const int64_t count = picked.slice(batch_dims).num_elements();

    const Ints positions = indices.read(context);
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] < 0 || positions[i] >= size) {
        throw indices.out_of_range(static_cast<int64_t>(i), positions[i], size,
                                   str("dimension ", along, " of `params` with shape ", table));
      }
    }
    void* to = place.memory(context, table.slice(0, batch_dims)
                                         .concat(table.slice(batch_dims, along))
                                         .concat(picked.slice(batch_dims))
                                         .concat(table.slice(along + 1)));
    for (int64_t batch = 0; batch < batches; ++batch) {
      const auto first = positions.begin() + batch * count;
      Ints rows(first, first + count);
      for (int64_t& row : rows) row *= inner;
      const Offsets offsets = {reference::evenly(0, size * inner, outer), rows,
                               reference::evenly(0, 1, inner)};
      reference::gather_elements(
          dtype, offsets,
          reference::element_at(dtype, context.input_pointer(0), batch * outer * size * inner),
          reference::element_at(dtype, to, batch * outer * count * inner));
    }
  });
}

KernelPtr make_gather_nd(const KernelRequest& request) {
  const TensorSpec& params = request.inputs[0];
  if (!reference::has_elements(params.dtype)) return nullptr;
  return make_kernel([dtype = params.dtype, table = params.shape,
                      indices = IndexVectors(request, 1)](KernelContext& context) {
    const int64_t inner = table.slice(indices.depth()).num_elements();
    Ints starts = indices.slices(context, table);
    for (int64_t& start : starts) start *= inner;
    reference::gather_elements(dtype, {starts, reference::evenly(0, 1, inner)},
                               context.input_pointer(0), context.output_pointer(0));
  });
}

// Adds slice i of `updates` to slice slices[i] of the sums; a negative one is dropped.
template <class T>
void add_slices(const Ints& slices, const T* updates, int64_t inner,
                std::vector<Accumulator<T>>& sums) {
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i] < 0) continue;
    for (int64_t j = 0; j < inner; ++j) {
      sums[static_cast<size_t>(slices[i] * inner + j)] +=
          widen(updates[static_cast<int64_t>(i) * inner + j]);
    }
  }
}

template <class T>
void write_sums(const std::vector<Accumulator<T>>& sums, void* to) {
  std::transform(sums.begin(), sums.end(), static_cast<T*>(to), narrow<T>);
}

KernelPtr make_scatter_nd(const KernelRequest& request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([given = request.inputs[1].shape, indices = IndexVectors(request, 0),
                        target = IntsInput(request, 2), outer = request.inputs[0].shape,
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const Shape shape{std::span<const int64_t>(target.read(context))};
      if (indices.depth() > shape.rank() ||
          given != outer.slice(0, outer.rank() - 1).concat(shape.slice(indices.depth()))) {
        throw invalid_argument("updates of shape ", given, " at indices of shape ", outer,
                               " do not fit shape ", shape);
      }
      const int64_t inner = shape.slice(indices.depth()).num_elements();
      // Memory first: it tells whether there is room for so many.
      void* to = place.memory(context, shape);
      std::vector<Accumulator<T>> sums(static_cast<size_t>(shape.num_elements()));
      add_slices(indices.slices(context, shape), context.input<T>(1), inner, sums);
      write_sums<T>(sums, to);
    });
  });
}

KernelPtr make_tensor_scatter_add(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape = request.inputs[0].shape,
                        indices = IndexVectors(request, 1)](KernelContext& context) {
      const T* x = context.input<T>(0);
      std::vector<Accumulator<T>> sums(static_cast<size_t>(shape.num_elements()));
      std::transform(x, x + sums.size(), sums.begin(), widen<T>);
      add_slices(indices.slices(context, shape), context.input<T>(2),
                 shape.slice(indices.depth()).num_elements(), sums);
      write_sums<T>(sums, context.output_pointer(0));
    });
  });
}

KernelPtr make_tensor_scatter_update(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape,
                      indices = IndexVectors(request, 1)](KernelContext& context) {
    void* to = context.output_pointer(0);
    reference::copy_elements(dtype, context.input_pointer(0), to, shape.num_elements());
    const int64_t inner = shape.slice(indices.depth()).num_elements();
    Ints starts = indices.slices(context, shape);
    for (int64_t& start : starts) start *= inner;
    reference::scatter_elements(dtype, {starts, reference::evenly(0, 1, inner)},
                                context.input_pointer(2), to);
  });
}

KernelPtr make_segment_sum(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([data = request.inputs[0].shape, ids = IndexInput(request, 1),
                        segments = IntsInput(request, 2),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const int64_t count = segments.read_one(context);
      if (count < 0)
        throw invalid_argument("`num_segments` is ", count, ", it must not be negative");
      const Ints segment_of = ids.read(context);
      for (size_t i = 0; i < segment_of.size(); ++i) {
        if (segment_of[i] >= count) {
          throw ids.out_of_range(static_cast<int64_t>(i), segment_of[i], count, "`num_segments`");
        }
      }
      const Shape slice = data.slice(ids.shape().rank());
      const int64_t inner = slice.num_elements();
      void* to = place.memory(context, Shape{count}.concat(slice));
      std::vector<Accumulator<T>> sums(static_cast<size_t>(count * inner));
      add_slices(segment_of, context.input<T>(0), inner, sums);
      write_sums<T>(sums, to);
    });
  });
}

KernelPtr make_invert_permutation(const KernelRequest& request) {
  return make_kernel([dtype = request.inputs[0].dtype,
                      x = IndexInput(request, 0)](KernelContext& context) {
    const Ints order = x.read(context);
    const auto size = static_cast<int64_t>(order.size());
    Ints inverse(order.size(), -1);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t value = order[static_cast<size_t>(i)];
      if (value < 0 || value >= size)
        throw x.out_of_range(i, value, size, "a permutation of its length");
      int64_t& place = inverse[static_cast<size_t>(value)];
      if (place >= 0)
        throw invalid_argument("x is no permutation: ", value, " stands at ", place, " and at ", i);
      place = i;
    }
    for (int64_t i = 0; i < size; ++i) {
      const int64_t value = inverse[static_cast<size_t>(i)];
      if (dtype == kInt64) {
        context.output<int64_t>(0)[i] = value;
      } else {
        context.output<int32_t>(0)[i] = static_cast<int32_t>(value);
      }
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"OneHot", "reference", make_one_hot},
    {"GatherV2", "reference", make_gather},
    {"GatherNd", "reference", make_gather_nd},
    {"ScatterNd", "reference", make_scatter_nd},
    {"TensorScatterUpdate", "reference", make_tensor_scatter_update},
    {"TensorScatterAdd", "reference", make_tensor_scatter_add},
    {"UnsortedSegmentSum", "reference", make_segment_sum},
    {"InvertPermutation", "reference", make_invert_permutation},
};

}  // namespace

std::span<const KernelDef> reference_indexing_kernels() { return kKernels; }

}  // namespace thalweg
