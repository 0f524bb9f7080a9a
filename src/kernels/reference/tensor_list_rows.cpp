// Lists from tensors and tensors from lists: items are its rows, or pieces of several rows.
#include <algorithm>

#include "kernels/reference/elements.h"
#include "kernels/reference/tensor_list_kernels.h"

namespace thalweg::reference {
namespace {

using Context = KernelContext;

Tensor row_of(const Tensor& tensor, int64_t row) {
  return tensor.rows(row, row + 1).reshape(tensor.shape().slice(1)).clone();
}

// Items of one shape behind each other.
Tensor stack_items(const std::vector<Tensor>& items, DType dtype, const Shape& element) {
  Shape row = element;
  for (const Tensor& item : items) {
    if (!item.shape().is_compatible_with(row)) {
      throw invalid_argument("the items differ in shape: ", row, " and ", item.shape());
    }
    row = item.shape();
  }
  if (!row.is_fully_defined()) {
    throw invalid_argument("a list without items is stacked, and `element_shape` ", row,
                           " does not tell the shape of the result in full");
  }
  Tensor result(dtype, Shape{static_cast<int64_t>(items.size())}.concat(row));
  void* out = result.mutable_raw();
  int64_t next = 0;
  for (const Tensor& item : items) {
    copy_elements(dtype, item.raw(), element_at(dtype, out, next), item.num_elements());
    next += item.num_elements();
  }
  return result;
}

void scatter(TensorList& list, const Tensor& tensor, const int32_t* indices, int64_t count) {
  if (count > tensor.dim(0)) {
    throw invalid_argument("there are ", count, " indices, but ", tensor.dim(0), " rows");
  }
  list.admit(tensor.dtype(), tensor.shape().slice(1));
  for (int64_t i = 0; i < count; ++i) {
    if (indices[i] < 0) throw invalid_argument("index ", indices[i], " is negative");
    if (indices[i] >= list.size()) {
      throw invalid_argument("index ", indices[i], " is outside a list of ", list.size(), " items");
    }
    list.items[static_cast<size_t>(indices[i])] = row_of(tensor, i);
  }
}

// Joins items whose first dimensions may differ.
void concat(Context& c, const TensorList& list, const Shape& told, const int64_t* leading,
            int64_t num_leading, std::span<const TensorSpec> outputs) {
  Shape row = told.has_rank() ? told.slice(1) : Shape::unknown();
  for (const Tensor& item : list.items) {
    if (!item.is_valid()) continue;
    if (item.rank() < 1) throw invalid_argument("items to join need a dimension; one is a scalar");
    if (!item.shape().slice(1).is_compatible_with(row)) {
      throw invalid_argument("items to join differ behind dimension 0: ", row, " and ",
                             item.shape().slice(1));
    }
    row = item.shape().slice(1);
  }
  std::vector<Tensor> items;
  Tensor lengths(kInt64, Shape{list.size()});
  int64_t total = 0;
  for (int64_t i = 0; i < list.size(); ++i) {
    Shape shape = row.has_rank() ? Shape{kUnknownDim}.concat(row) : Shape::unknown();
    if (i < num_leading && shape.has_rank() && !list.items[static_cast<size_t>(i)].is_valid())
      shape.set_dim(0, leading[i]);
    items.push_back(list.item(i, shape));
    lengths.mutable_data<int64_t>()[static_cast<size_t>(i)] = items.back().dim(0);
    total += items.back().dim(0);
  }
  if (!row.is_fully_defined()) {
    throw invalid_argument("a list without items is joined, and `element_shape` ", told,
                           " does not tell the shape of the result");
  }
  Tensor joined(list.dtype, Shape{total}.concat(row));
  void* out = joined.mutable_raw();
  int64_t next = 0;
  for (const Tensor& item : items) {
    copy_elements(list.dtype, item.raw(), element_at(list.dtype, out, next), item.num_elements());
    next += item.num_elements();
  }
  give_tensor(c, 0, outputs[0], std::move(joined));
  give_tensor(c, 1, outputs[1], std::move(lengths));
}

}  // namespace

KernelPtr make_list_stack(const KernelRequest& request) {
  const auto count = request.node.attr<int64_t>("num_elements");
  return make_kernel([dtype = element_dtype(request), spec = request.inputs[1],
                      output = request.outputs[0], count](Context& c) {
    const TensorList& list = list_input(c, 0, dtype);
    if (count >= 0 && count != list.size()) {
      throw invalid_argument("the list holds ", list.size(), " items, expected ", count);
    }
    Shape shape = read_shape(c, 1, spec);
    if (!shape.is_compatible_with(list.element_shape)) {
      throw invalid_argument("the list holds items of shape ", list.element_shape, ", not ", shape);
    }
    shape = shape.merge(list.element_shape);
    // Items that were never set are zeros of the shape that the others have, or that was inferred.
    if (output.shape.has_rank() && output.shape.rank() > 0 &&
        output.shape.slice(1).is_compatible_with(shape)) {
      shape = shape.merge(output.shape.slice(1));
    }
    for (const Tensor& item : list.items) {
      if (item.is_valid() && item.shape().is_compatible_with(shape)) shape = item.shape();
    }
    std::vector<Tensor> items;
    for (int64_t i = 0; i < list.size(); ++i) items.push_back(list.item(i, shape));
    give_tensor(c, 0, output, stack_items(items, dtype, shape));
  });
}

KernelPtr make_list_from_tensor(const KernelRequest& request) {
  return make_kernel([spec = request.inputs[1]](Context& c) {
    const Tensor tensor = c.input_tensor(0);
    auto list = std::make_shared<TensorList>(tensor.dtype(), read_shape(c, 1, spec));
    list->admit(tensor.dtype(), tensor.shape().slice(1));
    for (int64_t i = 0; i < tensor.dim(0); ++i) list->items.push_back(row_of(tensor, i));
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_list_gather(const KernelRequest& request) {
  return make_kernel([dtype = element_dtype(request), spec = request.inputs[2],
                      output = request.outputs[0],
                      count = request.inputs[1].shape.num_elements()](Context& c) {
    const TensorList& list = list_input(c, 0, dtype);
    const Shape shape = read_shape(c, 2, spec).merge(list.element_shape);
    std::vector<Tensor> items;
    for (int64_t i = 0; i < count; ++i) items.push_back(list.item(c.input<int32_t>(1)[i], shape));
    give_tensor(c, 0, output, stack_items(items, dtype, shape));
  });
}

KernelPtr make_list_scatter(const KernelRequest& request) {
  return make_kernel([spec = request.inputs[2], has_count = request.inputs.size() > 3,
                      count = request.inputs[1].shape.num_elements()](Context& c) {
    const Tensor tensor = c.input_tensor(0);
    const int32_t* indices = c.input<int32_t>(1);
    auto list = std::make_shared<TensorList>(tensor.dtype(), read_shape(c, 2, spec));
    int64_t size = has_count ? *c.input<int32_t>(3) : -1;
    if (size < 0) {
      for (int64_t i = 0; i < count; ++i) size = std::max(size, int64_t{indices[i]} + 1);
      size = std::max<int64_t>(size, 0);
    }
    list->items.resize(static_cast<size_t>(size));
    scatter(*list, tensor, indices, count);
    give_list(c, 0, std::move(list));
  });
}

KernelPtr make_list_scatter_into(const KernelRequest& request) {
  return make_kernel(
      [dtype = element_dtype(request), count = request.inputs[2].shape.num_elements()](Context& c) {
        const Tensor tensor = c.input_tensor(1);
        const int32_t* indices = c.input<int32_t>(2);
        auto list = list_to_change(c, 0, dtype);
        int64_t size = list->size();
        for (int64_t i = 0; i < count; ++i) size = std::max(size, int64_t{indices[i]} + 1);
        list->items.resize(static_cast<size_t>(size));
        scatter(*list, tensor, indices, count);
        give_list(c, 0, std::move(list));
      });
}

KernelPtr make_list_concat(const KernelRequest& request) {
  const std::vector<TensorSpec> outputs(request.outputs.begin(), request.outputs.end());
  const bool is_v2 = request.inputs.size() == 3;
  const Shape told = is_v2 ? Shape() : request.node.attr<Shape>("element_shape");
  const TensorSpec spec = is_v2 ? request.inputs[1] : TensorSpec{};
  const int64_t num_leading = is_v2 ? request.inputs[2].shape.num_elements() : 0;
  return make_kernel([=, dtype = element_dtype(request)](Context& c) {
    const TensorList& list = list_input(c, 0, dtype);
    Shape shape = is_v2 ? read_shape(c, 1, spec) : told;
    if (!shape.has_rank()) shape = list.element_shape;
    concat(c, list, shape, is_v2 ? c.input<int64_t>(2) : nullptr, num_leading, outputs);
  });
}

KernelPtr make_list_split(const KernelRequest& request) {
  return make_kernel(
      [spec = request.inputs[1], count = request.inputs[2].shape.num_elements()](Context& c) {
        const Tensor tensor = c.input_tensor(0);
        const int64_t* lengths = c.input<int64_t>(2);
        auto list = std::make_shared<TensorList>(tensor.dtype(), read_shape(c, 1, spec));
        int64_t row = 0;
        for (int64_t i = 0; i < count; ++i) {
          if (lengths[i] < 0 || row + lengths[i] > tensor.dim(0)) {
            throw invalid_argument("piece ", i, " of length ", lengths[i], " lies outside the ",
                                   tensor.dim(0), " rows");
          }
          Tensor piece = tensor.rows(row, row + lengths[i]).clone();
          list->admit(piece.dtype(), piece.shape());
          list->items.push_back(std::move(piece));
          row += lengths[i];
        }
        if (row != tensor.dim(0))
          throw invalid_argument("the lengths add up to ", row, ", but there are ", tensor.dim(0),
                                 " rows");
        give_list(c, 0, std::move(list));
      });
}

}  // namespace thalweg::reference
