// The ops on arrays of gradients as ops on lists. What is written to one place of such an array
// adds up, where a TensorArray takes one write a place.
#pragma once

#include "formats/list_threads.h"

namespace thalweg {

/// Makes node `id`, TensorArrayWriteV3 ... of an array of gradients, one on the list behind
/// `handle`.
void convert_gradient_op(WireGraph& graph, ListThreads& threads, int id, Edge handle);

}  // namespace thalweg
