#include "kernels/reference/elements.h"

#include <algorithm>
#include <cstring>

#include "thalweg/tensor/variant.h"

namespace thalweg::reference {
namespace {

// Calls f with a type of the size of dtype's elements that copies as they do.
template <class F>
void visit_storage(DType dtype, F&& f) {
  if (dtype == kString) return f(TypeTag<std::string>{});
  if (dtype == kVariant) return f(TypeTag<Variant>{});
  switch (element_size(dtype)) {
    case 1: return f(TypeTag<uint8_t>{});
    case 2: return f(TypeTag<uint16_t>{});
    case 4: return f(TypeTag<uint32_t>{});
    case 8: return f(TypeTag<uint64_t>{});
    case 16: return f(TypeTag<std::complex<double>>{});
    default: throw unimplemented("elements of dtype ", dtype, " cannot be moved");
  }
}

size_t storage_size(DType dtype) {
  if (dtype == kString) return sizeof(std::string);
  return dtype == kVariant ? sizeof(Variant) : element_size(dtype);
}

}  // namespace

IntsInput::IntsInput(const KernelRequest& request, int input)
    : input_(input),
      dtype_(request.inputs[static_cast<size_t>(input)].dtype),
      count_(request.inputs[static_cast<size_t>(input)].shape.num_elements()) {}

Ints IntsInput::read(const KernelContext& context) const {
  const auto as_ints = [&](const auto* values) { return Ints(values, values + count_); };
  switch (dtype_) {
    case kInt8: return as_ints(context.input<int8_t>(input_));
    case kInt16: return as_ints(context.input<int16_t>(input_));
    case kInt32: return as_ints(context.input<int32_t>(input_));
    case kInt64: return as_ints(context.input<int64_t>(input_));
    default: throw internal_error("input ", input_, " of dtype ", dtype_, " is read as integers");
  }
}

OutputPlace::OutputPlace(const KernelRequest& request, int output)
    : output_(output),
      dtype_(request.outputs[static_cast<size_t>(output)].dtype),
      shape_(request.outputs[static_cast<size_t>(output)].shape) {}

void* OutputPlace::memory(KernelContext& context, const Shape& shape) const {
  if (shape_.is_fully_defined()) {
    if (shape_ != shape)
      throw invalid_argument("the result has shape ", shape, ", expected ", shape_);
    return context.output_pointer(output_);
  }
  Tensor result(dtype_, shape);
  void* memory = result.mutable_raw();
  context.set_output(output_, std::move(result));
  return memory;
}

Ints row_major_strides(const Shape& shape) {
  Ints strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[static_cast<int>(i)];
  }
  return strides;
}

Ints evenly(int64_t begin, int64_t stride, int64_t count) {
  Ints offsets(static_cast<size_t>(count));
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = begin + static_cast<int64_t>(i) * stride;
  return offsets;
}

Offsets dense_offsets(const Shape& shape) {
  const Ints strides = row_major_strides(shape);
  Offsets offsets;
  for (size_t i = 0; i < strides.size(); ++i)
    offsets.push_back(evenly(0, strides[i], shape[static_cast<int>(i)]));
  return offsets;
}

void gather_elements(DType dtype, const Offsets& offsets, const void* from, void* to) {
  visit_storage(dtype, [&]<class T>(TypeTag<T>) {
    const auto* source = static_cast<const T*>(from);
    auto* target = static_cast<T*>(to);
    for_each_offset(offsets, [&](int64_t n, int64_t offset) { target[n] = source[offset]; });
  });
}

void scatter_elements(DType dtype, const Offsets& offsets, const void* from, void* to) {
  visit_storage(dtype, [&]<class T>(TypeTag<T>) {
    const auto* source = static_cast<const T*>(from);
    auto* target = static_cast<T*>(to);
    for_each_offset(offsets, [&](int64_t n, int64_t offset) { target[offset] = source[n]; });
  });
}

void copy_elements(DType dtype, const void* from, void* to, int64_t count) {
  if (from == to || count == 0) return;
  visit_storage(dtype, [&]<class T>(TypeTag<T>) {
    const auto* source = static_cast<const T*>(from);
    std::copy(source, source + count, static_cast<T*>(to));
  });
}

void fill_elements(DType dtype, const void* value, void* to, int64_t count) {
  visit_storage(dtype, [&]<class T>(TypeTag<T>) {
    std::fill_n(static_cast<T*>(to), count, *static_cast<const T*>(value));
  });
}

void zero_elements(DType dtype, void* to, int64_t count) {
  visit_storage(dtype, [&]<class T>(TypeTag<T>) { std::fill_n(static_cast<T*>(to), count, T{}); });
}

const void* element_at(DType dtype, const void* data, int64_t i) {
  return static_cast<const char*>(data) + static_cast<size_t>(i) * storage_size(dtype);
}

void* element_at(DType dtype, void* data, int64_t i) {
  return static_cast<char*>(data) + static_cast<size_t>(i) * storage_size(dtype);
}

bool has_elements(DType dtype) { return holds_objects(dtype) || element_size(dtype) != 0; }

size_t place_axis(int64_t axis, size_t rank) {
  const auto dims = static_cast<int64_t>(rank);
  if (axis < -dims || axis >= dims) {
    throw invalid_argument("axis ", axis, " is outside [", -dims, ", ", dims, ")");
  }
  return static_cast<size_t>(axis < 0 ? axis + dims : axis);
}

}  // namespace thalweg::reference
