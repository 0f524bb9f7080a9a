#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;

KernelPtr make_roll(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, shifts = IntsInput(request, 1),
                      axes = IntsInput(request, 2)](KernelContext& context) {
    Offsets offsets = reference::dense_offsets(shape);
    const Ints by = shifts.read(context), along = axes.read(context);
    for (size_t i = 0; i < along.size(); ++i) {
      Ints& table = offsets[reference::place_axis(along[i], offsets.size())];
      const auto size = static_cast<int64_t>(table.size());
      if (size == 0) continue;
      const int64_t first = ((-by[i] % size) + size) % size;
      Ints turned;
      for (int64_t k = 0; k < size; ++k)
        turned.push_back(table[static_cast<size_t>((first + k) % size)]);
      table = std::move(turned);
    }
    reference::gather_elements(dtype, offsets, context.input_pointer(0), context.output_pointer(0));
  });
}

KernelPtr make_reverse_sequence(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  const auto rank = static_cast<size_t>(x.shape.rank());
  const size_t sequence = reference::place_axis(request.node.attr<int64_t>("seq_dim"), rank);
  const size_t batch = reference::place_axis(request.node.attr<int64_t>("batch_dim"), rank);
  return make_kernel([=, dtype = x.dtype, shape = x.shape,
                      lengths = IntsInput(request, 1)](KernelContext& context) {
    const Ints sizes = lengths.read(context);
    for (size_t b = 0; b < sizes.size(); ++b) {
      const int64_t limit = shape[static_cast<int>(sequence)];
      if (sizes[b] < 0 || sizes[b] > limit) {
        throw invalid_argument("seq_lengths[", b, "] is ", sizes[b], ", outside [0, ", limit,
                               "], the size of dimension ", sequence);
      }
      // The entry's elements in their order, and where each of them goes.
      Offsets from = reference::dense_offsets(shape);
      from[batch] = {from[batch][b]};
      Ints& table = from[sequence];
      Ints turned = table;
      for (int64_t i = 0; i < sizes[b]; ++i)
        turned[static_cast<size_t>(i)] = table[static_cast<size_t>(sizes[b] - 1 - i)];
      const Offsets to = from;
      table = turned;
      Ints sources, targets;
      reference::for_each_offset(from, [&](int64_t, int64_t at) { sources.push_back(at); });
      reference::for_each_offset(to, [&](int64_t, int64_t at) { targets.push_back(at); });
      for (size_t i = 0; i < sources.size(); ++i) {
        reference::copy_elements(
            dtype, reference::element_at(dtype, context.input_pointer(0), sources[i]),
            reference::element_at(dtype, context.output_pointer(0), targets[i]), 1);
      }
    }
  });
}

KernelPtr make_lin_space(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([num = IntsInput(request, 2),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const int64_t count = num.read_one(context);
      if (count <= 0) throw invalid_argument("`num` is ", count, ", it must be positive");
      const double start = widen(*context.input<T>(0)), stop = widen(*context.input<T>(1));
      T* to = static_cast<T*>(place.memory(context, Shape{count}));
      for (int64_t i = 0; i < count; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(count - 1);
        to[i] = narrow<T>(i == 0 ? start : i == count - 1 ? stop : start + (stop - start) * part);
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Roll", "reference", make_roll},
    {"ReverseSequence", "reference", make_reverse_sequence},
    {"LinSpace", "reference", make_lin_space},
};

}  // namespace

std::span<const KernelDef> reference_rearrange_kernels() { return kKernels; }

}  // namespace thalweg
