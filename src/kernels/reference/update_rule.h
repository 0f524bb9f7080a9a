// What the kernels of all optimizers share. Each update rule is a function of one element: the
// variable and its slots there, the hyperparameters, the gradient. float32 is computed in float32,
// as TensorFlow does, half and bfloat16 in float32 as well.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "kernels/reference/accumulate.h"
#include "kernels/variable_access.h"

namespace thalweg::reference {

template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// -1, 0 or 1.
template <class C>
C sign(C x) {
  return static_cast<C>((x > 0) - (x < 0));
}

/// A scalar hyperparameter; the number of a step is an int64, the others have the variable's type.
template <class C, class T>
C read_scalar(const KernelContext& c, int i, DType dtype) {
  return dtype == kInt64 ? static_cast<C>(*c.input<int64_t>(i)) : static_cast<C>(*c.input<T>(i));
}

/// The row of each variable that a row of the gradient is about, as an input `indices` says.
class UpdatedRows {
 public:
  UpdatedRows(const KernelRequest& request, int input)
      : input_(input), dtype_(request.inputs[static_cast<size_t>(input)].dtype) {}
  int64_t operator()(const KernelContext& c, int64_t i) const {
    return dtype_ == kInt64 ? c.input<int64_t>(input_)[i] : c.input<int32_t>(input_)[i];
  }
  /// Before the first row is changed. Throws invalid_argument naming the variable.
  void check(const KernelContext& c, int64_t count, const VariableState& variable) const {
    const int64_t size = variable.value_shape[0];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = (*this)(c, i);
      if (row < 0 || row >= size) {
        throw invalid_argument("indices[", i, "] is ", row, ", outside [0, ", size,
                               "), the rows of variable `", variable.name, "`");
      }
    }
  }

 private:
  int input_;
  DType dtype_;
};

/// A kernel whose first `kSlots` inputs are the variable and its slots and input `kGrad` is the
/// gradient, perhaps of rows alone that the next input, `indices`, names; the other inputs, in
/// order, are the hyperparameters h. `rule(x, h, g)` updates the values x of one element.
template <int kSlots, int kGrad, class Rule>
KernelPtr make_update(const KernelRequest& request, Rule rule) {
  const Shape shape = request.inputs[kGrad].shape;
  const auto inputs = static_cast<int>(request.inputs.size());
  const bool sparse = kGrad + 1 < inputs && request.node.type().starts_with("ResourceSparseApply");
  if (sparse) {
    const Shape& indices = request.inputs[kGrad + 1].shape;
    if (shape.rank() < 1 || !(indices == shape.slice(0, 1))) {
      throw invalid_argument("`indices` has shape ", indices, ", but the gradient ", shape,
                             ": each of its rows needs an index");
    }
  }
  std::vector<DType> types;
  for (const TensorSpec& input : request.inputs) types.push_back(input.dtype);
  return visit_floats(request.inputs[kGrad].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape, inputs, sparse, types, rule,
                        rows = UpdatedRows(request, sparse ? kGrad + 1 : kGrad)](KernelContext& c) {
      using C = Compute<T>;
      std::array<C, 8> h{};
      size_t next = 0;
      for (int i = kSlots; i < inputs; ++i) {
        if (i == kGrad || (sparse && i == kGrad + 1)) continue;
        h[next++] = read_scalar<C, T>(c, i, types[static_cast<size_t>(i)]);
      }
      std::array<T*, kSlots> data;
      for (int s = 0; s < kSlots; ++s) {
        data[static_cast<size_t>(s)] = static_cast<T*>(writable_value(c.variable(s)));
        const Shape& value = c.variable(s).value_shape;
        const bool fits =
            sparse ? value.rank() > 0 && value.slice(1) == shape.slice(1) : value == shape;
        if (!fits) {
          throw invalid_argument("variable `", c.variable(s).name, "` has shape ", value,
                                 ", the gradient ", shape);
        }
        if (value != c.variable(0).value_shape) {
          throw invalid_argument("slot `", c.variable(s).name, "` has shape ", value,
                                 ", variable `", c.variable(0).name, "` ",
                                 c.variable(0).value_shape);
        }
      }
      if (sparse) rows.check(c, shape[0], c.variable(0));
      const T* gradient = c.input<T>(kGrad);
      const int64_t inner = sparse ? shape.slice(1).num_elements() : shape.num_elements();
      for (int64_t r = 0; r < (sparse ? shape[0] : 1); ++r) {
        const int64_t row = sparse ? rows(c, r) : 0;
        for (int64_t k = 0; k < inner; ++k) {
          std::array<C, kSlots> x;
          for (size_t s = 0; s < kSlots; ++s) x[s] = static_cast<C>(data[s][row * inner + k]);
          rule(x, h, static_cast<C>(gradient[r * inner + k]));
          for (size_t s = 0; s < kSlots; ++s) data[s][row * inner + k] = static_cast<T>(x[s]);
        }
      }
    });
  });
}

}  // namespace thalweg::reference
