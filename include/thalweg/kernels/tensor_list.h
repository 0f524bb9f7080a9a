// Lists of tensors as values: what TensorFlow's TensorList ops pass around, and what loops stack
// for the way back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thalweg/kernels/kernel.h"
#include "thalweg/tensor/variant.h"

namespace thalweg {

/// A value: changed only while nobody else holds it.
class TensorList final : public VariantValue {
 public:
  TensorList(DType dtype, Shape element_shape)
      : dtype(dtype), element_shape(std::move(element_shape)) {}

  DType dtype = kInvalid;
  Shape element_shape;            // of every item; may be unknown in part
  int64_t max_num_elements = -1;  // -1: any number
  std::vector<Tensor> items;      // invalid where none was set: zeros

  int64_t size() const { return static_cast<int64_t>(items.size()); }
  std::string to_string() const override;
  /// Item i; zeros where none was set, of `shape` as far as that and the list's own tell. Throws
  /// out_of_range for an index, invalid_argument for a shape that does not fit or is not known.
  Tensor item(int64_t i, const Shape& shape) const;
  /// To be called before a tensor becomes an item. Throws invalid_argument when it cannot be one.
  void admit(DType item_dtype, const Shape& shape);
  /// The shape that all items have that were ever set; of unknown rank when they differ, or there
  /// were none.
  const Shape& item_shape() const { return item_shape_; }

 private:
  Shape item_shape_ = Shape::unknown();
  bool had_items_ = false;
};

/// Input i of a kernel. Throws invalid_argument when it is no list, or holds another dtype.
const TensorList& list_input(const KernelContext& context, int i, DType dtype = kInvalid);
/// The same for changing: taken over when nobody else will look at it, else a copy.
std::shared_ptr<TensorList> list_to_change(KernelContext& context, int i, DType dtype = kInvalid);

/// A list of zeros of the same shapes; lists in lists too. Other values stay as they are.
Variant zeros_like(const Variant& value);
/// Item by item. Throws invalid_argument when lengths or shapes differ, or it is no list of
/// numbers.
Variant add(const Variant& a, const Variant& b);

}  // namespace thalweg
