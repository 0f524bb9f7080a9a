// Ops on lists of tensors.
#include "ops/families.h"
#include "ops/list_contents.h"
#include "ops/tensor_list_gradients.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

void one_list(ShapeContext& c) { c.set_output(0, Shape{}); }

// The shape that an `element_shape` argument tells: a vector, or the scalar -1 for any shape.
Shape told_shape(const ShapeContext& c, int i) {
  const Shape& argument = c.input(i);
  if (!argument.has_rank() || argument.rank() == 0) return Shape::unknown();
  return c.constant_shape(i);
}

// The shape of an item that is taken out of input 0.
Shape taken_shape(const ShapeContext& c, int i) {
  const Shape told = told_shape(c, i);
  const Shape known = list_contents(c.node().input(0)).item;
  return told.is_compatible_with(known) ? told.merge(known) : told;
}

Shape rows_of(const Shape& element, int64_t count) {
  return element.has_rank() ? Shape{count}.concat(element) : Shape::unknown();
}

void need_vector(const ShapeContext& c, int i) {
  if (c.input(i).rank() > 1)
    throw c.error("`", c.input_name(i), "` must be a vector or -1, got shape ", c.input(i));
}

void made_list(ShapeContext& c) {
  need_vector(c, 0);
  c.with_rank(1, 0);
  one_list(c);
}
void pop_shape(ShapeContext& c) {
  c.set_output(0, Shape{});
  c.set_output(1, taken_shape(c, 1));
}
void get_shape(ShapeContext& c) {
  c.with_rank(1, 0);
  c.set_output(0, taken_shape(c, 2));
}
void stack_shape(ShapeContext& c) {
  const int64_t told = c.attr<int64_t>("num_elements");
  const int64_t count = told < 0 ? list_contents(c.node().input(0)).count : told;
  c.set_output(0, rows_of(taken_shape(c, 1), count));
}
void gather_shape(ShapeContext& c) {
  const Shape indices = c.with_rank(1, 1);
  c.set_output(0, rows_of(taken_shape(c, 2), indices[0]));
}
void from_tensor_shape(ShapeContext& c) {
  c.with_rank_at_least(0, 1);
  one_list(c);
}
Shape joined_shape(const Shape& element) {
  return element.has_rank() && element.rank() > 0 ? Shape{kUnknownDim}.concat(element.slice(1))
                                                  : Shape::unknown();
}

constexpr char kElement[] = "element_dtype: type | Type of the items.";
constexpr char kShapeType[] = "shape_type: {int32, int64} | Type of `element_shape`.";
constexpr char kList[] = "input_handle: variant | A list.";
constexpr char kResult[] = "output_handle: variant | The list after it.";
constexpr char kMade[] = "handle: variant | The list.";
constexpr char kTyped[] =
    "element_shape: shape_type | Shape of each item, -1 where unknown; the scalar -1: any shape.";
constexpr char kShape[] =
    "element_shape: int32 | Shape of each item, -1 where unknown; the scalar -1: any shape.";
constexpr char kCount[] = "num_elements: int32 | How many, a scalar.";
constexpr char kIndices[] = "indices: int32 | Places in the list, `[n]`.";
constexpr char kRows[] = "tensor: element_dtype | Items along dimension 0, `[n, ...]`.";
constexpr char kIndex[] = "index: int32 | Which item, a scalar.";
constexpr char kLengths[] = "lengths: int64 | Length of each piece, `[n]`.";

