// Building nodes that work on lists of tensors: TensorFlow's TensorList ops, on which loops gather
// and hand out their elements. A list is one variant scalar.
#pragma once

#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct TensorListOptions {
  std::string name = {};
};

/// A list without items. `element_shape` may be unknown in part.
Output empty_tensor_list(Graph& graph, DType element_dtype, const Shape& element_shape,
                         const TensorListOptions& options = {});
/// A list of `count` (int32 scalar) items that are still to be set.
Output tensor_list_reserve(const Output& count, DType element_dtype, const Shape& element_shape,
                           const TensorListOptions& options = {});
/// The slices of a tensor along dimension 0.
Output tensor_list_from_tensor(const Output& tensor, const TensorListOptions& options = {});
/// The list with `item` behind its last.
Output tensor_list_push_back(const Output& list, const Output& item,
                             const TensorListOptions& options = {});
struct PoppedItem {
  Output list;
  Output item;
};
/// The list without its last item, and that item.
PoppedItem tensor_list_pop_back(const Output& list, DType element_dtype,
                                const Shape& element_shape = Shape::unknown(),
                                const TensorListOptions& options = {});
/// `index` is an int32 scalar.
Output tensor_list_set_item(const Output& list, const Output& index, const Output& item,
                            const TensorListOptions& options = {});
Output tensor_list_get_item(const Output& list, const Output& index, DType element_dtype,
                            const Shape& element_shape = Shape::unknown(),
                            const TensorListOptions& options = {});
/// All items along a new dimension 0. `count` is how many there must be; -1: any number.
Output tensor_list_stack(const Output& list, DType element_dtype,
                         const Shape& element_shape = Shape::unknown(), int64_t count = -1,
                         const TensorListOptions& options = {});
/// An int32 scalar.
Output tensor_list_length(const Output& list, const TensorListOptions& options = {});

}  // namespace thalweg
