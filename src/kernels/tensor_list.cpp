#include "thalweg/kernels/tensor_list.h"

#include "thalweg/kernels/evaluate.h"

namespace thalweg {

std::string TensorList::to_string() const {
  return str("list of ", items.size(), " tensors of ", dtype, element_shape);
}

Tensor TensorList::item(int64_t i, const Shape& shape) const {
  if (i < 0 || i >= size()) {
    throw out_of_range("item ", i, " of a list of ", size(), " tensors is asked for");
  }
  const Tensor& item = items[static_cast<size_t>(i)];
  if (item.is_valid()) {
    if (!item.shape().is_compatible_with(shape)) {
      throw invalid_argument("item ", i, " of the list has shape ", item.shape(), ", not ", shape);
    }
    return item;
  }
  if (!shape.is_compatible_with(element_shape)) {
    throw invalid_argument("the list holds items of shape ", element_shape, ", not ", shape);
  }
  Shape known = shape.merge(element_shape);
  // As the other items, where nothing tells more.
  for (size_t other = 0; other < items.size() && !known.is_fully_defined(); ++other) {
    if (items[other].is_valid() && items[other].shape().is_compatible_with(known))
      known = items[other].shape();
  }
  if (!known.is_fully_defined()) {
    throw invalid_argument("item ", i, " of the list was never set, and its shape ", known,
                           " is not known in full: set it, or tell `element_shape`");
  }
  return Tensor::zeros(dtype, known);
}

void TensorList::admit(DType item_dtype, const Shape& shape) {
  if (item_dtype != dtype) {
    throw invalid_argument("the list holds ", dtype, ", the item is ", item_dtype, shape);
  }
  if (!shape.is_compatible_with(element_shape)) {
    throw invalid_argument("the list holds items of shape ", element_shape, ", the item has ",
                           shape);
  }
  if (!had_items_) {
    item_shape_ = shape;
  } else if (!(item_shape_ == shape)) {
    item_shape_ = Shape::unknown();
  }
  had_items_ = true;
}

const TensorList& list_input(const KernelContext& context, int i, DType dtype) {
  const Variant& value = *context.input<Variant>(i);
  const auto* list = value.get<TensorList>();
  if (list == nullptr) {
    throw invalid_argument("input ", i, " holds ", value.to_string(), ", expected a list");
  }
  if (dtype != kInvalid && list->dtype != dtype) {
    throw invalid_argument("input ", i, " is a list of ", list->dtype, ", the op works on ", dtype);
  }
  return *list;
}

std::shared_ptr<TensorList> list_to_change(KernelContext& context, int i, DType dtype) {
  const TensorList& list = list_input(context, i, dtype);
  Variant& holder = *const_cast<Variant*>(context.input<Variant>(i));
  if (context.is_last_use(i) && holder.share().use_count() == 1) {
    // Nobody else holds it, and this holder is not looked at again.
    auto taken = std::const_pointer_cast<TensorList>(
        std::static_pointer_cast<const TensorList>(holder.share()));
    holder = Variant();
    return taken;
  }
  return std::make_shared<TensorList>(list);
}

Variant zeros_like(const Variant& value) {
  const auto* list = value.get<TensorList>();
  if (list == nullptr) return value;
  auto zeros = std::make_shared<TensorList>(list->dtype, list->element_shape);
  zeros->max_num_elements = list->max_num_elements;
  // Items that were never set are zeros, where their shape is known.
  const bool lazily = list->element_shape.is_fully_defined() && list->dtype != kVariant;
  for (const Tensor& item : list->items) {
    if (!item.is_valid() || lazily) {
      zeros->items.emplace_back();
      continue;
    }
    zeros->admit(item.dtype(), item.shape());
    zeros->items.push_back(Tensor::zeros(item.dtype(), item.shape()));
    if (item.dtype() != kVariant) continue;
    for (int64_t e = 0; e < item.num_elements(); ++e) {
      const auto at = static_cast<size_t>(e);
      zeros->items.back().mutable_data<Variant>()[at] = zeros_like(item.data<Variant>()[at]);
    }
  }
  return Variant(std::move(zeros));
}

namespace {

Tensor add_items(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) {
    throw invalid_argument("items to add differ: ", a.dtype(), a.shape(), " and ", b.dtype(),
                           b.shape());
  }
  Tensor sum(a.dtype(), a.shape());
  for (size_t e = 0; e < static_cast<size_t>(a.num_elements()); ++e) {
    if (a.dtype() == kVariant) {
      sum.mutable_data<Variant>()[e] = add(a.data<Variant>()[e], b.data<Variant>()[e]);
      continue;
    }
    visit_element(a.dtype(), [&]<class T>(TypeTag<T>) {
      const T x = a.data<T>()[e];
      const T y = b.data<T>()[e];
      T& target = sum.mutable_data<T>()[e];
      if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
        target = T(static_cast<float>(x) + static_cast<float>(y));
      } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::complex<float>> ||
                           std::is_same_v<T, std::complex<double>>) {
        target = x + y;
      } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        target = static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
      } else {
        throw invalid_argument("lists of ", a.dtype(), " have no sum");
      }
    });
  }
  return sum;
}

}  // namespace

Variant add(const Variant& a, const Variant& b) {
  const auto* left = a.get<TensorList>();
  const auto* right = b.get<TensorList>();
  if (left == nullptr || right == nullptr)
    throw invalid_argument("cannot add ", a.to_string(), " and ", b.to_string());
  if (left->size() != right->size() || left->dtype != right->dtype) {
    throw invalid_argument("cannot add a ", left->to_string(), " and a ", right->to_string());
  }
  auto sum = std::make_shared<TensorList>(*left);
  for (size_t i = 0; i < sum->items.size(); ++i) {
    const Tensor& x = left->items[i];
    const Tensor& y = right->items[i];
    sum->items[i] = !x.is_valid() ? y : !y.is_valid() ? x : add_items(x, y);
  }
  return Variant(std::move(sum));
}

}  // namespace thalweg
