#include <algorithm>
#include <optional>

#include "kernels/families.h"
#include "kernels/reference/elements.h"

namespace thalweg {
namespace {

using reference::copy_elements;
using reference::element_at;
using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using Request = const KernelRequest&;

// Where the cells of a matrix stand in its packed diagonals.
struct Packing {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t length = 0;  // of a packed row: the longest diagonal
  bool left_above = true;
  bool left_below = true;

  int64_t diagonals() const { return upper - lower + 1; }
  int64_t packed_size() const { return diagonals() * length; }
  int64_t length_of(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0), columns - std::max<int64_t>(d, 0));
  }
  // Of the cell (i, j), or nothing outside the band.
  std::optional<int64_t> place(int64_t i, int64_t j) const {
    const int64_t d = j - i;
    if (d < lower || d > upper) return std::nullopt;
    const bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    const int64_t offset = left ? 0 : length - length_of(d);
    return (upper - d) * length + offset + j - std::max<int64_t>(d, 0);
  }
};

// k, as an input or the main diagonal alone, and how diagonals are aligned.
class Diagonals {
 public:
  Diagonals(Request request, int input) {
    if (input < static_cast<int>(request.inputs.size())) k_.emplace(request, input);
    if (request.node.op().find_attr("align") != nullptr)
      align_ = request.node.attr<std::string>("align");
  }
  Packing read(const KernelContext& context) const {
    Packing packing;
    packing.left_above = align_.starts_with("LEFT");
    packing.left_below = align_.ends_with("LEFT");
    if (!k_) return packing;
    const Ints k = k_->read(context);
    if (k.empty() || k.size() > 2 || k.front() > k.back())
      throw invalid_argument("`k` must be a diagonal or a rising pair of them, got ", k);
    packing.lower = k.front();
    packing.upper = k.back();
    return packing;
  }

 private:
  std::optional<IntsInput> k_;
  std::string align_ = "LEFT_LEFT";
};

void fit(Packing& packing, const Shape& x) {
  packing.rows = x.dim(-2);
  packing.columns = x.dim(-1);
  const auto outside = [&](int64_t d) {
    return d != 0 && (d <= -packing.rows || d >= packing.columns);
  };
  if (outside(packing.lower) || outside(packing.upper)) {
    throw invalid_argument("`k` [", packing.lower, ", ", packing.upper,
                           "] is outside matrices of shape ", x);
  }
  packing.length = std::min(packing.rows + std::min<int64_t>(packing.upper, 0),
                            packing.columns - std::max<int64_t>(packing.lower, 0));
}

Shape packed_shape(const Packing& packing, const Shape& batch) {
  const Shape rows = packing.lower == packing.upper ? Shape{} : Shape{packing.diagonals()};
  return batch.concat(rows).concat(Shape{packing.length});
}

KernelPtr make_diag(Request request) {
  const TensorSpec& diagonal = request.inputs[0];
  if (!reference::has_elements(diagonal.dtype)) return nullptr;
  const bool first = request.inputs.size() == 1;
  return make_kernel([first, dtype = diagonal.dtype, shape = diagonal.shape,
                      diagonals = Diagonals(request, 1), rows = IntsInput(request, first ? 0 : 2),
                      columns = IntsInput(request, first ? 0 : 3),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    Packing packing = diagonals.read(context);
    packing.length = shape.dim(-1);
    const int64_t low_m = packing.length - std::min<int64_t>(packing.upper, 0);
    const int64_t low_n = packing.length + std::max<int64_t>(packing.lower, 0);
    const int64_t m = first ? -1 : rows.read_one(context);
    const int64_t n = first ? -1 : columns.read_one(context);
    packing.rows = m != -1 ? m : n != -1 ? low_m : std::max(low_m, low_n);
    packing.columns = n != -1 ? n : m != -1 ? low_n : std::max(low_m, low_n);
    const bool many = packing.lower != packing.upper;
    if (packing.rows < low_m || packing.columns < low_n ||
        (packing.rows != low_m && packing.columns != low_n) ||
        (many && (shape.rank() < 2 || shape.dim(-2) != packing.diagonals()))) {
      throw invalid_argument("diagonals of shape ", shape, " do not fit a matrix of ", packing.rows,
                             " rows and ", packing.columns, " columns");
    }
    const Shape batch = shape.slice(0, shape.rank() - (many ? 2 : 1));
    void* to = place.memory(context, batch.concat(Shape{packing.rows, packing.columns}));
    const int64_t cells = packing.rows * packing.columns;
    if (first) {
      reference::zero_elements(dtype, to, batch.num_elements() * cells);
    } else {
      reference::fill_elements(dtype, context.input_pointer(4), to, batch.num_elements() * cells);
    }
    for (int64_t b = 0; b < batch.num_elements(); ++b) {
      for (int64_t cell = 0; cell < cells; ++cell) {
        const auto at = packing.place(cell / packing.columns, cell % packing.columns);
        if (!at) continue;
        copy_elements(dtype,
                      element_at(dtype, context.input_pointer(0), b * packing.packed_size() + *at),
                      element_at(dtype, to, b * cells + cell), 1);
      }
    }
  });
}

