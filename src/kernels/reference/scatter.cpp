#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/indices.h"
#include "kernels/variable_access.h"
#include "thalweg/tensor/strided_slice.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using reference::IndexVectors;
using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using Request = const KernelRequest&;

// What an update does to a cell.
struct Replace {
  template <class T>
  static T apply(T, T update) {
    return update;
  }
};
struct Add {
  template <class T>
  static T apply(T cell, T update) {
    return reference::wrapping_add(cell, update);
  }
};
struct Subtract {
  template <class T>
  static T apply(T cell, T update) {
    return reference::wrapping_sub(cell, update);
  }
};
struct Multiply {
  template <class T>
  static T apply(T cell, T update) {
    return reference::wrapping_mul(cell, update);
  }
};
struct Divide {
  template <class T>
  static T apply(T cell, T update) {
    if constexpr (std::is_integral_v<T>) {
      if (update == static_cast<T>(-1)) return reference::wrapping_sub(T(0), cell);
    }
    return static_cast<T>(cell / update);
  }
};
struct Lower {
  template <class T>
  static T apply(T cell, T update) {
    return update < cell ? update : cell;
  }
};
struct Raise {
  template <class T>
  static T apply(T cell, T update) {
    return cell < update ? update : cell;
  }
};

// Changes slice i of `cells` for each slice that is named, by an update of `inner` cells, or of one
// for all (`stride` 0).
template <class F, class T>
void change(T* cells, const Ints& slices, int64_t inner, const T* updates, bool one) {
  if constexpr (std::is_same_v<F, Divide> && std::is_integral_v<T>) {
    // Before the first cell is changed.
    const int64_t count = one ? 1 : static_cast<int64_t>(slices.size()) * inner;
    if (!slices.empty() && std::find(updates, updates + count, T(0)) != updates + count)
      throw invalid_argument("integer division by zero: `updates` holds a 0");
  }
  for (size_t i = 0; i < slices.size(); ++i) {
    for (int64_t k = 0; k < inner; ++k) {
      T& cell = cells[slices[i] * inner + k];
      const T& update = updates[one ? 0 : static_cast<int64_t>(i) * inner + k];
      if constexpr (std::is_same_v<F, Replace>) {
        cell = update;
      } else {
        using A = reference::Arithmetic<T>;
        cell = static_cast<T>(F::apply(A(cell), A(update)));
      }
    }
  }
}

template <class F>
KernelPtr make_tensor(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape = request.inputs[0].shape,
                        indices = IndexVectors(request, 1)](KernelContext& context) {
      T* to = context.output<T>();
      reference::copy_elements(kDTypeOf<T>, context.input_pointer(0), to, shape.num_elements());
      change<F>(to, indices.slices(context, shape), shape.slice(indices.depth()).num_elements(),
                context.input<T>(2), false);
    });
  });
}

// Elements of variables: numbers, and bools that are only replaced.
template <class F, class G>
KernelPtr visit_cells(DType dtype, G g) {
  return visit_dtype(dtype, [&]<class T>(TypeTag<T> tag) -> KernelPtr {
    if constexpr (std::is_same_v<T, std::string> ||
                  (std::is_same_v<T, bool> && !std::is_same_v<F, Replace>)) {
      return nullptr;
    } else {
      return g(tag);
    }
  });
}

void check_updates(const VariableState& variable, const Shape& updates, const Shape& expected) {
  if (updates != expected) {
    throw invalid_argument("updates have shape ", updates, ", but ", expected,
                           " is needed for variable `", variable.name, "` of shape ",
                           variable.value_shape);
  }
}

template <class F>
KernelPtr make_rows(Request request) {
  return visit_cells<F>(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([updates = request.inputs[2].shape,
                        indices = IndexInput(request, 1)](KernelContext& context) {
      VariableState& variable = context.variable(0);
      T* value = static_cast<T*>(writable_value(variable));
      const Shape& shape = variable.value_shape;
      if (shape.rank() < 1)
        throw invalid_argument("variable `", variable.name, "` is a scalar: it has no rows");
      const bool one = updates.rank() == 0;
      if (!one) check_updates(variable, updates, indices.shape().concat(shape.slice(1)));
      const Ints rows = indices.read(context);
      for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || rows[i] >= shape[0]) {
          throw indices.out_of_range(static_cast<int64_t>(i), rows[i], shape[0],
                                     str("the rows of variable `", variable.name, "`"));
        }
      }
      change<F>(value, rows, shape.slice(1).num_elements(), context.input<T>(2), one);
    });
  });
}

