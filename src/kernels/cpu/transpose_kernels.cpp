// Transpose where it amounts to turning matrices or to copying runs of neighbours.
#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/cpu/transpose.h"
#include "kernels/families.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kBytesIn5Microseconds = 1 << 15;

// A transposition of the least rank: dimensions of 1 are gone, and those that stay neighbours are
// one.
struct Movement {
  std::vector<int64_t> dims;  // of the input
  std::vector<size_t> perm;
};

std::optional<Movement> least_movement(const Shape& shape, const Tensor& perm) {
  const auto rank = static_cast<int64_t>(shape.rank());
  if (perm.num_elements() != rank) return std::nullopt;
  std::vector<int64_t> order;  // as the perm says, without dimensions of 1
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int64_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<int64_t>(perm.at(i));
    // What is wrong is for the reference to tell.
    if (axis < 0 || axis >= rank || seen[static_cast<size_t>(axis)]) return std::nullopt;
    seen[static_cast<size_t>(axis)] = true;
    if (shape[static_cast<int>(axis)] != 1) order.push_back(axis);
  }
  std::vector<int64_t> kept = order;
  std::sort(kept.begin(), kept.end());
  const auto place = [&](int64_t axis) {
    return static_cast<size_t>(std::find(kept.begin(), kept.end(), axis) - kept.begin());
  };
  // Runs of neighbours, each named by the place of its first dimension.
  std::vector<size_t> firsts;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t size = shape[static_cast<int>(order[i])];
    if (i > 0 && place(order[i]) == place(order[i - 1]) + 1) {
      sizes.back() *= size;
    } else {
      firsts.push_back(place(order[i]));
      sizes.push_back(size);
    }
  }
  Movement result;
  std::vector<size_t> sorted = firsts;
  std::sort(sorted.begin(), sorted.end());
  result.dims.resize(firsts.size());
  for (size_t i = 0; i < firsts.size(); ++i) {
    const auto axis =
        static_cast<size_t>(std::find(sorted.begin(), sorted.end(), firsts[i]) - sorted.begin());
    result.perm.push_back(axis);
    result.dims[axis] = sizes[i];
  }
  return result;
}

// [batch, rows, columns] to [batch, columns, rows].
KernelPtr turn(int64_t batch, int64_t rows, int64_t columns, int element_size) {
  const int64_t bytes = rows * columns * element_size;
  return make_kernel([=](KernelContext& context) {
    const auto* x = static_cast<const char*>(context.input_pointer(0));
    auto* y = static_cast<char*>(context.output_pointer(0));
    if (batch == 1) {
      const int64_t grain = std::max<int64_t>(
          16, kBytesIn5Microseconds / std::max<int64_t>(columns * element_size, 1) / 16 * 16);
      parallel_for(rows, grain, [=](int64_t begin, int64_t end) {
        simd::transpose_rows(x, y, element_size, rows, columns, begin, end);
      });
      return;
    }
    parallel_for(batch, std::max<int64_t>(1, kBytesIn5Microseconds / std::max<int64_t>(bytes, 1)),
                 [=](int64_t begin, int64_t end) {
                   simd::transpose(x + begin * bytes, y + begin * bytes, element_size, end - begin,
                                   rows, columns);
                 });
  });
}

// The last dimension stays the last: its rows are copied one by one, in the order of the result.
KernelPtr copy_rows(const Movement& movement, int64_t element_size) {
  const size_t outer = movement.dims.size() - 1;
  const int64_t bytes = movement.dims[outer] * element_size;
  std::vector<int64_t> source(outer);  // the step of each dimension of the input
  int64_t count = 1;
  for (size_t i = outer; i-- > 0;) {
    source[i] = count * bytes;
    count *= movement.dims[i];
  }
  std::vector<int64_t> dims, steps;
  for (size_t i = 0; i < outer; ++i) {
    dims.push_back(movement.dims[movement.perm[i]]);
    steps.push_back(source[movement.perm[i]]);
  }
  return make_kernel([=](KernelContext& context) {
    const auto* x = static_cast<const char*>(context.input_pointer(0));
    auto* y = static_cast<char*>(context.output_pointer(0));
    const int64_t inner = dims.back(), step = steps.back();
    const int64_t lines = inner == 0 ? 0 : count / inner;
    const int64_t grain = kBytesIn5Microseconds / std::max<int64_t>(inner * bytes, 1);
    parallel_for(lines, std::max<int64_t>(1, grain), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const char* from = x;
        int64_t rest = line;
        for (size_t i = dims.size() - 1; i-- > 0;) {
          from += rest % dims[i] * steps[i];
          rest /= dims[i];
        }
        char* to = y + line * inner * bytes;
        for (int64_t i = 0; i < inner; ++i) {
          std::memcpy(to + i * bytes, from + i * step, static_cast<size_t>(bytes));
        }
      }
    });
  });
}

KernelPtr make_transpose(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  const TensorSpec& perm = request.inputs[1];
  if (!is_numeric(x.dtype) && x.dtype != kBool) return nullptr;
  if (perm.constant == nullptr || !x.shape.is_fully_defined() || x.shape.num_elements() == 0) {
    return nullptr;
  }
  const auto size = static_cast<int64_t>(element_size(x.dtype));
  if (size != 1 && size != 2 && size != 4 && size != 8) return nullptr;
  const auto movement = least_movement(x.shape, *perm.constant);
  if (!movement) return nullptr;
  const std::vector<int64_t>& dims = movement->dims;
  const size_t rank = dims.size();
  if (rank < 2) {
    const size_t bytes = static_cast<size_t>(x.shape.num_elements() * size);
    return make_kernel([bytes](KernelContext& context) {
      std::memcpy(context.output_pointer(0), context.input_pointer(0), bytes);
    });
  }
  if (movement->perm == std::vector<size_t>{1, 0}) {
    return turn(1, dims[0], dims[1], static_cast<int>(size));
  }
  if (movement->perm == std::vector<size_t>{0, 2, 1}) {
    return turn(dims[0], dims[1], dims[2], static_cast<int>(size));
  }
  return movement->perm.back() == rank - 1 ? copy_rows(*movement, size) : nullptr;
}

constexpr KernelDef kKernels[] = {{"Transpose", "cpu", make_transpose}};

}  // namespace

std::span<const KernelDef> cpu_transpose_kernels() { return kKernels; }

}  // namespace thalweg
