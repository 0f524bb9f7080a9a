#include "kernels/reference/elements.h"

#include <algorithm>
#include <cstring>

#include "thalweg/base/parallel.h"
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

// Neighbouring elements move together: the trailing tables that name a dense block become runs of
// `length` elements, and the tables before them say where the `count` runs begin.
class Runs {
 public:
  explicit Runs(const Offsets& offsets) : tables_(offsets), depth_(offsets.size()) {
    for (const Ints& table : offsets) {
      if (table.empty()) return;
    }
    while (depth_ > 0 && is_dense(tables_[depth_ - 1])) {
      const Ints& table = tables_[--depth_];
      base_ += table[0];
      length *= static_cast<int64_t>(table.size());
    }
    count = 1;
    for (size_t i = 0; i < depth_; ++i) count *= static_cast<int64_t>(tables_[i].size());
  }

  // Calls f(n, offset) for the runs [begin, end) in order, `offset` being where run n begins.
  template <class F>
  void visit(int64_t begin, int64_t end, F&& f) const {
    if (begin == end) return;
    if (depth_ == 0) return f(0, base_);
    const Ints& last = tables_[depth_ - 1];
    std::vector<size_t> at(depth_);
    int64_t rest = begin;
    for (size_t i = depth_; i-- > 0;) {
      const auto size = static_cast<int64_t>(tables_[i].size());
      at[i] = static_cast<size_t>(rest % size);
      rest /= size;
    }
    for (int64_t n = begin; n < end;) {
      int64_t row = base_;
      for (size_t i = 0; i + 1 < depth_; ++i) row += tables_[i][at[i]];
      for (size_t i = at[depth_ - 1]; i < last.size() && n < end; ++i) f(n++, row + last[i]);
      at[depth_ - 1] = 0;
      for (size_t i = depth_ - 1; i-- > 0 && ++at[i] == tables_[i].size();) at[i] = 0;
    }
  }

  int64_t length = 1, count = 0;

 private:
  bool is_dense(const Ints& table) const {
    for (size_t i = 1; i < table.size(); ++i) {
      if (table[i] - table[i - 1] != length) return false;
    }
    return true;
  }

  const Offsets& tables_;
  size_t depth_;
  int64_t base_ = 0;
};

constexpr int64_t kRunGrain = 8192;  // elements copied in about 5 microseconds

template <class T>
void copy_run(const T* from, T* to, int64_t length) {
  if (length == 1) {
    *to = *from;
  } else {
    std::copy_n(from, length, to);
  }
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
  const Runs runs(offsets);
  visit_storage(dtype, [&]<class T>(TypeTag<T>) {
    const auto* source = static_cast<const T*>(from);
    auto* target = static_cast<T*>(to);
    parallel_for(runs.count, 1 + kRunGrain / runs.length, [&](int64_t begin, int64_t end) {
      runs.visit(begin, end, [&](int64_t n, int64_t offset) {
        copy_run(source + offset, target + n * runs.length, runs.length);
      });
    });
  });
}

// On one thread: where places repeat, the last one written stays.
void scatter_elements(DType dtype, const Offsets& offsets, const void* from, void* to) {
  const Runs runs(offsets);
  visit_storage(dtype, [&]<class T>(TypeTag<T>) {
    const auto* source = static_cast<const T*>(from);
    auto* target = static_cast<T*>(to);
    runs.visit(0, runs.count, [&](int64_t n, int64_t offset) {
      copy_run(source + n * runs.length, target + offset, runs.length);
    });
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
