#include "thalweg/tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "thalweg/tensor/reshape.h"
#include "thalweg/tensor/variant.h"

namespace thalweg {
namespace {

template <class T>
std::shared_ptr<Buffer> allocate_objects(int64_t count) {
  constexpr size_t kMost = PTRDIFF_MAX / sizeof(T);
  const size_t size = static_cast<size_t>(count);
  if (size > kMost) throw resource_exhausted("cannot allocate ", count, " ", kDTypeOf<T>, "s");
  try {
    T* const items = new T[size];
    return Buffer::wrap(items, size * sizeof(T), [items] { delete[] items; });
  } catch (const std::bad_alloc&) {
    throw resource_exhausted("cannot allocate ", size * sizeof(T), " bytes for ", count, " ",
                             kDTypeOf<T>, "s");
  }
}

// Bytes that the elements take in memory, objects included.
size_t stride_of(DType dtype) {
  if (dtype == kString) return sizeof(std::string);
  return dtype == kVariant ? sizeof(Variant) : element_size(dtype);
}

}  // namespace

Tensor::Tensor(DType dtype, const Shape& shape) : dtype_(dtype), shape_(shape) {
  if (stride_of(dtype) == 0)
    throw invalid_argument("a tensor cannot hold elements of dtype ", dtype);
  if (!shape.is_fully_defined())
    throw invalid_argument("a tensor needs a known shape, got ", shape);
  num_elements_ = shape.num_elements();
  if (dtype == kString) {
    buffer_ = allocate_objects<std::string>(num_elements_);
  } else if (dtype == kVariant) {
    buffer_ = allocate_objects<Variant>(num_elements_);
  } else {
    size_t bytes;
    if (__builtin_mul_overflow(static_cast<size_t>(num_elements_), element_size(dtype), &bytes)) {
      throw resource_exhausted("cannot allocate ", num_elements_, " elements of ", dtype);
    }
    try {
      buffer_ = Buffer::allocate(bytes);
    } catch (Error& error) {
      error.add_context(str(dtype, shape));
      throw;
    }
  }
  data_ = buffer_->data();
}

Tensor Tensor::zeros(DType dtype, const Shape& shape) {
  Tensor result(dtype, shape);
  if (!holds_objects(dtype)) std::memset(result.data_, 0, result.byte_size());
  return result;
}

Tensor Tensor::share(DType dtype, const Shape& shape, std::shared_ptr<Buffer> buffer,
                     size_t offset) {
  const size_t stride = stride_of(dtype);
  if (stride == 0) throw invalid_argument("a tensor cannot hold elements of dtype ", dtype);
  if (!shape.is_fully_defined())
    throw invalid_argument("a tensor needs a known shape, got ", shape);
  if (buffer == nullptr) throw invalid_argument("no buffer to share");
  const int64_t count = shape.num_elements();
  if (offset > buffer->size() || static_cast<size_t>(count) > (buffer->size() - offset) / stride) {
    throw invalid_argument(dtype, shape, " at byte ", offset, " does not fit a buffer of ",
                           buffer->size(), " bytes");
  }
  char* const data = static_cast<char*>(buffer->data()) + offset;
  const size_t alignment = holds_objects(dtype) ? alignof(std::string)
                           : is_complex(dtype)  ? stride / 2
                                                : stride;
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    throw invalid_argument(dtype, " elements cannot start at byte ", offset,
                           ": they need alignment to ", alignment, " bytes");
  }
  Tensor result;
  result.dtype_ = dtype;
  result.shape_ = shape;
  result.num_elements_ = count;
  result.buffer_ = std::move(buffer);
  result.data_ = data;
  return result;
}

void* Tensor::mutable_raw() {
  if (buffer_ == nullptr) throw failed_precondition("cannot write to a tensor that holds nothing");
#if defined(__SANITIZE_THREAD__)
  const std::shared_ptr<Buffer> keep =
      buffer_;  // ThreadSanitizer sees the counter's order, but not fences
  const bool alone = buffer_.use_count() == 2;
#else
  const bool alone = buffer_.use_count() == 1;
  // Reads by the thread that dropped the last other reference come before our writes.
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  if (!alone) {
    throw failed_precondition("cannot write to ", dtype_, shape_,
                              ": another tensor shares its buffer; clone() it first");
  }
  return data_;
}

double Tensor::at(int64_t i) const {
  if (i < 0 || i >= num_elements_) {
    throw out_of_range("element ", i, " of ", dtype_, shape_, ", which has ", num_elements_);
  }
  double value = 0;
  const char* const element =
      static_cast<const char*>(data_) + static_cast<size_t>(i) * stride_of(dtype_);
  convert_elements(dtype_, element, kFloat64, &value, 1);
  return value;
}

Tensor Tensor::clone() const {
  if (!is_valid()) return {};
  Tensor copy(dtype_, shape_);
  if (dtype_ == kString) {
    std::ranges::copy(data<std::string>(), copy.mutable_data<std::string>().begin());
  } else if (dtype_ == kVariant) {
    std::ranges::copy(data<Variant>(), copy.mutable_data<Variant>().begin());
  } else {
    std::memcpy(copy.data_, data_, byte_size());
  }
  return copy;
}

Tensor Tensor::reshape(const Shape& shape) const {
  if (!is_valid()) throw failed_precondition("cannot reshape a tensor that holds nothing");
  Tensor result = *this;
  result.shape_ = resolve_reshape(shape_, shape);
  return result;
}

Tensor Tensor::rows(int64_t begin, int64_t end) const {
  if (!is_valid() || rank() == 0) throw invalid_argument("rows() needs a tensor of rank 1 or more");
  if (begin < 0 || end < begin || end > dim(0)) {
    throw out_of_range("rows [", begin, ", ", end, ") of ", dtype_, shape_);
  }
  Tensor result = *this;
  result.shape_.set_dim(0, end - begin);
  result.num_elements_ = result.shape_.num_elements();
  const size_t row_bytes =
      dim(0) == 0 ? 0 : static_cast<size_t>(num_elements_ / dim(0)) * stride_of(dtype_);
  result.data_ = static_cast<char*>(data_) + static_cast<size_t>(begin) * row_bytes;
  return result;
}

Tensor Tensor::cast(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor result(dtype, shape_);
  convert_elements(dtype_, data_, dtype, result.data_, num_elements_);
  return result;
}

bool Tensor::same_bits(const Tensor& other) const {
  if (dtype_ != other.dtype_ || shape_ != other.shape_) return false;
  if (!is_valid()) return true;
  if (dtype_ == kString) return std::ranges::equal(data<std::string>(), other.data<std::string>());
  if (dtype_ == kVariant) return std::ranges::equal(data<Variant>(), other.data<Variant>());
  return std::memcmp(data_, other.data_, byte_size()) == 0;
}

void Tensor::wrong_type(DType wanted) const {
  if (!is_valid())
    throw invalid_argument("elements of ", wanted, " wanted, but the tensor holds nothing");
  throw invalid_argument("elements of ", wanted, " wanted, but the tensor is ", dtype_, shape_);
}

void Tensor::check_single() const {
  if (num_elements_ != 1) {
    throw invalid_argument("item() needs exactly one element, the tensor is ", dtype_, shape_);
  }
}

void Tensor::check_count(size_t values, const Shape& shape) {
  const int64_t count = shape.num_elements();
  if (count < 0 || values != static_cast<size_t>(count)) {
    throw invalid_argument(values, " values do not fill shape ", shape, ", which has ",
                           count < 0 ? "unknown dimensions" : str(count, " elements"));
  }
}

}  // namespace thalweg
