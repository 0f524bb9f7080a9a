#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;

// The [rank, 2] input: cells before and after each dimension.
class PaddingsInput {
 public:
  explicit PaddingsInput(const KernelRequest& request) : values_(request, 1) {}

  struct Cells {
    int64_t before, after;
  };
  std::vector<Cells> read(const KernelContext& context, const Shape& x) const {
    const Ints values = values_.read(context);
    if (static_cast<int>(values.size()) != 2 * x.rank()) {
      throw invalid_argument("the paddings have ", values.size() / 2,
                             " rows for a tensor of shape ", x);
    }
    std::vector<Cells> cells;
    for (size_t i = 0; i < values.size(); i += 2) {
      if (values[i] < 0 || values[i + 1] < 0) {
        throw invalid_argument("dimension ", i / 2, " is padded by the negative {", values[i], ", ",
                               values[i + 1], "}");
      }
      cells.push_back({values[i], values[i + 1]});
    }
    return cells;
  }

 private:
  IntsInput values_;
};

KernelPtr make_pad(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, paddings = PaddingsInput(request),
                      has_value = request.inputs.size() > 2,
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const auto cells = paddings.read(context, from);
    Shape padded = from;
    for (int i = 0; i < from.rank(); ++i) {
      const auto [before, after] = cells[static_cast<size_t>(i)];
      padded.set_dim(i, checked_add(checked_add(before, from[i]), after));
    }
    void* to = place.memory(context, padded);
    if (has_value) {
      reference::fill_elements(dtype, context.input_pointer(2), to, padded.num_elements());
    } else {
      reference::zero_elements(dtype, to, padded.num_elements());
    }
    Offsets offsets;
    const Ints strides = reference::row_major_strides(padded);
    for (size_t i = 0; i < strides.size(); ++i) {
      offsets.push_back(
          reference::evenly(cells[i].before * strides[i], strides[i], from[static_cast<int>(i)]));
    }
    reference::scatter_elements(dtype, offsets, context.input_pointer(0), to);
  });
}

// For each cell of the padded tensor the place in the inner one that it mirrors. `edge` is 1 when
// the border element is left out of the image (REFLECT), else 0.
Offsets mirror_offsets(const Shape& inner, const std::vector<PaddingsInput::Cells>& cells,
                       int64_t edge) {
  const Ints strides = reference::row_major_strides(inner);
  Offsets offsets;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t size = inner[static_cast<int>(i)];
    const auto [before, after] = cells[i];
    if (const int64_t most = std::max<int64_t>(size - edge, 0); std::max(before, after) > most) {
      throw invalid_argument("dimension ", i, " of size ", size, " cannot be padded by {", before,
                             ", ", after, "}; at most ", most, " cells can be mirrored");
    }
    Ints table;
    for (int64_t at = -before; at < size + after; ++at) {
      int64_t source = at;
      if (at < 0) source = -at - 1 + edge;
      if (at >= size) source = 2 * size - 1 - edge - at;
      table.push_back(source * strides[i]);
    }
    offsets.push_back(std::move(table));
  }
  return offsets;
}

int64_t edge_of(const KernelRequest& request) {
  return request.node.attr<std::string>("mode") == "REFLECT" ? 1 : 0;
}

KernelPtr make_mirror_pad(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, paddings = PaddingsInput(request),
                      edge = edge_of(request),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Offsets offsets = mirror_offsets(from, paddings.read(context, from), edge);
    Shape padded = from;
    for (int i = 0; i < from.rank(); ++i) {
      padded.set_dim(i, static_cast<int64_t>(offsets[static_cast<size_t>(i)].size()));
    }
    reference::gather_elements(dtype, offsets, context.input_pointer(0),
                               place.memory(context, padded));
  });
}

KernelPtr make_mirror_pad_grad(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([padded = request.inputs[0].shape, paddings = PaddingsInput(request),
                        edge = edge_of(request),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const auto cells = paddings.read(context, padded);
      Shape inner = padded;
      for (int i = 0; i < padded.rank(); ++i) {
        const auto [before, after] = cells[static_cast<size_t>(i)];
        inner.set_dim(i, std::max<int64_t>(padded[i] - checked_add(before, after), 0));
      }
      const T* gradient = context.input<T>(0);
      std::vector<Accumulator<T>> sums(static_cast<size_t>(inner.num_elements()));
      reference::for_each_offset(mirror_offsets(inner, cells, edge),
                                 [&](int64_t n, int64_t offset) {
                                   sums[static_cast<size_t>(offset)] += widen(gradient[n]);
                                 });
      std::transform(sums.begin(), sums.end(), static_cast<T*>(place.memory(context, inner)),
                     narrow<T>);
    });
  });
}

KernelPtr make_tile(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, multiples = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Ints counts = multiples.read(context);
    if (static_cast<int>(counts.size()) != from.rank()) {
      throw invalid_argument("`multiples` has ", counts.size(), " entries for a tensor of shape ",
                             from);
    }
    Shape whole = from;
    for (int i = 0; i < from.rank(); ++i) {
      const int64_t count = counts[static_cast<size_t>(i)];
      if (count < 0) throw invalid_argument("`multiples` holds the negative count ", count);
      whole.set_dim(i, checked_multiply(from[i], count));
    }
    // Memory first: it tells whether there is room for the copies that are counted below.
    void* to = place.memory(context, whole);
    if (whole.num_elements() == 0) return;
    Offsets offsets = reference::dense_offsets(from);
    for (size_t i = 0; i < offsets.size(); ++i) {
      const Ints once = offsets[i];
      offsets[i].clear();
      for (int64_t copy = 0; copy < counts[i]; ++copy)
        offsets[i].insert(offsets[i].end(), once.begin(), once.end());
    }
    reference::gather_elements(dtype, offsets, context.input_pointer(0), to);
  });
}

KernelPtr make_broadcast_to(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, target = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Ints dims = target.read(context);
    const int added = static_cast<int>(dims.size()) - from.rank();
    const Offsets source = reference::dense_offsets(from);
    Offsets offsets;
    for (size_t i = 0; i < dims.size(); ++i) {
      const int axis = static_cast<int>(i) - added;
      const int64_t size = axis < 0 ? 1 : from[axis];
      if (added < 0 || dims[i] < 0 || (size != 1 && size != dims[i])) {
        throw invalid_argument("shape ", from, " cannot be broadcast to ", dims);
      }
      offsets.push_back(size == 1 ? reference::evenly(0, 0, dims[i])
                                  : source[static_cast<size_t>(axis)]);
    }
    if (added < 0) throw invalid_argument("shape ", from, " cannot be broadcast to ", dims);
    reference::gather_elements(dtype, offsets, context.input_pointer(0),
                               place.memory(context, Shape(dims)));
  });
}

constexpr KernelDef kKernels[] = {
    {"Pad", "reference", make_pad},
    {"PadV2", "reference", make_pad},
    {"MirrorPad", "reference", make_mirror_pad},
    {"MirrorPadGrad", "reference", make_mirror_pad_grad},
    {"Tile", "reference", make_tile},
    {"BroadcastTo", "reference", make_broadcast_to},
};

}  // namespace

std::span<const KernelDef> reference_padding_kernels() { return kKernels; }

}  // namespace thalweg
