// Tensors whose elements are objects: bytes cannot be copied over them, but they need no copy where
// nobody else holds the tensor.
#pragma once

#include <string>
#include <utility>

#include "thalweg/tensor/tensor.h"
#include "thalweg/tensor/variant.h"

namespace thalweg {

/// Strings or variants of a tensor into another of the same shape.
inline void move_objects(Tensor& from, Tensor& to) {
  const auto move_all = [&]<class T>(TypeTag<T>) {
    std::span<const T> values = from.data<T>();
    std::span<T> target = to.mutable_data<T>();
    const bool alone = from.owns_buffer_alone();
    for (size_t e = 0; e < values.size(); ++e)
      target[e] = alone ? std::move(const_cast<T&>(values[e])) : values[e];
  };
  if (to.dtype() == kString) move_all(TypeTag<std::string>());
  if (to.dtype() == kVariant) move_all(TypeTag<Variant>());
}

}  // namespace thalweg
