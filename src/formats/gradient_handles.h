// The handles of arrays of gradients. A TensorArrayGradV3 finds the array of gradients by the
// handle of the array and a name; a graph of values needs one node that makes it, and its handle
// wherever the array's came.
#pragma once

#include "formats/tensor_arrays.h"

namespace thalweg {

/// Makes a `_GradientArray` beside each array that has gradients, and a second path beside that of
/// the array's handle; a TensorArrayGradV3 passes on its flow alone. The ops on gradients stay,
/// with what they must know of the array as attributes `_grows`, `_element_shape`,
/// `_element_dtype`. `count`: how many nodes the graph had when `arrays` were found. Throws
/// unimplemented naming a node through which the handle cannot be followed.
void convert_gradient_handles(WireGraph& graph, const TensorArrays& arrays, int count);

}  // namespace thalweg