template <class F>
KernelPtr make_nd(Request request) {
  return visit_cells<F>(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([updates = request.inputs[2].shape, vectors = request.inputs[1].shape,
                        indices = IndexVectors(request, 1)](KernelContext& context) {
      VariableState& variable = context.variable(0);
      T* value = static_cast<T*>(writable_value(variable));
      const Shape& shape = variable.value_shape;
      if (indices.depth() > shape.rank())
        throw invalid_argument("index vectors of ", indices.depth(), " entries do not fit shape ",
                               shape, " of variable `", variable.name, "`");
      const Shape slice = shape.slice(indices.depth());
      check_updates(variable, updates, vectors.slice(0, vectors.rank() - 1).concat(slice));
      change<F>(value, indices.slices(context, shape), slice.num_elements(), context.input<T>(2),
                false);
    });
  });
}

KernelPtr make_gather_nd(Request request) {
  return make_kernel([vectors = request.inputs[1].shape, indices = IndexVectors(request, 1),
                      place = reference::OutputPlace(request, 0)](KernelContext& context) {
    const VariableState& variable = context.variable(0);
    check_initialized(variable);
    const Shape& shape = variable.value_shape;
    if (indices.depth() > shape.rank())
      throw invalid_argument("index vectors of ", indices.depth(), " entries do not fit shape ",
                             shape, " of variable `", variable.name, "`");
    const Shape slice = shape.slice(indices.depth());
    Ints starts = indices.slices(context, shape);
    for (int64_t& start : starts) start *= slice.num_elements();
    reference::gather_elements(
        variable.dtype, {starts, reference::evenly(0, 1, slice.num_elements())},
        variable.buffer->data(),
        place.memory(context, vectors.slice(0, vectors.rank() - 1).concat(slice)));
  });
}

// begin, end and strides (inputs 1, 2, 3) with the masks.
class SliceInputs {
 public:
  explicit SliceInputs(Request request)
      : begin_(request, 1), end_(request, 2), strides_(request, 3) {
    const Node& node = request.node;
    masks_ = {.begin = node.attr<int64_t>("begin_mask"),
              .end = node.attr<int64_t>("end_mask"),
              .ellipsis = node.attr<int64_t>("ellipsis_mask"),
              .new_axis = node.attr<int64_t>("new_axis_mask"),
              .shrink_axis = node.attr<int64_t>("shrink_axis_mask")};
  }

  // Where the elements of the slice lie in x; its shape must be `given`.
  Offsets offsets(const KernelContext& context, const Shape& x, const Shape& given) const {
    const auto known = [&](const IntsInput& input) {
      const Ints values = input.read(context);
      return std::vector<std::optional<int64_t>>(values.begin(), values.end());
    };
    const ResolvedSlice slice =
        resolve_strided_slice(x, known(begin_), known(end_), known(strides_), masks_);
    if (slice.shape != given) {
      throw invalid_argument("`value` has shape ", given, ", but that slice of ", x, " has shape ",
                             slice.shape);
    }
    const Ints strides = reference::row_major_strides(x);
    Offsets result;
    for (size_t i = 0; i < strides.size(); ++i) {
      const SliceRange& range = slice.ranges[i];
      result.push_back(
          reference::evenly(range.begin * strides[i], range.stride * strides[i], range.size));
    }
    return result;
  }

 private:
  IntsInput begin_;
  IntsInput end_;
  IntsInput strides_;
  StridedSliceMasks masks_;
};

KernelPtr make_slice_update(Request request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, given = request.inputs[4].shape,
                      inputs = SliceInputs(request)](KernelContext& context) {
    void* to = context.output_pointer(0);
    reference::copy_elements(dtype, context.input_pointer(0), to, shape.num_elements());
    reference::scatter_elements(dtype, inputs.offsets(context, shape, given),
                                context.input_pointer(4), to);
  });
}

