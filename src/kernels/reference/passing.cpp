#include <cstring>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/write_ints.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using reference::write_ints;

KernelPtr make_pass(const KernelRequest& request) {
  std::vector<std::pair<DType, int64_t>> values;
  KernelTraits traits;
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const TensorSpec& input = request.inputs[i];
    if (!reference::has_elements(input.dtype)) return nullptr;
    values.emplace_back(input.dtype, input.shape.num_elements());
    traits.in_place.emplace_back(static_cast<int>(i), static_cast<int>(i));
  }
  return make_kernel(
      [values](KernelContext& context) {
        for (size_t i = 0; i < values.size(); ++i) {
          const auto at = static_cast<int>(i);
          reference::copy_elements(values[i].first, context.input_pointer(at),
                                   context.output_pointer(at), values[i].second);
        }
      },
      std::move(traits));
}

// A fed placeholder never runs.
KernelPtr make_placeholder(const KernelRequest& request) {
  const std::string message = str("`", request.node.name(), "` was not fed; it takes ",
                                  request.outputs[0].dtype, request.node.output_shape(0));
  return make_kernel([message](KernelContext&) { throw invalid_argument(message); });
}

KernelPtr make_bitcast(const KernelRequest& request) {
  const size_t bytes = static_cast<size_t>(request.inputs[0].shape.num_elements()) *
                       element_size(request.inputs[0].dtype);
  return make_kernel([bytes](KernelContext& context) {
    if (bytes != 0) std::memcpy(context.output_pointer(0), context.input_pointer(0), bytes);
  });
}

KernelPtr make_shapes(const KernelRequest& request) {
  std::vector<Ints> shapes;
  for (const TensorSpec& input : request.inputs) {
    const auto dims = input.shape.dims();
    shapes.emplace_back(dims.begin(), dims.end());
  }
  return make_kernel([shapes, dtype = request.outputs[0].dtype](KernelContext& context) {
    for (size_t i = 0; i < shapes.size(); ++i)
      write_ints(dtype, context.output_pointer(static_cast<int>(i)), shapes[i]);
  });
}

KernelPtr make_broadcast_args(const KernelRequest& request) {
  return make_kernel([dtype = request.outputs[0].dtype, a = IntsInput(request, 0),
                      b = IntsInput(request, 1)](KernelContext& context) {
    const Ints first = a.read(context), second = b.read(context);
    const Shape shape =
        broadcast(Shape{std::span<const int64_t>(first)}, Shape{std::span<const int64_t>(second)});
    write_ints(dtype, context.output_pointer(0), Ints(shape.dims().begin(), shape.dims().end()));
  });
}

constexpr KernelDef kKernels[] = {
    {"EnsureShape", "reference", make_pass},
    {"IdentityN", "reference", make_pass},
    {"Snapshot", "reference", make_pass},
    {"PlaceholderV2", "reference", make_placeholder},
    {"PreventGradient", "reference", make_pass},
    {"GuaranteeConst", "reference", make_pass},
    {"Bitcast", "reference", make_bitcast},
    {"ShapeN", "reference", make_shapes},
    {"BroadcastArgs", "reference", make_broadcast_args},
};

}  // namespace

std::span<const KernelDef> reference_passing_kernels() { return kKernels; }

}  // namespace thalweg