constexpr OpDef kTensorListOps[] = {
    {.name = "EmptyTensorList",
     .inputs = {kTyped, "max_num_elements: int32 | How many items it may get; -1: any number."},
     .outputs = {kMade},
     .attrs = {kElement, kShapeType},
     .doc = "A list without items.",
     .shape = made_list,
     .gradient = [](GradientContext&) {}},
    {.name = "TensorListReserve",
     .inputs = {kTyped, kCount},
     .outputs = {kMade},
     .attrs = {kElement, kShapeType},
     .doc = "A list of items that are still to be set; zeros where they are not.",
     .shape = made_list,
     .gradient = [](GradientContext&) {}},
    {.name = "TensorListPushBack",
     .inputs = {kList, "tensor: element_dtype | The new item."},
     .outputs = {kResult},
     .attrs = {kElement},
     .doc = "The list with an item behind its last.",
     .shape = one_list,
     .gradient = tensor_list_push_gradient},
    {.name = "TensorListPopBack",
     .inputs = {kList, kShape},
     .outputs = {kResult, "tensor: element_dtype | The last item."},
     .attrs = {kElement},
     .doc = "The list without its last item, and that item. An empty list is an error.",
     .shape = pop_shape,
     .gradient = tensor_list_pop_gradient},
    {.name = "TensorListSetItem",
     .inputs = {kList, kIndex, "item: element_dtype | The new item."},
     .outputs = {kResult},
     .attrs = {kElement,
               "resize_if_index_out_of_bounds: bool = false | Whether an index past the end "
               "lengthens the list."},
     .doc = "The list with another item at a place.",
     .shape =
         [](ShapeContext& c) {
           c.with_rank(1, 0);
           one_list(c);
         },
     .gradient = tensor_list_set_gradient},
    {.name = "TensorListGetItem",
     .inputs = {kList, kIndex, kShape},
     .outputs = {"item: element_dtype | The item."},
     .attrs = {kElement},
     .doc = "One item; zeros when it was never set.",
     .shape = get_shape,
     .gradient = tensor_list_get_gradient},
    {.name = "TensorListStack",
     .inputs = {kList, kShape},
     .outputs = {"tensor: element_dtype | `[n, ...]`."},
     .attrs = {kElement, "num_elements: int = -1 | How many there must be; -1: any number."},
     .doc = "All items along a new dimension 0.",
     .shape = stack_shape,
     .gradient = tensor_list_stack_gradient},
    {.name = "TensorListFromTensor",
     .inputs = {kRows, kTyped},
     .outputs = {kResult},
     .attrs = {kElement, kShapeType},
     .doc = "The slices of a tensor along dimension 0 as a list.",
     .shape = from_tensor_shape,
     .gradient = tensor_list_from_tensor_gradient},
    {.name = "TensorListLength",
     .inputs = {kList},
     .outputs = {"length: int32 | A scalar."},
     .attrs = {},
     .doc = "The number of items.",
     .shape = one_list,
     .no_gradient = "it is an integer"},
    {.name = "TensorListResize",
     .inputs = {kList, "size: int32 | How many items, a scalar."},
     .outputs = {kResult},
     .attrs = {},
     .doc = "The list cut, or with items at its end that are still to be set.",
     .shape =
         [](ShapeContext& c) {
           c.with_rank(1, 0);
           one_list(c);
         },
     .gradient = tensor_list_resize_gradient},
    {.name = "TensorListGather",
     .inputs = {kList, kIndices, kShape},
     .outputs = {"values: element_dtype | `[n, ...]`."},
     .attrs = {kElement},
     .doc = "Some items along a new dimension 0.",
     .shape = gather_shape,
     .gradient = tensor_list_gather_gradient},
    {.name = "TensorListScatter",
     .inputs = {kRows, kIndices, kTyped},
     .outputs = {kResult},
     .attrs = {kElement, kShapeType},
     .doc = "A list with the slices of a tensor at given places, as long as the largest wants.",
     .shape = from_tensor_shape,
     .gradient = tensor_list_scatter_gradient},
    {.name = "TensorListScatterV2",
     .inputs = {kRows, kIndices, kTyped,
                "num_elements: int32 | How long the list is, a scalar; -1: as the largest index "
                "wants."},
     .outputs = {kResult},
     .attrs = {kElement, kShapeType},
     .doc = "A list with the slices of a tensor at given places.",
     .shape = from_tensor_shape,
     .gradient = tensor_list_scatter_gradient},
    {.name = "TensorListScatterIntoExistingList",
     .inputs = {kList, kRows, kIndices},
     .outputs = {kResult},
     .attrs = {kElement},
     .doc = "The list with the slices of a tensor at given places.",
     .shape =
         [](ShapeContext& c) {
           c.with_rank_at_least(1, 1);
           one_list(c);
         },
     .gradient = tensor_list_scatter_into_gradient},
    {.name = "TensorListConcat",
     .inputs = {kList},
     .outputs = {"tensor: element_dtype | All items behind each other.", kLengths},
     .attrs = {kElement, "element_shape: shape = { unknown_rank: true } | Shape of each item."},
     .doc = "Joins the items along their dimension 0.",
     .shape =
         [](ShapeContext& c) {
           c.set_output(0, joined_shape(c.attr<Shape>("element_shape")));
           c.set_output(1, Shape::unknown_of_rank(1));
         },
     .gradient = tensor_list_concat_gradient},
    {.name = "TensorListConcatV2",
     .inputs = {kList, kTyped,
                "leading_dims: int64 | Dimension 0 of items that were never set, `[n]`."},
     .outputs = {"tensor: element_dtype | All items behind each other.", kLengths},
     .attrs = {kElement, kShapeType},
     .doc = "Joins the items along their dimension 0.",
     .shape =
         [](ShapeContext& c) {
           c.set_output(0, joined_shape(told_shape(c, 1)));
           c.set_output(1, Shape::unknown_of_rank(1));
         },
     .gradient = tensor_list_concat_gradient},
    {.name = "TensorListSplit",
     .inputs = {"tensor: element_dtype | `[rows, ...]`.", kTyped, kLengths},
     .outputs = {kResult},
     .attrs = {kElement, kShapeType},
     .doc = "A list of pieces of a tensor along dimension 0.",
     .shape = from_tensor_shape,
     .gradient = tensor_list_split_gradient},
    {.name = "TensorListElementShape",
     .inputs = {kList},
     .outputs = {"element_shape: shape_type | The shape told for the items, -1 where unknown; the "
                 "scalar -1: any shape."},
     .attrs = {kShapeType},
     .doc = "What is known of the shape of all items.",
     .shape = shape_functions::unknown,
     .no_gradient = "a shape is made of integers"},
};

}  // namespace

std::span<const OpDef> tensor_list_ops() { return kTensorListOps; }

}  // namespace thalweg
