// Matrices of a batch as Eigen's, in double precision whatever the dtype: what the kernels of
// decompositions share.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "kernels/reference/batches.h"
#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

template <class S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// How the matrices of one input or output lie.
struct MatrixLayout {
  DType dtype = kInvalid;
  int64_t rows = 1;
  int64_t columns = 1;
  std::vector<int64_t> numbers;  // of inputs: which matrix belongs to a batch entry
};

/// The matrices of one entry of the batch.
template <class S>
class MatrixBatch {
 public:
  MatrixBatch(KernelContext& context, const std::vector<MatrixLayout>& inputs,
              const std::vector<MatrixLayout>& outputs, int64_t entry)
      : context_(context), inputs_(inputs), outputs_(outputs), entry_(entry) {}

  Matrix<S> in(int i) const {
    const MatrixLayout& layout = inputs_[static_cast<size_t>(i)];
    Matrix<S> matrix(layout.rows, layout.columns);
    const int64_t count = matrix.size();
    const auto* data = static_cast<const char*>(context_.input_pointer(i));
    const int64_t first = layout.numbers[static_cast<size_t>(entry_)] * count;
    convert_elements(layout.dtype, data + first * static_cast<int64_t>(element_size(layout.dtype)),
                     kDTypeOf<S>, matrix.data(), count);
    return matrix;
  }
  /// Throws internal_error when the size is not the output's.
  template <class Expression>
  void set(int i, const Expression& value) {
    using T = typename Expression::Scalar;
    const MatrixLayout& layout = outputs_[static_cast<size_t>(i)];
    const Matrix<T> matrix = value;
    THALWEG_CHECK(matrix.size() == layout.rows * layout.columns);
    auto* data = static_cast<char*>(context_.output_pointer(i));
    const int64_t size = static_cast<int64_t>(element_size(layout.dtype)) * matrix.size();
    convert_elements(kDTypeOf<T>, matrix.data(), layout.dtype, data + entry_ * size, matrix.size());
  }
  void set_scalar(int i, S value) { set(i, Matrix<S>::Constant(1, 1, value)); }

 private:
  KernelContext& context_;
  const std::vector<MatrixLayout>& inputs_;
  const std::vector<MatrixLayout>& outputs_;
  int64_t entry_;
};

/// Whether the batch of `spec` holds matrices (or vectors, or scalars) of `rank` dimensions.
inline MatrixLayout matrix_layout(const TensorSpec& spec, int rank) {
  MatrixLayout layout{.dtype = spec.dtype};
  if (rank >= 1) layout.rows = spec.shape.dim(-rank);
  if (rank >= 2) layout.columns = spec.shape.dim(-1);
  return layout;
}

/// A kernel that calls body(MatrixBatch<S>&) for each entry, S being complex when the first input
/// is. `output_ranks` tells whether outputs are matrices (2), vectors (1) or scalars (0); inputs
/// beyond `matrix_inputs` are none. Null for dtypes that are neither real nor complex numbers.
template <class Body>
KernelPtr make_matrix_kernel(const KernelRequest& request, std::vector<int> output_ranks,
                             size_t matrix_inputs, Body body) {
  const DType dtype = request.inputs[0].dtype;
  if (!is_floating(dtype) && !is_complex(dtype)) return nullptr;
  Shape batch;
  for (size_t i = 0; i < matrix_inputs; ++i)
    batch = broadcast(batch, request.inputs[i].shape.slice(0, -2));
  std::vector<MatrixLayout> inputs, outputs;
  for (size_t i = 0; i < matrix_inputs; ++i) {
    inputs.push_back(matrix_layout(request.inputs[i], 2));
    inputs.back().numbers = batch_offsets(request.inputs[i].shape, batch.concat(Shape{1, 1}));
  }
  for (size_t i = 0; i < output_ranks.size(); ++i)
    outputs.push_back(matrix_layout(request.outputs[i], output_ranks[i]));
  const auto make = [&]<class S>(TypeTag<S>) {
    return make_kernel([=, entries = batch.num_elements()](KernelContext& context) {
      for (int64_t entry = 0; entry < entries; ++entry) {
        MatrixBatch<S> matrices(context, inputs, outputs, entry);
        body(context, matrices);
      }
    });
  };
  return is_complex(dtype) ? make(TypeTag<std::complex<double>>{}) : make(TypeTag<double>{});
}

}  // namespace thalweg::reference
