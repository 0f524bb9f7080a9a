// Kernels on lists of tensors, of which tensor_list.cpp makes one family, and what they share.
#pragma once

#include <memory>

#include "thalweg/kernels/tensor_list.h"

namespace thalweg::reference {

/// Attribute `element_dtype`.
DType element_dtype(const KernelRequest& request);
/// An `element_shape` argument: a vector with -1 for unknown, or a scalar for any shape.
Shape read_shape(const KernelContext& c, int i, const TensorSpec& spec);
void give_list(KernelContext& c, int output, std::shared_ptr<TensorList> list);
/// Gives a tensor as an output, whether or not the plan has memory for it. Throws invalid_argument
/// when another shape was inferred.
void give_tensor(KernelContext& c, int output, const TensorSpec& spec, Tensor tensor);

// tensor_list_rows.cpp: between a list and one tensor of all its items.
KernelPtr make_list_stack(const KernelRequest& request);
KernelPtr make_list_from_tensor(const KernelRequest& request);
KernelPtr make_list_gather(const KernelRequest& request);
KernelPtr make_list_scatter(const KernelRequest& request);
KernelPtr make_list_scatter_into(const KernelRequest& request);
KernelPtr make_list_concat(const KernelRequest& request);
KernelPtr make_list_split(const KernelRequest& request);

}  // namespace thalweg::reference
