#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/batches.h"
#include "kernels/reference/channels.h"
#include "thalweg/graph/einsum.h"

namespace thalweg {
namespace {

// One matrix operand: element (row, column) is at row * rows + column * columns.
struct Strides {
  int64_t row = 0;
  int64_t column = 0;
  bool conjugate = false;  // of complex elements
};

Strides matrix_strides(const Shape& shape, bool transposed, bool adjoint) {
  if (transposed) return {1, shape.dim(-1), adjoint};
  return {shape.dim(-1), 1};
}

template <class T>
Accumulator<T> element(const T* matrix, Strides s, int64_t row, int64_t column) {
  const Accumulator<T> value = widen(matrix[row * s.row + column * s.column]);
  if constexpr (kIsComplex<T>) {
    return s.conjugate ? std::conj(value) : value;
  } else {
    return value;
  }
}

template <class T>
void multiply(const T* a, Strides sa, const T* b, Strides sb, int64_t m, int64_t k, int64_t n,
              T* out) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Accumulator<T> sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += element(a, sa, i, p) * element(b, sb, p, j);
      }
      out[i * n + j] = narrow<T>(sum);
    }
  }
}

KernelPtr make_product(const KernelRequest& request, bool transpose_a, bool transpose_b,
                       bool adjoint) {
  const Shape a = request.inputs[0].shape;
  const Shape b = request.inputs[1].shape;
  const Shape out = request.outputs[0].shape;
  const Strides sa = matrix_strides(a, transpose_a, adjoint);
  const Strides sb = matrix_strides(b, transpose_b, adjoint);
  const int64_t m = out.dim(-2);
  const int64_t n = out.dim(-1);
  const int64_t k = a.dim(transpose_a ? -2 : -1);
  const int64_t a_size = a.dim(-1) * a.dim(-2);
  const int64_t b_size = b.dim(-1) * b.dim(-2);
  return visit_numbers_and_complex(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, a_offsets = batch_offsets(a, out),
                        b_offsets = batch_offsets(b, out)](KernelContext& c) {
      for (size_t i = 0; i < a_offsets.size(); ++i) {
        multiply(c.input<T>(0) + a_offsets[i] * a_size, sa, c.input<T>(1) + b_offsets[i] * b_size,
                 sb, m, k, n, c.output<T>() + static_cast<int64_t>(i) * m * n);
      }
    });
  });
}

KernelPtr make_matmul(const KernelRequest& request) {
  return make_product(request, request.node.attr<bool>("transpose_a"),
                      request.node.attr<bool>("transpose_b"), false);
}

KernelPtr make_batch_matmul(const KernelRequest& request) {
  return make_product(request, request.node.attr<bool>("adj_x"), request.node.attr<bool>("adj_y"),
                      true);
}

// The loops of an equation, with the step that each makes through each operand.
struct Contraction {
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> steps;  // [operand][loop]
  size_t outputs = 0;
};

Contraction make_contraction(const KernelRequest& request) {
  std::vector<Shape> shapes;
  for (const TensorSpec& input : request.inputs) shapes.push_back(input.shape);
  const EinsumLoops loops = einsum_loops(
      parse_einsum(request.node.attr<std::string>("equation"), static_cast<int>(shapes.size())),
      shapes);
  Contraction result{.extents = loops.extents, .outputs = static_cast<size_t>(loops.outputs)};
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::vector<int64_t>& steps = result.steps.emplace_back(loops.extents.size(), 0);
    int64_t step = 1;
    for (int d = shapes[i].rank() - 1; d >= 0; --d) {
      const int loop = loops.inputs[i][static_cast<size_t>(d)];
      if (loop >= 0) steps[static_cast<size_t>(loop)] += step;
      step *= shapes[i][d];
    }
  }
  return result;
}

// The sum over the loops from `loop` on of the products of the operands at `offsets`.
template <class T>
Accumulator<T> contract(const Contraction& contraction, const KernelContext& c,
                        std::vector<int64_t>& offsets, size_t loop) {
  if (loop == contraction.extents.size()) {
    Accumulator<T> product = 1;
    for (size_t i = 0; i < offsets.size(); ++i)
      product *= widen(c.input<T>(static_cast<int>(i))[offsets[i]]);
    return product;
  }
  Accumulator<T> sum = 0;
  for (int64_t k = 0; k < contraction.extents[loop]; ++k) {
    sum += contract<T>(contraction, c, offsets, loop + 1);
    for (size_t i = 0; i < offsets.size(); ++i) offsets[i] += contraction.steps[i][loop];
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] -= contraction.steps[i][loop] * contraction.extents[loop];
  }
  return sum;
}

template <class T>
void write_outputs(const Contraction& contraction, const KernelContext& c,
                   std::vector<int64_t>& offsets, size_t loop, T*& out) {
  if (loop == contraction.outputs) {
    *out++ = narrow<T>(contract<T>(contraction, c, offsets, loop));
    return;
  }
  for (int64_t k = 0; k < contraction.extents[loop]; ++k) {
    write_outputs(contraction, c, offsets, loop + 1, out);
    for (size_t i = 0; i < offsets.size(); ++i) offsets[i] += contraction.steps[i][loop];
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] -= contraction.steps[i][loop] * contraction.extents[loop];
  }
}

KernelPtr make_einsum(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([contraction = make_contraction(request)](KernelContext& c) {
      std::vector<int64_t> offsets(contraction.steps.size(), 0);
      T* out = c.output<T>();
      write_outputs(contraction, c, offsets, 0, out);
    });
  });
}

KernelPtr make_bias_add(const KernelRequest& request) {
  const Channels size =
      channels_of(request.inputs[0].shape, request.node.attr<std::string>("data_format"));
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    const auto compute = [size](KernelContext& c) {
      const T* value = c.input<T>(0);
      const T* bias = c.input<T>(1);
      T* out = c.output<T>();
      for (int64_t ch = 0; ch < size.channels; ++ch) {
        size.for_each(ch,
                      [=](int64_t i) { out[i] = narrow<T>(widen(value[i]) + widen(bias[ch])); });
      }
    };
    return make_kernel(compute, {.in_place = {{0, 0}}});
  });
}

KernelPtr make_bias_add_grad(const KernelRequest& request) {
  const Channels size =
      channels_of(request.inputs[0].shape, request.node.attr<std::string>("data_format"));
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([size](KernelContext& c) {
      const T* gradient = c.input<T>(0);
      for (int64_t ch = 0; ch < size.channels; ++ch) {
        Accumulator<T> sum = 0;
        size.for_each(ch, [&sum, gradient](int64_t i) { sum += widen(gradient[i]); });
        c.output<T>()[ch] = narrow<T>(sum);
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"MatMul", "reference", make_matmul},
    {"BatchMatMulV2", "reference", make_batch_matmul},
    {"Einsum", "reference", make_einsum},
    {"BiasAdd", "reference", make_bias_add},
    {"BiasAddGrad", "reference", make_bias_add_grad},
};

}  // namespace

std::span<const KernelDef> reference_linalg_kernels() { return kKernels; }

}  // namespace thalweg
