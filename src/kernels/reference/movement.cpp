#include "kernels/families.h"
#include "kernels/reference/elements.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;

KernelPtr make_transpose(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, perm = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Offsets source = reference::dense_offsets(from);
    std::vector<bool> seen(source.size(), false);
    Offsets offsets;
    Ints dims;
    for (int64_t entry : perm.read(context)) {
      const size_t axis = reference::place_axis(entry, source.size());
      if (seen[axis]) throw invalid_argument("the permutation names dimension ", axis, " twice");
      seen[axis] = true;
      offsets.push_back(source[axis]);
      dims.push_back(from[static_cast<int>(axis)]);
    }
    reference::gather_elements(dtype, offsets, context.input_pointer(0),
                               place.memory(context, Shape(dims)));
  });
}

KernelPtr make_reverse(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape,
                      axes = IntsInput(request, 1)](KernelContext& context) {
    Offsets offsets = reference::dense_offsets(shape);
    std::vector<bool> seen(offsets.size(), false);
    for (int64_t entry : axes.read(context)) {
      const size_t axis = reference::place_axis(entry, offsets.size());
      if (seen[axis]) throw invalid_argument("axis ", axis, " is given twice");
      seen[axis] = true;
      offsets[axis] = Ints(offsets[axis].rbegin(), offsets[axis].rend());
    }
    reference::gather_elements(dtype, offsets, context.input_pointer(0), context.output_pointer(0));
  });
}

// ---- pieces along an axis, of a whole that is row-major ----

// The tables of the piece that starts at `begin` and has `size` cells along `axis`.
Offsets piece_offsets(const Shape& whole, size_t axis, int64_t begin, int64_t size) {
  Offsets offsets = reference::dense_offsets(whole);
  const int64_t stride = reference::row_major_strides(whole)[axis];
  offsets[axis] = reference::evenly(begin * stride, stride, size);
  return offsets;
}

KernelPtr make_concat(const KernelRequest& request) {
  const size_t count = request.inputs.size() - 1;
  const DType dtype = request.inputs[0].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) shapes.push_back(request.inputs[i].shape);
  return make_kernel([dtype, shapes, axis = IntsInput(request, static_cast<int>(count)),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const size_t along =
        reference::place_axis(axis.read_one(context), static_cast<size_t>(shapes[0].rank()));
    const auto d = static_cast<int>(along);
    Shape whole = shapes[0];
    int64_t total = 0;
    for (const Shape& piece : shapes) {
      total += piece[d];
      whole.set_dim(d, piece[d]);
      if (piece != whole) {
        throw invalid_argument("values of shape ", shapes[0], " and ", piece,
                               " cannot be joined along axis ", d);
      }
    }
    whole.set_dim(d, total);
    void* to = place.memory(context, whole);
    int64_t begin = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      reference::scatter_elements(dtype, piece_offsets(whole, along, begin, shapes[i][d]),
                                  context.input_pointer(static_cast<int>(i)), to);
      begin += shapes[i][d];
    }
  });
}

// Copies consecutive pieces of x along an axis to the outputs.
void split_into(KernelContext& context, DType dtype, const void* x, const Shape& whole, size_t axis,
                const Ints& sizes, const std::vector<OutputPlace>& places) {
  int64_t begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape piece = whole;
    piece.set_dim(static_cast<int>(axis), sizes[i]);
    reference::gather_elements(dtype, piece_offsets(whole, axis, begin, sizes[i]), x,
                               places[i].memory(context, piece));
    begin += sizes[i];
  }
}

std::vector<OutputPlace> all_outputs(const KernelRequest& request) {
  std::vector<OutputPlace> places;
  for (size_t i = 0; i < request.outputs.size(); ++i)
    places.emplace_back(request, static_cast<int>(i));
  return places;
}

KernelPtr make_split(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[1];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, axis = IntsInput(request, 0),
                      places = all_outputs(request)](KernelContext& context) {
    const size_t along =
        reference::place_axis(axis.read_one(context), static_cast<size_t>(shape.rank()));
    const int64_t size = shape[static_cast<int>(along)];
    const auto count = static_cast<int64_t>(places.size());
    if (size % count != 0) {
      throw invalid_argument("cannot split dimension ", along, " of size ", size, " into ", count,
                             " equal pieces");
    }
    split_into(context, dtype, context.input_pointer(1), shape, along,
               Ints(places.size(), size / count), places);
  });
}

// Replaces a -1 by what the others leave of `total`.
void resolve_sizes(Ints& sizes, int64_t total) {
  int64_t known = 0;
  int64_t* open = nullptr;
  for (int64_t& size : sizes) {
    if (size < -1 || (size == -1 && open != nullptr)) {
      throw invalid_argument("the sizes of the pieces must not be negative, but for one -1; got ",
                             sizes);
    }
    if (size == -1) {
      open = &size;
    } else {
      known += size;
    }
  }
  if (open != nullptr ? known > total : known != total) {
    throw invalid_argument("pieces of sizes ", sizes, " do not make up a dimension of ", total);
  }
  if (open != nullptr) *open = total - known;
}

KernelPtr make_split_v(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, pieces = IntsInput(request, 1),
                      axis = IntsInput(request, 2),
                      places = all_outputs(request)](KernelContext& context) {
    const size_t along =
        reference::place_axis(axis.read_one(context), static_cast<size_t>(shape.rank()));
    Ints sizes = pieces.read(context);
    resolve_sizes(sizes, shape[static_cast<int>(along)]);
    split_into(context, dtype, context.input_pointer(0), shape, along, sizes, places);
  });
}

// ---- slices along an axis that they themselves lack: pieces of one cell ----

KernelPtr make_pack(const KernelRequest& request) {
  const auto count = static_cast<int64_t>(request.inputs.size());
  const TensorSpec& value = request.inputs[0];
  if (!reference::has_elements(value.dtype)) return nullptr;
  const size_t axis = reference::place_axis(request.node.attr<int64_t>("axis"),
                                            static_cast<size_t>(value.shape.rank()) + 1);
  const auto d = static_cast<int>(axis);
  const Shape whole = value.shape.slice(0, d).concat(Shape{count}).concat(value.shape.slice(d));
  return make_kernel([dtype = value.dtype, axis, whole, count,
                      place = OutputPlace(request, 0)](KernelContext& context) {
    void* to = place.memory(context, whole);
    for (int64_t i = 0; i < count; ++i) {
      reference::scatter_elements(dtype, piece_offsets(whole, axis, i, 1),
                                  context.input_pointer(static_cast<int>(i)), to);
    }
  });
}

KernelPtr make_unpack(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  const size_t axis = reference::place_axis(request.node.attr<int64_t>("axis"),
                                            static_cast<size_t>(x.shape.rank()));
  return make_kernel([dtype = x.dtype, whole = x.shape, axis,
                      count =
                          static_cast<int64_t>(request.outputs.size())](KernelContext& context) {
    for (int64_t i = 0; i < count; ++i) {
      reference::gather_elements(dtype, piece_offsets(whole, axis, i, 1), context.input_pointer(0),
                                 context.output_pointer(static_cast<int>(i)));
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"Transpose", "reference", make_transpose}, {"ReverseV2", "reference", make_reverse},
    {"ConcatV2", "reference", make_concat},     {"Split", "reference", make_split},
    {"SplitV", "reference", make_split_v},      {"Pack", "reference", make_pack},
    {"Unpack", "reference", make_unpack},
};

}  // namespace

std::span<const KernelDef> reference_movement_kernels() { return kKernels; }

}  // namespace thalweg
