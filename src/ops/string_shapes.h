// Shape functions of the rows of strings that are not just those of any elementwise op.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// StringJoin: scalars beside tensors of one shape.
void string_join_shape(ShapeContext& c);
/// UnsortedSegmentJoin.
void string_segment_join_shape(ShapeContext& c);
/// The pieces of a vector's strings, as a sparse matrix.
void string_split_shape(ShapeContext& c);
void substr_shape(ShapeContext& c);
/// The input's; attribute `encoding` must be one that is known.
void strings_of_utf8_shape(ShapeContext& c);
/// The input's; patterns beside it are scalars.
void string_pattern_shape(ShapeContext& c);
/// The input's; attribute `key` must have two numbers.
void strong_hash_shape(ShapeContext& c);
void string_ngrams_shape(ShapeContext& c);
void fingerprint_shape(ShapeContext& c);
void edit_distance_shape(ShapeContext& c);

}  // namespace thalweg
