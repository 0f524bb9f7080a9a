// The state behind a variable's handle.
#pragma once

#include <memory>
#include <string>

#include "thalweg/kernels/layout.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// A variable's value between and during runs. The value may lie in a kernel's own layout; whoever
/// reads it by name gets it converted. Guarded by the session that owns it.
struct VariableState {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;  // as declared; may have unknown dimensions
  bool initialized = false;
  Shape value_shape;               // of the value
  std::shared_ptr<Buffer> buffer;  // the value's bytes, in `layout`
  LayoutPtr layout;                // null: plain row-major
};

}  // namespace thalweg
