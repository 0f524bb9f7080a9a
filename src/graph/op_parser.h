// Reads the strings of op rows: TensorFlow's little language for arguments and attributes.
#pragma once

#include <string_view>
#include <vector>

#include "thalweg/graph/op_registry.h"

namespace thalweg {

/// "padding: {'SAME', 'VALID'} = 'SAME' | How the borders are treated.". Throws invalid_argument.
AttrSchema parse_attr_spec(std::string_view spec);

/// "values: N * T | Tensors to join.". `attrs` tells type attributes from element types. Throws
/// invalid_argument.
ArgSchema parse_arg_spec(std::string_view spec, const std::vector<AttrSchema>& attrs);

}  // namespace thalweg