KernelPtr make_slice_assign(Request request) {
  return make_kernel(
      [given = request.inputs[4].shape, inputs = SliceInputs(request)](KernelContext& context) {
        VariableState& variable = context.variable(0);
        void* to = writable_value(variable);
        reference::scatter_elements(variable.dtype,
                                    inputs.offsets(context, variable.value_shape, given),
                                    context.input_pointer(4), to);
      });
}

KernelPtr make_variable_shape(Request request) {
  return make_kernel([dtype = request.outputs[0].dtype,
                      place = reference::OutputPlace(request, 0)](KernelContext& context) {
    const VariableState& variable = context.variable(0);
    check_initialized(variable);
    const auto dims = variable.value_shape.dims();
    void* to = place.memory(context, Shape{static_cast<int64_t>(dims.size())});
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dtype == kInt64) {
        static_cast<int64_t*>(to)[i] = dims[i];
      } else {
        static_cast<int32_t*>(to)[i] = static_cast<int32_t>(dims[i]);
      }
    }
  });
}

KernelPtr make_destroy(Request request) {
  return make_kernel(
      [lenient = request.node.attr<bool>("ignore_lookup_error")](KernelContext& context) {
        VariableState& variable = context.variable(0);
        if (!lenient && !variable.initialized)
          throw not_found("variable `", variable.name, "` has no value to take away");
        variable.initialized = false;
        variable.buffer = nullptr;
      });
}

KernelPtr make_count_up(Request request) {
  return make_kernel([limit = request.node.attr<int64_t>("limit"),
                      dtype = request.outputs[0].dtype](KernelContext& context) {
    VariableState& variable = context.variable(0);
    if (variable.initialized && variable.value_shape.rank() != 0) {
      throw invalid_argument("variable `", variable.name, "` has shape ", variable.value_shape,
                             "; only a scalar is counted up");
    }
    const auto count = [&]<class T>(TypeTag<T>) {
      T& value = *static_cast<T*>(writable_value(variable));
      if (value >= limit)
        throw out_of_range("variable `", variable.name, "` has reached its limit ", limit);
      context.output<T>()[0] = value++;
    };
    if (dtype == kInt64) return count(TypeTag<int64_t>{});
    return count(TypeTag<int32_t>{});
  });
}

constexpr KernelDef kKernels[] = {
    {"TensorScatterSub", "reference", make_tensor<Subtract>},
    {"TensorScatterMin", "reference", make_tensor<Lower>},
    {"TensorScatterMax", "reference", make_tensor<Raise>},
    {"ScatterNdNonAliasingAdd", "reference", make_tensor<Add>},
    {"TensorStridedSliceUpdate", "reference", make_slice_update},
    {"ResourceScatterUpdate", "reference", make_rows<Replace>},
    {"ResourceScatterSub", "reference", make_rows<Subtract>},
    {"ResourceScatterMul", "reference", make_rows<Multiply>},
    {"ResourceScatterDiv", "reference", make_rows<Divide>},
    {"ResourceScatterMin", "reference", make_rows<Lower>},
    {"ResourceScatterMax", "reference", make_rows<Raise>},
    {"ResourceScatterNdUpdate", "reference", make_nd<Replace>},
    {"ResourceScatterNdAdd", "reference", make_nd<Add>},
    {"ResourceScatterNdSub", "reference", make_nd<Subtract>},
    {"ResourceScatterNdMin", "reference", make_nd<Lower>},
    {"ResourceScatterNdMax", "reference", make_nd<Raise>},
    {"ResourceGatherNd", "reference", make_gather_nd},
    {"ResourceStridedSliceAssign", "reference", make_slice_assign},
    {"VariableShape", "reference", make_variable_shape},
    {"DestroyResourceOp", "reference", make_destroy},
    {"ResourceCountUpTo", "reference", make_count_up},
};

}  // namespace

std::span<const KernelDef> reference_scatter_kernels() { return kKernels; }

}  // namespace thalweg
