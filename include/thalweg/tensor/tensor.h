// A dense array: dtype, shape, and a share in an immutable buffer.
//
// Copying a Tensor copies the handle. Reading is always safe; writing needs the only reference to
// the buffer, so that a value once given away never changes behind its reader's back.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thalweg/tensor/buffer.h"
#include "thalweg/tensor/dtype.h"
#include "thalweg/tensor/shape.h"

namespace thalweg {

/// A value with shared immutable contents; row-major. Thread-compatible.
class Tensor {
 public:
  /// Holds nothing; is_valid() is false.
  Tensor() = default;
  /// Uninitialised elements (strings are empty). The shape must be fully defined; throws
  /// invalid_argument.
  Tensor(DType dtype, const Shape& shape);
  /// A scalar.
  template <class T>
  requires(kDTypeOf<T> != DType::kInvalid) Tensor(T value)
      : Tensor(kDTypeOf<T>, Shape{}) {  // NOLINT: 3.0f is a tensor
    mutable_data<T>()[0] = std::move(value);
  }
  Tensor(const char* text) : Tensor(std::string(text)) {}  // NOLINT

  /// A vector: Tensor::of<float>({1, 2, 3}).
  template <class T>
  static Tensor of(std::initializer_list<T> values) {
    return from(std::span<const T>(values.begin(), values.size()),
                Shape{static_cast<int64_t>(values.size())});
  }
  /// Values in row-major order: Tensor::of<float>({1, 2, 3, 4}, {2, 2}).
  template <class T>
  static Tensor of(std::initializer_list<T> values, const Shape& shape) {
    return from(std::span<const T>(values.begin(), values.size()), shape);
  }
  /// A copy of `values`; their number must be the shape's. Throws invalid_argument.
  template <class T>
  static Tensor from(std::span<const T> values, const Shape& shape);
  /// All elements zero (empty strings, false).
  static Tensor zeros(DType dtype, const Shape& shape);
  /// Shares memory that holds the elements from `offset` bytes on.
  static Tensor share(DType dtype, const Shape& shape, std::shared_ptr<Buffer> buffer,
                      size_t offset = 0);

  bool is_valid() const { return dtype_ != DType::kInvalid; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return num_elements_; }
  /// Bytes of the elements; 0 for strings.
  size_t byte_size() const { return static_cast<size_t>(num_elements_) * element_size(dtype_); }

  /// The elements. Throws invalid_argument when T is not the dtype.
  template <class T>
  std::span<const T> data() const {
    check_type(kDTypeOf<T>);
    return {static_cast<const T*>(raw()), static_cast<size_t>(num_elements_)};
  }
  /// The elements for writing. Throws failed_precondition when another Tensor shares the buffer.
  template <class T>
  std::span<T> mutable_data() {
    check_type(kDTypeOf<T>);
    return {static_cast<T*>(mutable_raw()), static_cast<size_t>(num_elements_)};
  }
  const void* raw() const { return data_; }
  void* mutable_raw();
  /// The share in the memory; for whoever keeps the bytes without the tensor (a fresh clone starts
  /// at its beginning).
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  bool owns_buffer_alone() const { return buffer_ != nullptr && buffer_.use_count() == 1; }

  /// The only element. Throws invalid_argument when there are more, or T is not the dtype.
  template <class T>
  T item() const {
    check_single();
    return data<T>()[0];
  }
  /// Element `i` in row-major order as a double (bool as 0 or 1), whatever the numeric dtype.
  double at(int64_t i) const;

  Tensor clone() const;
  /// The same elements under another shape of equal size; one dimension may be kUnknownDim. Shares
  /// the buffer.
  Tensor reshape(const Shape& shape) const;
  /// Rows [begin, end) of the first dimension. Shares the buffer.
  Tensor rows(int64_t begin, int64_t end) const;
  /// Element-wise conversion between numeric types and bool (as op Cast). Reals become integers by
  /// truncation, integers wrap modulo 2^bits; NaN, infinities and reals of 2^64 and beyond become
  /// integer 0. Only zero becomes false.
  Tensor cast(DType dtype) const;

  /// dtype, shape and equal bytes (NaN equals the same NaN).
  bool same_bits(const Tensor& other) const;

  /// "float32[2, 2] [[1, 2], [3, 4]]", with "..." past `limit` elements a dimension.
  std::string to_string(int limit = 8) const;

 private:
  void check_type(DType dtype) const {
    if (dtype != dtype_) [[unlikely]]
      wrong_type(dtype);
  }
  [[noreturn]] void wrong_type(DType wanted) const;
  void check_single() const;
  static void check_count(size_t values, const Shape& shape);

  DType dtype_ = DType::kInvalid;
  Shape shape_;
  int64_t num_elements_ = 0;
  std::shared_ptr<Buffer> buffer_;
  void* data_ = nullptr;
};

/// Converts `count` elements between numeric types and bool, as Tensor::cast. Throws
/// invalid_argument for other types.
void convert_elements(DType from, const void* source, DType to, void* target, int64_t count);

template <class T>
Tensor Tensor::from(std::span<const T> values, const Shape& shape) {
  check_count(values.size(), shape);
  Tensor result(kDTypeOf<T>, shape);
  T* out = result.mutable_data<T>().data();
  for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return result;
}

}  // namespace thalweg
