#include <cstring>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/variable_access.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

KernelPtr make_var_handle(const KernelRequest&) {
  // The session hands the state itself to whoever takes the handle. DisableCopyOnRead has nothing
  // to do either.
  return make_kernel([](KernelContext&) {});
}

KernelPtr make_read(const KernelRequest& request) {
  const Shape expected = request.outputs[0].shape;
  return make_kernel([expected](KernelContext& c) {
    const VariableState& variable = c.variable(0);
    check_initialized(variable);
    const size_t bytes =
        static_cast<size_t>(variable.value_shape.num_elements()) * element_size(variable.dtype);
    if (expected == variable.value_shape && variable.dtype == kString) {
      const auto* strings = static_cast<const std::string*>(variable.buffer->data());
      std::copy_n(strings, expected.num_elements(), c.output<std::string>(0));
    } else if (expected == variable.value_shape) {
      if (bytes != 0) std::memcpy(c.output_pointer(0), variable.buffer->data(), bytes);
    } else {
      c.set_output(0, Tensor::share(variable.dtype, variable.value_shape, variable.buffer).clone());
    }
  });
}

KernelPtr make_is_initialized(const KernelRequest&) {
  return make_kernel([](KernelContext& c) { c.output<bool>()[0] = c.variable(0).initialized; });
}

KernelPtr make_assign(const KernelRequest& request) {
  return make_kernel([shape = request.inputs[1].shape](KernelContext& c) {
    VariableState& variable = c.variable(0);
    if (!shape.is_compatible_with(variable.shape)) {
      throw invalid_argument("variable `", variable.name, "` has shape ", variable.shape,
                             ", the value ", shape);
    }
    set_plain_value(variable, shape, c.input_pointer(1));
  });
}

void check_value_shape(const VariableState& variable, const Shape& shape) {
  if (variable.value_shape != shape) {
    throw invalid_argument("variable `", variable.name, "` has shape ", variable.value_shape,
                           ", the operand ", shape);
  }
}

template <int kSign>
KernelPtr make_assign_add(const KernelRequest& request) {
  const Shape shape = request.inputs[1].shape;
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape](KernelContext& c) {
      T* value = static_cast<T*>(writable_value(c.variable(0)));
      check_value_shape(c.variable(0), shape);
      const T* delta = c.input<T>(1);
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        value[i] = narrow<T>(kSign > 0 ? widen(value[i]) + widen(delta[i])
                                       : widen(value[i]) - widen(delta[i]));
      }
    });
  });
}

// Calls f(position, row) for each index, checked.
template <class I, class F>
void for_each_row(const VariableState& variable, const I* indices, int64_t count, F f) {
  if (variable.value_shape.rank() < 1) {
    throw invalid_argument("variable `", variable.name, "` is a scalar: it has no rows");
  }
  const int64_t rows = variable.value_shape[0];
  for (int64_t i = 0; i < count; ++i) {
    const auto row = static_cast<int64_t>(indices[i]);
    if (row < 0 || row >= rows) {
      throw invalid_argument("indices[", i, "] is ", row, ", outside [0, ", rows,
                             "), the rows of variable `", variable.name, "`");
    }
    f(i, row);
  }
}

// The variable as [batch, rows, inner], the indices as [batch, count].
template <class I>
KernelPtr make_gather_of(const KernelRequest& request) {
  const Shape indices = request.inputs[1].shape;
  const Shape expected = request.outputs[0].shape;
  const auto batch_dims = static_cast<int>(request.node.attr<int64_t>("batch_dims"));
  return make_kernel([=](KernelContext& c) {
    const VariableState& variable = c.variable(0);
    check_initialized(variable);
    const Shape& table = variable.value_shape;
    if (table.rank() <= batch_dims || table.slice(0, batch_dims) != indices.slice(0, batch_dims)) {
      throw invalid_argument("variable `", variable.name, "` of shape ", table,
                             " has no rows for indices of shape ", indices);
    }
    const Shape shape = indices.concat(table.slice(batch_dims + 1));
    const int64_t rows = table[batch_dims];
    const int64_t count = indices.slice(batch_dims).num_elements();
    const size_t row_bytes = static_cast<size_t>(table.slice(batch_dims + 1).num_elements()) *
                             element_size(variable.dtype);
    Tensor made;
    if (shape != expected) made = Tensor(variable.dtype, shape);
    char* out = static_cast<char*>(made.is_valid() ? made.mutable_raw() : c.output_pointer(0));
    const char* value = static_cast<const char*>(variable.buffer->data());
    const I* picked = c.input<I>(1);
    const int64_t grain = 1 + (int64_t{1} << 15) / static_cast<int64_t>(row_bytes + 16);
    parallel_for(indices.num_elements(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto row = static_cast<int64_t>(picked[i]);
        if (row < 0 || row >= rows) {
          throw invalid_argument("index ", row, " at position ", i, " is outside [0, ", rows,
                                 "): variable `", variable.name, "` has shape ", table);
        }
        std::memcpy(out + static_cast<size_t>(i) * row_bytes,
                    value + static_cast<size_t>(i / count * rows + row) * row_bytes, row_bytes);
      }
    });
    if (made.is_valid()) c.set_output(0, std::move(made));
  });
}

KernelPtr make_gather(const KernelRequest& request) {
  return request.inputs[1].dtype == kInt32 ? make_gather_of<int32_t>(request)
                                           : make_gather_of<int64_t>(request);
}

template <class T, class I>
KernelPtr make_scatter_add_of(const KernelRequest& request) {
  const Shape indices = request.inputs[1].shape;
  const Shape updates = request.inputs[2].shape;
  return make_kernel([=](KernelContext& c) {
    VariableState& variable = c.variable(0);
    T* value = static_cast<T*>(writable_value(variable));
    const T* update = c.input<T>(2);
    const bool one = updates.rank() == 0;
    if (variable.value_shape.rank() < 1)
      throw invalid_argument("variable `", variable.name, "` is a scalar: it has no rows");
    const Shape expected = indices.concat(variable.value_shape.slice(1));
    if (!one && updates != expected) {
      throw invalid_argument("updates have shape ", updates, ", but ", expected,
                             " is needed for variable `", variable.name, "`");
    }
    const int64_t row_size = variable.value_shape.slice(1).num_elements();
    for_each_row(variable, c.input<I>(1), indices.num_elements(), [=](int64_t i, int64_t row) {
      for (int64_t k = 0; k < row_size; ++k) {
        T& cell = value[row * row_size + k];
        cell = narrow<T>(widen(cell) + widen(one ? update[0] : update[i * row_size + k]));
      }
    });
  });
}

KernelPtr make_scatter_add(const KernelRequest& request) {
  return visit_numbers(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return request.inputs[1].dtype == kInt32 ? make_scatter_add_of<T, int32_t>(request)
                                             : make_scatter_add_of<T, int64_t>(request);
  });
}

constexpr KernelDef kKernels[] = {
    {"VarHandleOp", "reference", make_var_handle},
    {"ReadVariableOp", "reference", make_read},
    {"VarIsInitializedOp", "reference", make_is_initialized},
    {"DisableCopyOnRead", "reference", make_var_handle},
    {"AssignVariableOp", "reference", make_assign},
    {"AssignAddVariableOp", "reference", make_assign_add<1>},
    {"AssignSubVariableOp", "reference", make_assign_add<-1>},
    {"ResourceGather", "reference", make_gather},
    {"ResourceScatterAdd", "reference", make_scatter_add},
};

}  // namespace

std::span<const KernelDef> reference_state_kernels() { return kKernels; }

}  // namespace thalweg
