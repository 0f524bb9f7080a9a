#include "kernels/reference/sparse.h"

#include <map>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using reference::OutputPlace;
using reference::SparseIndices;
using reference::SparseInput;
using reference::write_indices;
using reference::write_vector;
using Request = const KernelRequest&;

KernelPtr make_to_dense(Request request) {
  const DType dtype = request.inputs[3].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  return make_kernel([dtype, indices = IntsInput(request, 0), target = IntsInput(request, 1),
                      index_shape = request.inputs[0].shape, values = request.inputs[2].shape,
                      validate = request.node.attr<bool>("validate_indices"),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Ints dims = target.read(context), vectors = indices.read(context);
    const Shape shape{std::span<const int64_t>(dims)};
    const int64_t count = index_shape.rank() == 0 ? 1 : index_shape[0];
    const int64_t columns = index_shape.rank() == 2 ? index_shape[1] : 1;
    if (columns != shape.rank() || (values.rank() == 1 && values[0] != count)) {
      throw invalid_argument("indices of shape ", index_shape, " and values of shape ", values,
                             " do not fit a dense shape ", shape);
    }
    void* to = place.memory(context, shape);
    reference::fill_elements(dtype, context.input_pointer(3), to, shape.num_elements());
    int64_t last = -1;
    for (int64_t i = 0; i < count; ++i) {
      int64_t flat = 0;
      for (int64_t d = 0; d < columns; ++d) {
        const int64_t index = vectors[static_cast<size_t>(i * columns + d)];
        const int64_t size = shape[static_cast<int>(d)];
        if (index < 0 || index >= size)
          throw invalid_argument("sparse_indices[", i, ", ", d, "] is ", index, ", outside [0, ",
                                 size, "), a dimension of shape ", shape);
        flat = flat * size + index;
      }
      if (validate && flat <= last)
        throw invalid_argument("sparse_indices[", i, "] is ",
                               flat == last ? "given twice" : "out of order",
                               "; set validate_indices to false to allow it");
      last = flat;
      reference::copy_elements(
          dtype, reference::element_at(dtype, context.input_pointer(2), values.rank() == 0 ? 0 : i),
          reference::element_at(dtype, to, flat), 1);
    }
  });
}

KernelPtr make_reshape(Request request) {
  return make_kernel([x = SparseInput(request, 0, 1), target = IntsInput(request, 2),
                      places = output_places(request)](KernelContext& context) {
    const SparseIndices from = x.read(context);
    const Ints dims = target.read(context);
    const Shape to = resolve_reshape(Shape(std::span<const int64_t>(from.shape)),
                                     Shape(std::span<const int64_t>(dims)));
    const Ints shape(to.dims().begin(), to.dims().end());
    Ints indices(static_cast<size_t>(from.count) * shape.size());
    for (int64_t i = 0; i < from.count; ++i) {
      int64_t flat = from.flat(i);
      for (size_t d = shape.size(); d-- > 0;) {
        indices[static_cast<size_t>(i) * shape.size() + d] = flat % shape[d];
        flat /= shape[d];
      }
    }
    write_indices(context, places[0], indices, shape.size());
    write_vector(context, places[1], shape);
  });
}

// The entries of `x` in `order`, as outputs `first` and `first` + 1; `values` are its values.
void write_entries(KernelContext& context, const std::vector<OutputPlace>& places, size_t first,
                   size_t step, DType dtype, const void* values, const SparseIndices& x,
                   const Ints& order) {
  Ints indices;
  for (int64_t i : order) indices.insert(indices.end(), x.at(i).begin(), x.at(i).end());
  write_indices(context, places[first], indices, x.rank());
  void* to = places[first + step].memory(context, Shape{static_cast<int64_t>(order.size())});
  reference::gather_elements(dtype, {order}, values, to);
}

KernelPtr make_reorder(Request request) {
  const DType dtype = request.inputs[1].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  return make_kernel([dtype, x = SparseInput(request, 0, 2),
                      places = output_places(request)](KernelContext& context) {
    const SparseIndices from = x.read(context);
    write_entries(context, places, 0, 1, dtype, context.input_pointer(1), from, from.order());
  });
}

