// The ops of TensorFlow 1 that take variables by reference, and what does the same by resource.
#pragma once

#include <string>
#include <string_view>

namespace thalweg {

struct ReferenceOp {
  int references = 0;  // so many inputs, the first ones, are references
  std::string resource_op;
  std::string_view type_attr = "T";  // the resource op's name of the attribute "T"
  bool gives_reference = true;       // output 0 is input 0, after the change
};

/// Null when an op takes no reference to a variable, or only passes it on.
const ReferenceOp* find_reference_op(std::string_view op);

}  // namespace thalweg
