#include "thalweg/ops/array.h"
#include "thalweg/ops/tensor_list.h"

namespace thalweg {
namespace {

// An `element_shape` argument: a vector with -1 for unknown, or the scalar -1 for any shape.
Output shape_argument(Graph& graph, const Shape& shape) {
  if (!shape.has_rank()) return constant(graph, Tensor(int32_t{-1}));
  return constant(graph, Tensor::from(shape.dims(), Shape{shape.rank()}).cast(kInt32));
}

}  // namespace

Output empty_tensor_list(Graph& graph, DType element_dtype, const Shape& element_shape,
                         const TensorListOptions& options) {
  return graph
      .add("EmptyTensorList",
           {shape_argument(graph, element_shape), constant(graph, Tensor(int32_t{-1}))},
           {{"element_dtype", element_dtype}}, {.name = options.name})
      .output();
}

Output tensor_list_reserve(const Output& count, DType element_dtype, const Shape& element_shape,
                           const TensorListOptions& options) {
  Graph& graph = count.graph();
  return graph
      .add("TensorListReserve", {shape_argument(graph, element_shape), count},
           {{"element_dtype", element_dtype}}, {.name = options.name})
      .output();
}

Output tensor_list_from_tensor(const Output& tensor, const TensorListOptions& options) {
  const Shape& shape = tensor.shape();
  return tensor.graph()
      .add("TensorListFromTensor",
           {tensor,
            shape_argument(tensor.graph(), shape.rank() > 0 ? shape.slice(1) : Shape::unknown())},
           {}, {.name = options.name})
      .output();
}

Output tensor_list_push_back(const Output& list, const Output& item,
                             const TensorListOptions& options) {
  return list.graph().add("TensorListPushBack", {list, item}, {}, {.name = options.name}).output();
}

PoppedItem tensor_list_pop_back(const Output& list, DType element_dtype, const Shape& element_shape,
                                const TensorListOptions& options) {
  Graph& graph = list.graph();
  Node& node = graph.add("TensorListPopBack", {list, shape_argument(graph, element_shape)},
                         {{"element_dtype", element_dtype}}, {.name = options.name});
  return {node.output(0), node.output(1)};
}

Output tensor_list_set_item(const Output& list, const Output& index, const Output& item,
                            const TensorListOptions& options) {
  return list.graph()
      .add("TensorListSetItem", {list, index, item}, {}, {.name = options.name})
      .output();
}

Output tensor_list_get_item(const Output& list, const Output& index, DType element_dtype,
                            const Shape& element_shape, const TensorListOptions& options) {
  Graph& graph = list.graph();
  return graph
      .add("TensorListGetItem", {list, index, shape_argument(graph, element_shape)},
           {{"element_dtype", element_dtype}}, {.name = options.name})
      .output();
}

Output tensor_list_stack(const Output& list, DType element_dtype, const Shape& element_shape,
                         int64_t count, const TensorListOptions& options) {
  Graph& graph = list.graph();
  return graph
      .add("TensorListStack", {list, shape_argument(graph, element_shape)},
           {{"element_dtype", element_dtype}, {"num_elements", count}}, {.name = options.name})
      .output();
}

Output tensor_list_length(const Output& list, const TensorListOptions& options) {
  return list.graph().add("TensorListLength", {list}, {}, {.name = options.name}).output();
}

}  // namespace thalweg
