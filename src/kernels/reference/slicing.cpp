#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "thalweg/tensor/strided_slice.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;

KernelPtr make_slice(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, begin = IntsInput(request, 1),
                      size = IntsInput(request, 2),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Ints begins = begin.read(context);
    const Ints sizes = size.read(context);
    const Ints strides = reference::row_major_strides(from);
    if (begins.size() != strides.size() || sizes.size() != strides.size()) {
      throw invalid_argument("`begin` ", begins, " and `size` ", sizes,
                             " must have one entry for each dimension of ", from);
    }
    Offsets offsets;
    Ints dims;
    for (size_t i = 0; i < strides.size(); ++i) {
      const int64_t dim = from[static_cast<int>(i)];
      const int64_t rest = begins[i] < 0 ? -1 : dim - begins[i];
      const int64_t count = sizes[i] == -1 ? rest : sizes[i];
      if (count < 0 || count > rest) {
        throw invalid_argument("begin ", begins[i], " and size ", sizes[i],
                               " do not fit dimension ", i, " of shape ", from);
      }
      offsets.push_back(reference::evenly(begins[i] * strides[i], strides[i], count));
      dims.push_back(count);
    }
    reference::gather_elements(dtype, offsets, context.input_pointer(0),
                               place.memory(context, Shape(dims)));
  });
}

// begin, end and strides (inputs first, first + 1, first + 2) with the masks.
class SliceInputs {
 public:
  SliceInputs(const KernelRequest& request, int first)
      : begin_(request, first), end_(request, first + 1), strides_(request, first + 2) {
    const Node& node = request.node;
    masks_ = {.begin = node.attr<int64_t>("begin_mask"),
              .end = node.attr<int64_t>("end_mask"),
              .ellipsis = node.attr<int64_t>("ellipsis_mask"),
              .new_axis = node.attr<int64_t>("new_axis_mask"),
              .shrink_axis = node.attr<int64_t>("shrink_axis_mask")};
  }

  ResolvedSlice resolve(const KernelContext& context, const Shape& x) const {
    const auto known = [&](const IntsInput& input) {
      const Ints values = input.read(context);
      return std::vector<std::optional<int64_t>>(values.begin(), values.end());
    };
    return resolve_strided_slice(x, known(begin_), known(end_), known(strides_), masks_);
  }

 private:
  IntsInput begin_;
  IntsInput end_;
  IntsInput strides_;
  StridedSliceMasks masks_;
};

// Where the elements of a slice lie in x.
Offsets slice_offsets(const Shape& x, const ResolvedSlice& slice) {
  const Ints strides = reference::row_major_strides(x);
  Offsets offsets;
  for (size_t i = 0; i < strides.size(); ++i) {
    const SliceRange& range = slice.ranges[i];
    offsets.push_back(
        reference::evenly(range.begin * strides[i], range.stride * strides[i], range.size));
  }
  return offsets;
}

KernelPtr make_strided_slice(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, from = x.shape, inputs = SliceInputs(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const ResolvedSlice slice = inputs.resolve(context, from);
    reference::gather_elements(dtype, slice_offsets(from, slice), context.input_pointer(0),
                               place.memory(context, slice.shape));
  });
}

KernelPtr make_strided_slice_grad(const KernelRequest& request) {
  const TensorSpec& dy = request.inputs[4];
  if (!reference::has_elements(dy.dtype)) return nullptr;
  return make_kernel([dtype = dy.dtype, given = dy.shape, shape = IntsInput(request, 0),
                      inputs = SliceInputs(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Shape x{std::span<const int64_t>(shape.read(context))};
    const ResolvedSlice slice = inputs.resolve(context, x);
    if (slice.shape != given) {
      throw invalid_argument("`dy` has shape ", given, ", but that slice of ", x, " has shape ",
                             slice.shape);
    }
    void* to = place.memory(context, x);
    reference::zero_elements(dtype, to, x.num_elements());
    reference::scatter_elements(dtype, slice_offsets(x, slice), context.input_pointer(4), to);
  });
}

constexpr KernelDef kKernels[] = {
    {"Slice", "reference", make_slice},
    {"StridedSlice", "reference", make_strided_slice},
    {"StridedSliceGrad", "reference", make_strided_slice_grad},
};

}  // namespace

std::span<const KernelDef> reference_slicing_kernels() { return kKernels; }

}  // namespace thalweg