KernelPtr make_concat(Request request) {
  const auto count = static_cast<int>(request.inputs.size() / 3);
  const DType dtype = request.outputs[1].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  std::vector<SparseInput> inputs;
  for (int i = 0; i < count; ++i) inputs.emplace_back(request, i, 2 * count + i);
  return make_kernel([dtype, count, inputs, dim = request.node.attr<int64_t>("concat_dim"),
                      places = output_places(request)](KernelContext& context) {
    SparseIndices whole;
    size_t axis = 0;
    std::vector<int64_t> counts;
    for (const SparseInput& input : inputs) {
      SparseIndices piece = input.read(context);
      counts.push_back(piece.count);
      if (whole.shape.empty()) {
        axis = reference::place_axis(dim, piece.rank());
        whole = std::move(piece);
        continue;
      }
      for (size_t d = 0; d < whole.rank(); ++d) {
        if (piece.rank() != whole.rank() || (d != axis && piece.shape[d] != whole.shape[d]))
          throw invalid_argument("shapes ", whole.shape, " and ", piece.shape,
                                 " cannot be joined along dimension ", axis);
      }
      for (int64_t i = 0; i < piece.count; ++i)
        piece.indices[static_cast<size_t>(i) * piece.rank() + axis] += whole.shape[axis];
      whole.indices.insert(whole.indices.end(), piece.indices.begin(), piece.indices.end());
      whole.shape[axis] += piece.shape[axis];
      whole.count += piece.count;
    }
    Tensor values(dtype, Shape{whole.count});
    int64_t begin = 0;
    for (int i = 0; i < count; ++i) {
      const int64_t size = counts[static_cast<size_t>(i)];
      reference::copy_elements(dtype, context.input_pointer(count + i),
                               reference::element_at(dtype, values.mutable_raw(), begin), size);
      begin += size;
    }
    write_entries(context, places, 0, 1, dtype, values.raw(), whole, whole.order());
    write_vector(context, places[2], whole.shape);
  });
}

// The entries inside a block, moved to its origin, as outputs first, first + step, first + 2 *
// step.
void write_block(KernelContext& context, const std::vector<OutputPlace>& places, size_t first,
                 size_t step, DType dtype, const void* values, const SparseIndices& x,
                 const Ints& start, const Ints& size) {
  SparseIndices block{.shape = {}};
  Ints kept;
  for (size_t d = 0; d < x.rank(); ++d)
    block.shape.push_back(std::max<int64_t>(std::min(size[d], x.shape[d] - start[d]), 0));
  for (int64_t i = 0; i < x.count; ++i) {
    bool inside = true;
    for (size_t d = 0; d < x.rank(); ++d) {
      const int64_t at = x.at(i)[d] - start[d];
      inside = inside && at >= 0 && at < block.shape[d];
    }
    if (!inside) continue;
    for (size_t d = 0; d < x.rank(); ++d) block.indices.push_back(x.at(i)[d] - start[d]);
    kept.push_back(i);
  }
  write_indices(context, places[first], block.indices, x.rank());
  void* to = places[first + step].memory(context, Shape{static_cast<int64_t>(kept.size())});
  reference::gather_elements(dtype, {kept}, values, to);
  write_vector(context, places[first + 2 * step], block.shape);
}

KernelPtr make_split(Request request) {
  const DType dtype = request.inputs[2].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  return make_kernel([dtype, dim = IntsInput(request, 0), x = SparseInput(request, 1, 3),
                      places = output_places(request)](KernelContext& context) {
    const SparseIndices whole = x.read(context);
    const size_t axis = reference::place_axis(dim.read_one(context), whole.rank());
    const auto count = static_cast<int64_t>(places.size() / 3);
    if (count > whole.shape[axis])
      throw invalid_argument("dimension ", axis, " of shape ", whole.shape,
                             " cannot be split into ", count);
    Ints start(whole.rank(), 0), size = whole.shape;
    for (int64_t i = 0; i < count; ++i) {
      size[axis] = whole.shape[axis] / count + (i < whole.shape[axis] % count ? 1 : 0);
      write_block(context, places, static_cast<size_t>(i), static_cast<size_t>(count), dtype,
                  context.input_pointer(2), whole, start, size);
      start[axis] += size[axis];
    }
  });
}

KernelPtr make_slice(Request request) {
  const DType dtype = request.inputs[1].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  return make_kernel([dtype, x = SparseInput(request, 0, 2), start = IntsInput(request, 3),
                      size = IntsInput(request, 4),
                      places = output_places(request)](KernelContext& context) {
    const SparseIndices whole = x.read(context);
    const Ints first = start.read(context), extent = size.read(context);
    if (first.size() != whole.rank() || extent.size() != whole.rank())
      throw invalid_argument("`start` ", first, " and `size` ", extent,
                             " must have one entry for each dimension of ", whole.shape);
    write_block(context, places, 0, 1, dtype, context.input_pointer(1), whole, first, extent);
  });
}

