// Lists of tensors: making them, and their items one by one.
#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/tensor_list_kernels.h"

namespace thalweg {

DType reference::element_dtype(const KernelRequest& request) {
  return request.node.attr<DType>("element_dtype");
}

Shape reference::read_shape(const KernelContext& c, int i, const TensorSpec& spec) {
  if (spec.shape.rank() == 0) return Shape::unknown();
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < spec.shape.num_elements(); ++d) {
    const int64_t dim =
        spec.dtype == kInt32 ? int64_t{c.input<int32_t>(i)[d]} : c.input<int64_t>(i)[d];
    dims.push_back(dim < 0 ? kUnknownDim : dim);
  }
  return Shape(dims);
}

void reference::give_list(KernelContext& c, int output, std::shared_ptr<TensorList> list) {
  c.output<Variant>(output)[0] = Variant(std::move(list));
}

void reference::give_tensor(KernelContext& c, int output, const TensorSpec& spec, Tensor tensor) {
  if (!spec.shape.is_fully_defined()) return c.set_output(output, std::move(tensor));
  if (!(tensor.shape() == spec.shape)) {
    throw invalid_argument("the result was told to have shape ", spec.shape, ", but has ",
                           tensor.shape());
  }
  reference::copy_elements(tensor.dtype(), tensor.raw(), c.output_pointer(output),
                           tensor.num_elements());
}

namespace {

using namespace reference;  // NOLINT: lists in its words
using Context = KernelContext;

// Input i as an item: memory of its own, since the plan's is used again.
Tensor item_of(const Context& c, int i) { return c.input_tensor(i).clone(); }

KernelPtr make_empty(const KernelRequest& request) {
  return make_kernel([dtype = element_dtype(request), spec = request.inputs[0]](Context& c) {
    auto list = std::make_shared<TensorList>(dtype, read_shape(c, 0, spec));
    list->max_num_elements = *c.input<int32_t>(1);
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_reserve(const KernelRequest& request) {
  return make_kernel([dtype = element_dtype(request), spec = request.inputs[0]](Context& c) {
    const int32_t count = *c.input<int32_t>(1);
    if (count < 0) throw invalid_argument("a list of ", count, " items is asked for");
    auto list = std::make_shared<TensorList>(dtype, read_shape(c, 0, spec));
    list->items.resize(static_cast<size_t>(count));
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_push(const KernelRequest& request) {
  return make_kernel([dtype = element_dtype(request)](Context& c) {
    Tensor item = item_of(c, 1);
    auto list = list_to_change(c, 0, dtype);
    list->admit(item.dtype(), item.shape());
    if (list->max_num_elements >= 0 && list->size() >= list->max_num_elements) {
      throw invalid_argument("the list holds ", list->size(), " items, and may hold no more");
    }
    list->items.push_back(std::move(item));
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_pop(const KernelRequest& request) {
  return make_kernel([dtype = element_dtype(request), spec = request.inputs[1],
                      output = request.outputs[1]](Context& c) {
    if (list_input(c, 0, dtype).items.empty())
      throw invalid_argument("an item is taken from a list that has none");
    auto list = list_to_change(c, 0, dtype);
    Tensor item = list->item(list->size() - 1, read_shape(c, 1, spec));
    list->items.pop_back();
    give_list(c, 0, std::move(list));
    if (!output.unused) give_tensor(c, 1, output, std::move(item));
  });
}

KernelPtr make_set(const KernelRequest& request) {
  const bool resize = request.node.attr<bool>("resize_if_index_out_of_bounds");
  return make_kernel([dtype = element_dtype(request), resize](Context& c) {
    const int32_t index = *c.input<int32_t>(1);
    Tensor item = item_of(c, 2);
    auto list = list_to_change(c, 0, dtype);
    list->admit(item.dtype(), item.shape());
    if (resize && index >= list->size()) list->items.resize(static_cast<size_t>(index) + 1);
    if (index < 0 || index >= list->size()) {
      throw invalid_argument("item ", index, " of a list of ", list->size(),
                             " tensors is to be set");
    }
    list->items[static_cast<size_t>(index)] = std::move(item);
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_get(const KernelRequest& request) {
  return make_kernel([dtype = element_dtype(request), spec = request.inputs[2],
                      output = request.outputs[0]](Context& c) {
    const TensorList& list = list_input(c, 0, dtype);
    give_tensor(c, 0, output, list.item(*c.input<int32_t>(1), read_shape(c, 2, spec)));
  });
}

KernelPtr make_length(const KernelRequest&) {
  return make_kernel(
      [](Context& c) { *c.output<int32_t>() = static_cast<int32_t>(list_input(c, 0).size()); });
}

KernelPtr make_resize(const KernelRequest&) {
  return make_kernel([](Context& c) {
    const int32_t size = *c.input<int32_t>(1);
    if (size < 0) throw invalid_argument("a list cannot have ", size, " items");
    auto list = list_to_change(c, 0);
    list->items.resize(static_cast<size_t>(size));
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_element_shape(const KernelRequest& request) {
  return make_kernel([dtype = request.outputs[0].dtype](Context& c) {
    const Shape& shape = list_input(c, 0).element_shape;
    const Tensor dims =
        shape.has_rank() ? Tensor::from(shape.dims(), Shape{shape.rank()}) : Tensor(int64_t{-1});
    c.set_output(0, dims.cast(dtype));
  });
}

constexpr KernelDef kKernels[] = {
    {"EmptyTensorList", "reference", make_empty},
    {"TensorListReserve", "reference", make_reserve},
    {"TensorListPushBack", "reference", make_push},
    {"TensorListPopBack", "reference", make_pop},
    {"TensorListSetItem", "reference", make_set},
    {"TensorListGetItem", "reference", make_get},
    {"TensorListStack", "reference", make_list_stack},
    {"TensorListFromTensor", "reference", make_list_from_tensor},
    {"TensorListLength", "reference", make_length},
    {"TensorListResize", "reference", make_resize},
    {"TensorListGather", "reference", make_list_gather},
    {"TensorListScatter", "reference", make_list_scatter},
    {"TensorListScatterV2", "reference", make_list_scatter},
    {"TensorListScatterIntoExistingList", "reference", make_list_scatter_into},
    {"TensorListConcat", "reference", make_list_concat},
    {"TensorListConcatV2", "reference", make_list_concat},
    {"TensorListSplit", "reference", make_list_split},
    {"TensorListElementShape", "reference", make_element_shape},
};

}  // namespace

std::span<const KernelDef> reference_tensor_list_kernels() { return kKernels; }

}  // namespace thalweg
