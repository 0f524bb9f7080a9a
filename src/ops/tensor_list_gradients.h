// Gradients of the ops on lists of tensors: that of a list is a list of the items' gradients, as
// long as it, in which items that nobody used are missing.
#pragma once

#include "thalweg/graph/gradient_context.h"

namespace thalweg {

void tensor_list_push_gradient(GradientContext& c);
void tensor_list_pop_gradient(GradientContext& c);
void tensor_list_stack_gradient(GradientContext& c);
void tensor_list_concat_gradient(GradientContext& c);
void tensor_list_split_gradient(GradientContext& c);
void tensor_list_from_tensor_gradient(GradientContext& c);
void tensor_list_get_gradient(GradientContext& c);
void tensor_list_set_gradient(GradientContext& c);
void tensor_list_resize_gradient(GradientContext& c);
void tensor_list_gather_gradient(GradientContext& c);
void tensor_list_scatter_gradient(GradientContext& c);
void tensor_list_scatter_into_gradient(GradientContext& c);

}  // namespace thalweg
