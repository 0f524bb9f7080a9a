// The state behind a handle: what lives between runs.
#pragma once

#include <memory>
#include <string>

#include "thalweg/kernels/layout.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// What a handle stands for: a variable's value, a table, a queue. Each kind guards itself, but for
/// variables, which the session guards.
class Resource {
 public:
  virtual ~Resource() = default;
  std::string name;
};

/// A variable's value between and during runs. The value may lie in a kernel's own layout; whoever
/// reads it by name gets it converted. Guarded by the session that owns it.
struct VariableState final : Resource {
  DType dtype = DType::kInvalid;
  Shape shape;  // as declared; may have unknown dimensions
  bool initialized = false;
  Shape value_shape;               // of the value
  std::shared_ptr<Buffer> buffer;  // the value's bytes, in `layout`
  LayoutPtr layout;                // null: plain row-major
};

}  // namespace thalweg
