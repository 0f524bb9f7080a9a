#include "ops/tensor_list_gradients.h"

#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// A list argument's element shape and length, computed by the graph.
Output element_shape_of(Graph& g, Output list) {
  return g.add("TensorListElementShape", {list}, {{"shape_type", kInt32}}).output();
}
Output length_of(Graph& g, Output list) { return g.add("TensorListLength", {list}).output(); }

// x's shape without its first dimension.
Output row_shape_of(Output x) {
  const Shape& shape = x.shape();
  if (shape.has_rank() && shape.slice(1).is_fully_defined()) {
    return constant(x.graph(),
                    Tensor::from(shape.slice(1).dims(), Shape{shape.rank() - 1}).cast(kInt32));
  }
  return strided_slice(shape_of(x), {1}, {0}, {1}, {.end_mask = 1});
}
Output shape_or_constant(Output x) {
  const Shape& shape = x.shape();
  if (!shape.is_fully_defined()) return shape_of(x);
  return constant(x.graph(), Tensor::from(shape.dims(), Shape{shape.rank()}).cast(kInt32));
}

DType element(const Context& c) { return c.attr<DType>("element_dtype"); }
bool flows(DType dtype) { return is_floating(dtype) || is_complex(dtype) || dtype == kVariant; }
Output zeros(Output x) { return x.graph().add("ZerosLike", {x}).output(); }

// A list as long as `like`, without items.
Output reserve_like(Graph& g, Output like, DType dtype) {
  return g
      .add("TensorListReserve", {element_shape_of(g, like), length_of(g, like)},
           {{"element_dtype", dtype}})
      .output();
}

Output gathered(Context& c, int tensor, int indices) {
  return c.graph()
      .add("TensorListGather", {c.grad(), c.input(indices), row_shape_of(c.input(tensor))},
           {{"element_dtype", element(c)}})
      .output();
}

}  // namespace

void tensor_list_push_gradient(Context& c) {
  Node& pop = c.graph().add("TensorListPopBack", {c.grad(), shape_or_constant(c.input(1))},
                            {{"element_dtype", element(c)}});
  c.set(0, pop.output(0));
  if (flows(element(c))) c.set(1, pop.output(1));
}

void tensor_list_pop_gradient(Context& c) {
  const Output list = c.grad(0) ? c.grad(0) : zeros(c.output(0));
  const Output item = c.grad(1) ? c.grad(1) : zeros(c.output(1));
  c.set(0, c.graph().add("TensorListPushBack", {list, item}).output());
}

void tensor_list_stack_gradient(Context& c) {
  c.set(0, c.graph().add("TensorListFromTensor", {c.grad(), row_shape_of(c.grad())}).output());
}

void tensor_list_concat_gradient(Context& c) {
  if (!c.grad(0)) return;
  Graph& g = c.graph();
  c.set(
      0,
      g.add("TensorListSplit", {c.grad(0), element_shape_of(g, c.input(0)), c.output(1)}).output());
}

void tensor_list_split_gradient(Context& c) {
  Graph& g = c.graph();
  const Output x = c.input(0);
  const Output any = constant(g, Tensor::of<int32_t>({-1}));
  c.set(0, g.add("TensorListConcatV2", {c.grad(), concat({any, row_shape_of(x)}, 0), c.input(2)},
                 {{"element_dtype", element(c)}})
               .output());
}

void tensor_list_from_tensor_gradient(Context& c) {
  const Output x = c.input(0);
  const int64_t count = x.shape().has_rank() ? x.shape()[0] : kUnknownDim;
  c.set(0, c.graph()
               .add("TensorListStack", {c.grad(), row_shape_of(x)},
                    {{"element_dtype", element(c)}, {"num_elements", count}})
               .output());
}

void tensor_list_get_gradient(Context& c) {
  Graph& g = c.graph();
  const Output empty = reserve_like(g, c.input(0), element(c));
  c.set(0, g.add("TensorListSetItem", {empty, c.input(1), c.grad()}).output());
}

void tensor_list_set_gradient(Context& c) {
  Graph& g = c.graph();
  const Output item = c.input(2);
  Output list = g.add("TensorListSetItem", {c.grad(), c.input(1), zeros(item)}).output();
  if (c.attr<bool>("resize_if_index_out_of_bounds"))
    list = g.add("TensorListResize", {list, length_of(g, c.input(0))}).output();
  c.set(0, list);
  if (!flows(element(c))) return;
  c.set(2, g.add("TensorListGetItem", {c.grad(), c.input(1), shape_or_constant(item)},
                 {{"element_dtype", element(c)}})
               .output());
}

void tensor_list_resize_gradient(Context& c) {
  Graph& g = c.graph();
  c.set(0, g.add("TensorListResize", {c.grad(), length_of(g, c.input(0))}).output());
}

void tensor_list_gather_gradient(Context& c) {
  Graph& g = c.graph();
  const Output empty = reserve_like(g, c.input(0), element(c));
  c.set(0, g.add("TensorListScatterIntoExistingList", {empty, c.grad(), c.input(1)}).output());
}

void tensor_list_scatter_gradient(Context& c) { c.set(0, gathered(c, 0, 1)); }

void tensor_list_scatter_into_gradient(Context& c) {
  c.set(0, c.graph()
               .add("TensorListScatterIntoExistingList", {c.grad(), zeros(c.input(1)), c.input(2)})
               .output());
  c.set(1, gathered(c, 1, 2));
}

}  // namespace thalweg
