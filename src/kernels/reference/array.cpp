#include <type_traits>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/write_ints.h"
#include "thalweg/kernels/tensor_list.h"
#include "thalweg/tensor/range.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using reference::write_ints;

KernelPtr make_const(const KernelRequest& request) {
  const Tensor value = request.node.attr<Tensor>("value");
  return make_kernel([value](KernelContext& context) {
    reference::copy_elements(value.dtype(), value.raw(), context.output_pointer(0),
                             value.num_elements());
  });
}

// A fed placeholder never runs.
KernelPtr make_placeholder(const KernelRequest& request) {
  const std::string message =
      str("`", request.node.name(), "` was not fed; it takes ", request.outputs[0].dtype,
          request.node.output_shape(0), ": put {\"", request.node.name(),
          "\", value} among the feeds of the run");
  return make_kernel([message](KernelContext&) { throw invalid_argument(message); });
}

// The same elements, perhaps under another shape that the input's shape and attributes tell.
KernelPtr make_copy(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  const DType dtype = x.dtype;
  const int64_t count = x.shape.num_elements();
  const Shape shape =
      request.outputs[0].shape.is_fully_defined() ? request.outputs[0].shape : x.shape;
  return make_kernel(
      [dtype, count, shape, place = OutputPlace(request, 0)](KernelContext& context) {
        reference::copy_elements(dtype, context.input_pointer(0), place.memory(context, shape),
                                 count);
      },
      {.in_place = {{0, 0}}});
}

KernelPtr make_reshape(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel(
      [dtype = x.dtype, from = x.shape, target = IntsInput(request, 1),
       place = OutputPlace(request, 0)](KernelContext& context) {
        const Ints dims = target.read(context);
        const Shape shape = resolve_reshape(from, Shape{std::span<const int64_t>(dims)});
        reference::copy_elements(dtype, context.input_pointer(0), place.memory(context, shape),
                                 from.num_elements());
      },
      {.in_place = {{0, 0}}});
}

KernelPtr make_expand_dims(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel(
      [dtype = x.dtype, from = x.shape, axis = IntsInput(request, 1),
       place = OutputPlace(request, 0)](KernelContext& context) {
        const auto rank = static_cast<size_t>(from.rank());
        const auto before =
            static_cast<int>(reference::place_axis(axis.read_one(context), rank + 1));
        const Shape shape = from.slice(0, before).concat(Shape{1}).concat(from.slice(before));
        reference::copy_elements(dtype, context.input_pointer(0), place.memory(context, shape),
                                 from.num_elements());
      },
      {.in_place = {{0, 0}}});
}

// Shape, Rank, Size: numbers that are known now.
KernelPtr make_numbers(const KernelRequest& request, Ints numbers) {
  const DType dtype = request.outputs[0].dtype;
  return make_kernel([dtype, numbers = std::move(numbers)](KernelContext& context) {
    write_ints(dtype, context.output_pointer(0), numbers);
  });
}

KernelPtr make_shape(const KernelRequest& request) {
  const auto dims = request.inputs[0].shape.dims();
  return make_numbers(request, Ints(dims.begin(), dims.end()));
}

KernelPtr make_rank(const KernelRequest& request) {
  return make_numbers(request, {int64_t{request.inputs[0].shape.rank()}});
}

KernelPtr make_size(const KernelRequest& request) {
  return make_numbers(request, {request.inputs[0].shape.num_elements()});
}

Shape checked_shape(const Ints& dims) {
  for (int64_t dim : dims) {
    if (dim < 0) throw invalid_argument("a shape holds the negative size ", dim);
  }
  return Shape(std::span<const int64_t>(dims));
}

KernelPtr make_fill(const KernelRequest& request) {
  const DType dtype = request.inputs[1].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  return make_kernel([dtype, dims = IntsInput(request, 0),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const Shape shape = checked_shape(dims.read(context));
    reference::fill_elements(dtype, context.input_pointer(1), place.memory(context, shape),
                             shape.num_elements());
  });
}

KernelPtr make_range(const KernelRequest& request) {
  const DType dtype = request.inputs[0].dtype;
  return make_kernel([dtype, place = OutputPlace(request, 0)](KernelContext& context) {
    Tensor bounds[3];
    for (int i = 0; i < 3; ++i) {
      bounds[i] = Tensor(dtype, Shape{});
      reference::copy_elements(dtype, context.input_pointer(i), bounds[i].mutable_raw(), 1);
    }
    const int64_t count = range_length(bounds[0], bounds[1], bounds[2]);
    void* to = place.memory(context, Shape{count});
    visit_dtype(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        const float start(bounds[0].item<T>());
        const float delta(bounds[2].item<T>());
        for (int64_t i = 0; i < count; ++i)
          static_cast<T*>(to)[i] = T(start + static_cast<float>(i) * delta);
      } else if constexpr (std::is_arithmetic_v<T>) {
        const T start = bounds[0].item<T>();
        const T delta = bounds[2].item<T>();
        for (int64_t i = 0; i < count; ++i) {
          static_cast<T*>(to)[i] =
              static_cast<T>(start + static_cast<T>(static_cast<T>(i) * delta));
        }
      }
    });
  });
}

KernelPtr make_zeros_like(const KernelRequest& request) {
  const DType dtype = request.inputs[0].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  if (dtype == kVariant) {
    return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& context) {
      for (int64_t i = 0; i < count; ++i)
        context.output<Variant>()[i] = zeros_like(context.input<Variant>(0)[i]);
    });
  }
  return make_kernel(
      [dtype, count = request.inputs[0].shape.num_elements()](KernelContext& context) {
        reference::zero_elements(dtype, context.output_pointer(0), count);
      });
}

KernelPtr make_ones_like(const KernelRequest& request) {
  const Tensor one = Tensor(1.0).cast(request.inputs[0].dtype);
  return make_kernel([one, count = request.inputs[0].shape.num_elements()](KernelContext& context) {
    reference::fill_elements(one.dtype(), one.raw(), context.output_pointer(0), count);
  });
}

constexpr KernelDef kKernels[] = {
    {"Const", "reference", make_const},
    {"Placeholder", "reference", make_placeholder},
    {"PlaceholderWithDefault", "reference", make_copy},
    {"Identity", "reference", make_copy},
    {"StopGradient", "reference", make_copy},
    {"Shape", "reference", make_shape},
    {"Rank", "reference", make_rank},
    {"Size", "reference", make_size},
    {"Reshape", "reference", make_reshape},
    {"ExpandDims", "reference", make_expand_dims},
    {"Squeeze", "reference", make_copy},
    {"Fill", "reference", make_fill},
    {"Range", "reference", make_range},
    {"ZerosLike", "reference", make_zeros_like},
    {"OnesLike", "reference", make_ones_like},
};

}  // namespace

std::span<const KernelDef> reference_array_kernels() { return kKernels; }

}  // namespace thalweg
