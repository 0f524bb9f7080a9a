#include "kernels/reference/elementwise.h"

#include <array>
#include <span>

namespace thalweg::reference {
namespace {

struct Operand {
  int64_t element_bytes = 0;
  std::array<int64_t, Shape::kMaxRank>
      steps{};  // cells that one step along each dimension of the output moves
};

int64_t element_bytes(DType dtype) {
  return static_cast<int64_t>(dtype == kString ? sizeof(std::string) : element_size(dtype));
}

class Elementwise final : public Kernel {
 public:
  Elementwise(const KernelRequest& request, std::span<const Shape> shapes, RowLoop loop,
              double parameter, KernelTraits traits)
      : Kernel(std::move(traits)), loop_(loop), parameter_(parameter) {
    const Shape& out = request.outputs[0].shape;
    rank_ = out.rank();
    for (int i = 0; i < rank_; ++i) dims_[static_cast<size_t>(i)] = out[i];
    output_bytes_ = element_bytes(request.outputs[0].dtype);
    for (size_t k = 0; k < shapes.size(); ++k) {
      Operand operand{.element_bytes = element_bytes(request.inputs[k].dtype)};
      int64_t step = 1;
      for (int i = shapes[k].rank() - 1; i >= 0; --i) {
        operand.steps[static_cast<size_t>(i + rank_ - shapes[k].rank())] =
            shapes[k][i] == 1 ? 0 : step;
        step *= shapes[k][i];
      }
      operands_.push_back(operand);
    }
    merge_dims();
  }

  void compute(KernelContext& context) const override {
    // The last dimension is the row; the others count like an odometer.
    const size_t row = static_cast<size_t>(rank_ - 1);
    int64_t rows = 1;
    for (size_t d = 0; d < row; ++d) rows *= dims_[d];
    if (dims_[row] == 0) return;
    std::array<int64_t, Shape::kMaxRank> position{};
    std::array<const void*, kMaxOperands> pointers{};
    std::array<int64_t, kMaxOperands> steps{};
    for (size_t k = 0; k < operands_.size(); ++k) steps[k] = operands_[k].steps[row];
    char* output = static_cast<char*>(context.output_pointer(0));
    for (int64_t r = 0; r < rows; ++r) {
      for (size_t k = 0; k < operands_.size(); ++k) {
        int64_t offset = 0;
        for (size_t d = 0; d < row; ++d) offset += position[d] * operands_[k].steps[d];
        pointers[k] = static_cast<const char*>(context.input_pointer(static_cast<int>(k))) +
                      offset * operands_[k].element_bytes;
      }
      loop_(pointers.data(), steps.data(), output, dims_[row], parameter_);
      output += dims_[row] * output_bytes_;
      for (size_t d = row; d-- > 0;) {
        if (++position[d] < dims_[d]) break;
        position[d] = 0;
      }
    }
  }

  static constexpr size_t kMaxOperands = 3;

 private:
  // Joins neighbouring dimensions that every operand walks through as one, so that equal shapes
  // make a single row.
  void merge_dims() {
    int kept = 0;
    for (int d = 0; d < rank_; ++d) {
      const auto from = static_cast<size_t>(d);
      auto to = static_cast<size_t>(kept);
      if (kept > 0 && joins(to - 1, from)) {
        dims_[--to] *= dims_[from];
      } else {
        dims_[to] = dims_[from];
        ++kept;
      }
      for (Operand& operand : operands_) operand.steps[to] = operand.steps[from];
    }
    if (kept == 0) {
      dims_[0] = 1;
      kept = 1;
    }
    rank_ = kept;
  }
  bool joins(size_t outer, size_t inner) const {
    for (const Operand& operand : operands_) {
      if (operand.steps[outer] != operand.steps[inner] * dims_[inner]) return false;
    }
    return true;
  }

  RowLoop loop_;
  double parameter_;
  int rank_ = 0;
  std::array<int64_t, Shape::kMaxRank> dims_{};
  int64_t output_bytes_ = 0;
  std::vector<Operand> operands_;
};

}  // namespace

KernelPtr make_elementwise(const KernelRequest& request, std::vector<Shape> shapes, RowLoop loop,
                           double parameter) {
  THALWEG_CHECK(shapes.size() <= Elementwise::kMaxOperands);
  KernelTraits traits;
  for (size_t k = 0; k < shapes.size(); ++k) {
    // Each cell is read before the one at the same place is written.
    if (request.inputs[k].dtype == request.outputs[0].dtype &&
        shapes[k] == request.outputs[0].shape) {
      traits.in_place.push_back({static_cast<int>(k), 0});
    }
  }
  return std::make_unique<Elementwise>(request, shapes, loop, parameter, std::move(traits));
}

KernelPtr make_elementwise(const KernelRequest& request, RowLoop loop, double parameter) {
  std::vector<Shape> shapes;
  for (const TensorSpec& input : request.inputs) shapes.push_back(input.shape);
  return make_elementwise(request, std::move(shapes), loop, parameter);
}

}  // namespace thalweg::reference
