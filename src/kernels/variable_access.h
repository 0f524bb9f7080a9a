// How kernels get at the value of a variable: checked, and never writing into what somebody else
// still reads.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "thalweg/base/error.h"
#include "thalweg/kernels/resource.h"

namespace thalweg {

inline void check_initialized(const VariableState& variable) {
  if (!variable.initialized) {
    throw failed_precondition(
        "variable `", variable.name,
        "` has no value yet: call session.initialize(), assign to it, or restore a checkpoint");
  }
}

/// The value's bytes, in the variable's layout, for changing in place. A buffer that a Tensor
/// shares (a value that was fetched) is copied first. Throws failed_precondition when there is no
/// value.
inline void* writable_value(VariableState& variable) {
  check_initialized(variable);
  if (variable.buffer.use_count() > 1) {
    auto copy = Buffer::allocate(variable.buffer->size());
    std::memcpy(copy->data(), variable.buffer->data(), variable.buffer->size());
    variable.buffer = std::move(copy);
  }
  return variable.buffer->data();
}

/// Gives the variable the plain value at `source`, in its present buffer when that fits and is not
/// shared.
inline void set_plain_value(VariableState& variable, const Shape& shape, const void* source) {
  if (variable.dtype == kString) {  // objects, which no bytes can stand for
    Tensor copy(kString, shape);
    std::copy_n(static_cast<const std::string*>(source), shape.num_elements(),
                copy.mutable_data<std::string>().data());
    variable.buffer = copy.buffer();
    variable.value_shape = shape;
    variable.layout = nullptr;
    variable.initialized = true;
    return;
  }
  const size_t bytes = static_cast<size_t>(shape.num_elements()) * element_size(variable.dtype);
  const std::shared_ptr<Buffer> previous = variable.buffer;  // may hold the source
  const bool fits = previous != nullptr && previous->size() >= bytes && previous.use_count() == 2;
  if (!fits) variable.buffer = Buffer::allocate(std::max<size_t>(bytes, 1));
  if (bytes != 0) std::memmove(variable.buffer->data(), source, bytes);
  variable.value_shape = shape;
  variable.layout = nullptr;
  variable.initialized = true;
}

}  // namespace thalweg
