#include "thalweg/runtime/variable_store.h"

#include <cstring>
#include <mutex>

#include "thalweg/kernels/kernel_registry.h"

namespace thalweg {

std::vector<std::string> VariableStore::names() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> result;
  for (const auto& [name, variable] : variables_) {
    if (variable->initialized) result.push_back(name);
  }
  return result;
}

bool VariableStore::is_initialized(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto it = variables_.find(name);
  return it != variables_.end() && it->second->initialized;
}

// Needs the lock held, shared or alone.
const VariableState& VariableStore::find(std::string_view name) const {
  const auto it = variables_.find(name);
  if (it == variables_.end() || !it->second->initialized) {
    std::vector<std::string> known;
    for (const auto& [other, variable] : variables_) known.push_back(other);
    const std::string hint = nearest(name, known);
    throw not_found("no variable `", name, "` has a value",
                    hint.empty() ? "" : str("; did you mean `", hint, "`?"));
  }
  return *it->second;
}

Tensor VariableStore::get(std::string_view name) const {
  const Tensor value = share(name);
  return value.owns_buffer_alone() ? value : value.clone();
}

Tensor VariableStore::share(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const VariableState& variable = find(name);
  if (variable.layout == nullptr)
    return Tensor::share(variable.dtype, variable.value_shape, variable.buffer);
  Tensor plain(variable.dtype, variable.value_shape);
  convert_layout(variable.dtype, variable.value_shape, variable.layout, variable.buffer->data(),
                 nullptr, plain.mutable_raw());
  return plain;
}

void VariableStore::set(std::string_view name, const Tensor& value) {
  if (!value.is_valid()) throw invalid_argument("variable `", name, "` was given an empty tensor");
  const std::unique_lock lock(mutex_);
  auto& entry = variables_[std::string(name)];
  if (entry == nullptr) {
    entry = std::make_unique<VariableState>();
    entry->name = name;
    entry->dtype = value.dtype();
    entry->shape = value.shape();
  }
  if (value.dtype() != entry->dtype || !value.shape().is_compatible_with(entry->shape)) {
    throw invalid_argument("variable `", name, "` is ", entry->dtype, entry->shape,
                           ", but the value given is ", value.dtype(), value.shape());
  }
  // A buffer of its own: the caller's tensor must not change when the variable does.
  const Tensor copy = value.clone();
  entry->value_shape = value.shape();
  entry->layout = nullptr;
  entry->buffer = copy.buffer();
  entry->initialized = true;
}

VariableState& VariableStore::declare(const std::string& name, DType dtype, const Shape& shape) {
  auto& entry = variables_[name];
  if (entry == nullptr) {
    entry = std::make_unique<VariableState>();
    entry->name = name;
    entry->dtype = dtype;
    entry->shape = shape;
    return *entry;
  }
  if (entry->dtype != dtype || !entry->shape.is_compatible_with(shape)) {
    throw invalid_argument("variable `", name, "` has a value of ", entry->dtype, entry->shape,
                           ", but the graph declares ", dtype, shape,
                           "; restore a checkpoint of this model, or rename");
  }
  return *entry;
}

void VariableStore::convert(VariableState& variable, const LayoutPtr& layout) {
  const size_t bytes =
      layout != nullptr
          ? layout->size_bytes()
          : static_cast<size_t>(variable.value_shape.num_elements()) * element_size(variable.dtype);
  auto buffer = Buffer::allocate(std::max<size_t>(bytes, 1));
  convert_layout(variable.dtype, variable.value_shape, variable.layout, variable.buffer->data(),
                 layout, buffer->data());
  variable.buffer = std::move(buffer);
  variable.layout = layout;
}

}  // namespace thalweg