KernelPtr make_slice_grad(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([gradients_shape = request.inputs[0].shape, in = request.inputs[1].shape,
                        out = request.inputs[3].shape, indices = IntsInput(request, 1),
                        start = IntsInput(request, 2),
                        kept = IntsInput(request, 3)](KernelContext& context) {
      const Ints from = indices.read(context), first = start.read(context), to = kept.read(context);
      const auto rank = static_cast<size_t>(in[1]);
      if (out[1] != in[1] || first.size() != rank || gradients_shape != out.slice(0, 1)) {
        throw invalid_argument("indices ", in, " and ", out, ", a start of ", first.size(),
                               " entries and gradients ", gradients_shape, " do not fit together");
      }
      std::map<Ints, T> gradients;
      for (int64_t i = 0; i < out[0]; ++i) {
        Ints at(to.begin() + i * out[1], to.begin() + (i + 1) * out[1]);
        for (size_t d = 0; d < rank; ++d) at[d] += first[d];
        gradients.emplace(at, context.input<T>(0)[i]);
      }
      for (int64_t i = 0; i < in[0]; ++i) {
        const auto found =
            gradients.find(Ints(from.begin() + i * in[1], from.begin() + (i + 1) * in[1]));
        context.output<T>()[i] = found == gradients.end() ? narrow<T>(0) : found->second;
      }
    });
  });
}

KernelPtr make_fill(Request request) {
  const DType dtype = request.inputs[1].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  return make_kernel([dtype, x = SparseInput(request, 0, 2),
                      places = output_places(request)](KernelContext& context) {
    const SparseIndices from = x.read(context);
    if (from.shape.empty() || from.shape[0] < 0)
      throw invalid_argument("`dense_shape` ", from.shape, " has no rows");
    const int64_t rows = from.shape[0];
    // Memory first: it tells whether there is room for so many.
    bool* empty = static_cast<bool*>(places[2].memory(context, Shape{rows}));
    std::vector<Ints> entries(static_cast<size_t>(rows));
    for (int64_t i = 0; i < from.count; ++i)
      entries[static_cast<size_t>(from.at(i)[0])].push_back(i);
    Ints indices, reverse(static_cast<size_t>(from.count));
    Ints sources;  // entry numbers, or -1 for the default
    for (int64_t row = 0; row < rows; ++row) {
      const Ints& own = entries[static_cast<size_t>(row)];
      empty[row] = own.empty();
      if (own.empty()) {
        Ints first(from.rank(), 0);
        first[0] = row;
        indices.insert(indices.end(), first.begin(), first.end());
        sources.push_back(-1);
      }
      for (int64_t i : own) {
        reverse[static_cast<size_t>(i)] = static_cast<int64_t>(sources.size());
        indices.insert(indices.end(), from.at(i).begin(), from.at(i).end());
        sources.push_back(i);
      }
    }
    write_indices(context, places[0], indices, from.rank());
    void* to = places[1].memory(context, Shape{static_cast<int64_t>(sources.size())});
    for (size_t k = 0; k < sources.size(); ++k) {
      const void* source = sources[k] < 0
                               ? context.input_pointer(3)
                               : reference::element_at(dtype, context.input_pointer(1), sources[k]);
      reference::copy_elements(dtype, source,
                               reference::element_at(dtype, to, static_cast<int64_t>(k)), 1);
    }
    write_vector(context, places[3], reverse);
  });
}

KernelPtr make_fill_grad(Request request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([places = IntsInput(request, 0),
                        size = request.inputs[1].shape[0]](KernelContext& context) {
      const T* grad = context.input<T>(1);
      std::vector<bool> taken(static_cast<size_t>(size), false);
      const Ints reverse = places.read(context);
      for (size_t i = 0; i < reverse.size(); ++i) {
        if (reverse[i] < 0 || reverse[i] >= size)
          throw invalid_argument("reverse_index_map[", i, "] is ", reverse[i], ", outside [0, ",
                                 size, ")");
        context.output<T>(0)[i] = grad[reverse[i]];
        taken[static_cast<size_t>(reverse[i])] = true;
      }
      Accumulator<T> rest = 0;
      for (int64_t i = 0; i < size; ++i) {
        if (!taken[static_cast<size_t>(i)]) rest += widen(grad[i]);
      }
      context.output<T>(1)[0] = narrow<T>(rest);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"SparseToDense", "reference", make_to_dense},
    {"SparseReshape", "reference", make_reshape},
    {"SparseReorder", "reference", make_reorder},
    {"SparseConcat", "reference", make_concat},
    {"SparseSplit", "reference", make_split},
    {"SparseSlice", "reference", make_slice},
    {"SparseSliceGrad", "reference", make_slice_grad},
    {"SparseFillEmptyRows", "reference", make_fill},
    {"SparseFillEmptyRowsGrad", "reference", make_fill_grad},
};

}  // namespace

std::span<const KernelDef> reference_sparse_kernels() { return kKernels; }

}  // namespace thalweg
