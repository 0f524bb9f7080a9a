// Stacks and arrays of gradients of TensorFlow 1 as lists that are values.
//
// Their ops change what a handle names, one after the other. Here each of them takes the list that
// the one before it gave and gives the next: through the branches of conditions by Switch and
// Merge, through loops as a loop variable.
#pragma once

#include <map>
#include <string_view>

#include "formats/function_body.h"

namespace thalweg {

/// Whether an op changes or reads such a list: StackPushV2, TensorArrayWriteV3 ... The latter are
/// those of gradients, after convert_tensor_arrays().
bool is_list_op(std::string_view op);

/// Makes them ops on lists. An argument of the body that is such a handle is the list then: for
/// each the result is the list at the end, by number of the argument. Loops inside must have been
/// through this already. Throws unimplemented naming a node whose handle comes from elsewhere.
std::map<size_t, Edge> thread_lists(FunctionBody& body);

}  // namespace thalweg
