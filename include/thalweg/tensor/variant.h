// Elements of variant tensors: values that are no numbers and no text, such as lists of tensors.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace thalweg {

/// What a variant holds. Immutable once shared; derive one class for each kind of value.
class VariantValue {
 public:
  virtual ~VariantValue() = default;
  /// For listings and messages: "list of 3 tensors of float32[2]".
  virtual std::string to_string() const = 0;
};

/// A share in an immutable value, or nothing. Copying copies the handle.
class Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<const VariantValue> value) : value_(std::move(value)) {}

  bool has_value() const { return value_ != nullptr; }
  /// Null when it holds nothing, or another kind of value.
  template <class T>
  const T* get() const {
    return dynamic_cast<const T*>(value_.get());
  }
  const std::shared_ptr<const VariantValue>& share() const { return value_; }
  std::string to_string() const { return value_ == nullptr ? "nothing" : value_->to_string(); }

  friend bool operator==(const Variant& a, const Variant& b) { return a.value_ == b.value_; }

 private:
  std::shared_ptr<const VariantValue> value_;
};

}  // namespace thalweg