KernelPtr make_diag_part(Request request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, diagonals = Diagonals(request, 1),
                      padded = request.inputs.size() > 2,
                      place = OutputPlace(request, 0)](KernelContext& context) {
    Packing packing = diagonals.read(context);
    fit(packing, shape);
    const Shape batch = shape.slice(0, shape.rank() - 2);
    void* to = place.memory(context, packed_shape(packing, batch));
    if (padded) {
      reference::fill_elements(dtype, context.input_pointer(2), to,
                               batch.num_elements() * packing.packed_size());
    }
    const int64_t cells = packing.rows * packing.columns;
    for (int64_t i = 0; i < batch.num_elements() * cells; ++i) {
      const int64_t cell = i % cells;
      const auto at = packing.place(cell / packing.columns, cell % packing.columns);
      if (!at) continue;
      copy_elements(dtype, element_at(dtype, context.input_pointer(0), i),
                    element_at(dtype, to, i / cells * packing.packed_size() + *at), 1);
    }
  });
}

KernelPtr make_set_diag(Request request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, given = request.inputs[1].shape,
                      diagonals = Diagonals(request, 2)](KernelContext& context) {
    Packing packing = diagonals.read(context);
    fit(packing, shape);
    const Shape expected = packed_shape(packing, shape.slice(0, shape.rank() - 2));
    if (given != expected)
      throw invalid_argument("`diagonal` has shape ", given, ", expected ", expected);
    void* to = context.output_pointer(0);
    copy_elements(dtype, context.input_pointer(0), to, shape.num_elements());
    const int64_t cells = packing.rows * packing.columns;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const int64_t cell = i % cells;
      const auto at = packing.place(cell / packing.columns, cell % packing.columns);
      if (!at) continue;
      copy_elements(
          dtype,
          element_at(dtype, context.input_pointer(1), i / cells * packing.packed_size() + *at),
          element_at(dtype, to, i), 1);
    }
  });
}

KernelPtr make_band_part(Request request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape, below = IntsInput(request, 1),
                      above = IntsInput(request, 2)](KernelContext& context) {
    const int64_t lower = below.read_one(context), upper = above.read_one(context);
    const int64_t m = shape.dim(-2), n = shape.dim(-1);
    if (lower > m || upper > n) {
      throw invalid_argument("a band of ", lower, " diagonals below and ", upper,
                             " above does not fit matrices of shape ", shape);
    }
    void* to = context.output_pointer(0);
    copy_elements(dtype, context.input_pointer(0), to, shape.num_elements());
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const int64_t row = i / n % m, column = i % n;
      if ((lower >= 0 && row - column > lower) || (upper >= 0 && column - row > upper))
        reference::zero_elements(dtype, element_at(dtype, to, i), 1);
    }
  });
}

KernelPtr make_tensor_diag(Request request) {
  const TensorSpec& x = request.inputs[0];
  return make_kernel([dtype = x.dtype, size = x.shape.num_elements()](KernelContext& context) {
    void* to = context.output_pointer(0);
    reference::zero_elements(dtype, to, size * size);
    reference::scatter_elements(dtype, {reference::evenly(0, size + 1, size)},
                                context.input_pointer(0), to);
  });
}

KernelPtr make_tensor_diag_part(Request request) {
  const Shape& shape = request.inputs[0].shape;
  return make_kernel(
      [dtype = request.inputs[0].dtype,
       size = shape.slice(0, shape.rank() / 2).num_elements()](KernelContext& context) {
        reference::gather_elements(dtype, {reference::evenly(0, size + 1, size)},
                                   context.input_pointer(0), context.output_pointer(0));
      });
}

constexpr KernelDef kKernels[] = {
    {"MatrixDiag", "reference", make_diag},
    {"BatchMatrixDiag", "reference", make_diag},
    {"MatrixDiagV2", "reference", make_diag},
    {"MatrixDiagV3", "reference", make_diag},
    {"MatrixDiagPart", "reference", make_diag_part},
    {"BatchMatrixDiagPart", "reference", make_diag_part},
    {"MatrixDiagPartV2", "reference", make_diag_part},
    {"MatrixDiagPartV3", "reference", make_diag_part},
    {"MatrixSetDiag", "reference", make_set_diag},
    {"BatchMatrixSetDiag", "reference", make_set_diag},
    {"MatrixSetDiagV2", "reference", make_set_diag},
    {"MatrixSetDiagV3", "reference", make_set_diag},
    {"MatrixBandPart", "reference", make_band_part},
    {"BatchMatrixBandPart", "reference", make_band_part},
    {"Diag", "reference", make_tensor_diag},
    {"DiagPart", "reference", make_tensor_diag_part},
};

}  // namespace

std::span<const KernelDef> reference_diagonal_kernels() { return kKernels; }

}  // namespace thalweg
