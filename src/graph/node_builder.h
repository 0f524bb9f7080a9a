// The checks that a new node passes: counts, types and attributes against the op's schema.
#pragma once

#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// The node's full attributes: what was given (checked), what inputs tell (types, counts), and
/// defaults. Throws invalid_argument naming argument or attribute.
AttrMap complete_attrs(const OpSchema& op, const std::vector<Output>& inputs, AttrMap given);

/// Element types of the outputs under complete attributes.
std::vector<DType> output_dtypes(const OpSchema& op, const AttrMap& attrs);

}  // namespace thalweg
