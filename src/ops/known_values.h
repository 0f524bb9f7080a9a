// What shape functions and gradients can tell about integer arguments while building.
#pragma once

#include <optional>
#include <vector>

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// Entries of an integer vector argument, each known or not: a constant's values, or what
/// ShapeContext::constant_ints derives (where -1 means unknown). Nothing when not even the length
/// is known.
std::optional<std::vector<std::optional<int64_t>>> known_entries(const ShapeContext& context,
                                                                 int i);

/// All elements of an integer argument of any shape, when it is a constant.
std::optional<std::vector<int64_t>> constant_values(const ShapeContext& context, int i);

/// A scalar (or one-element) integer argument, when it is known.
std::optional<int64_t> known_scalar(const ShapeContext& context, int i);

/// All entries of an integer vector input of `node`, when all are known.
std::optional<std::vector<int64_t>> known_values(const Node& node, int i);
std::optional<int64_t> known_scalar(const Node& node, int i);

/// The shape that argument `i` asks for: entries unknown where the graph will compute them. Throws
/// on a constant with negative entries and on more dimensions than a Shape has.
Shape requested_shape(const ShapeContext& context, int i);

}  // namespace thalweg
