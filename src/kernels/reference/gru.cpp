// The GRU cell (Cho et al. 2014), as TensorFlow's GRUBlockCell computes it.
#include <cmath>
#include <vector>

#include "kernels/families.h"

namespace thalweg {
namespace {

using Request = const KernelRequest&;
using Doubles = std::vector<double>;

struct Sizes {
  int64_t batch, input, cell;
  explicit Sizes(Request request)
      : batch(request.inputs[0].shape[0]),
        input(request.inputs[0].shape[1]),
        cell(request.inputs[1].shape[1]) {}
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One row of [x, h] w + b for weights of `columns` columns.
template <class H>
double product(const Sizes& s, const float* x, const H* h, const float* w, const float* b,
               int64_t columns, int64_t column) {
  double sum = b[column];
  for (int64_t k = 0; k < s.input; ++k) sum += double{x[k]} * w[k * columns + column];
  for (int64_t k = 0; k < s.cell; ++k)
    sum += static_cast<double>(h[k]) * w[(s.input + k) * columns + column];
  return sum;
}

KernelPtr make_cell(Request request) {
  if (request.inputs[0].dtype != kFloat32) return nullptr;
  return make_kernel([s = Sizes(request)](KernelContext& c) {
    const float *w_ru = c.input<float>(2), *w_c = c.input<float>(3);
    const float *b_ru = c.input<float>(4), *b_c = c.input<float>(5);
    Doubles reset(static_cast<size_t>(s.cell));
    for (int64_t row = 0; row < s.batch; ++row) {
      const float* x = c.input<float>(0) + row * s.input;
      const float* h_prev = c.input<float>(1) + row * s.cell;
      for (int64_t u = 0; u < s.cell; ++u) {
        const double r = sigmoid(product(s, x, h_prev, w_ru, b_ru, 2 * s.cell, u));
        c.output<float>(0)[row * s.cell + u] = static_cast<float>(r);
        reset[static_cast<size_t>(u)] = r * h_prev[u];
      }
      for (int64_t k = 0; k < s.cell; ++k) {
        const double u = sigmoid(product(s, x, h_prev, w_ru, b_ru, 2 * s.cell, s.cell + k));
        const double candidate = std::tanh(product(s, x, reset.data(), w_c, b_c, s.cell, k));
        const int64_t at = row * s.cell + k;
        c.output<float>(1)[at] = static_cast<float>(u);
        c.output<float>(2)[at] = static_cast<float>(candidate);
        c.output<float>(3)[at] = static_cast<float>(u * h_prev[k] + (1 - u) * candidate);
      }
    }
  });
}

// The gradient of what weights of `columns` columns were multiplied with, entry k, from that of
// their product.
double back(const float* w, const double* gradient, int64_t columns, int64_t k) {
  double sum = 0;
  for (int64_t j = 0; j < columns; ++j) sum += gradient[j] * w[k * columns + j];
  return sum;
}

KernelPtr make_cell_grad(Request request) {
  if (request.inputs[0].dtype != kFloat32) return nullptr;
  return make_kernel([s = Sizes(request)](KernelContext& c) {
    const float *w_ru = c.input<float>(2), *w_c = c.input<float>(3);
    Doubles d_c(static_cast<size_t>(s.cell)), d_ru(2 * d_c.size()), d_reset(d_c.size());
    for (int64_t row = 0; row < s.batch; ++row) {
      const float* h_prev = c.input<float>(1) + row * s.cell;
      const float* r = c.input<float>(6) + row * s.cell;
      const float* u = c.input<float>(7) + row * s.cell;
      const float* candidate = c.input<float>(8) + row * s.cell;
      const float* d_h = c.input<float>(9) + row * s.cell;
      for (int64_t k = 0; k < s.cell; ++k) {
        const double update = u[k], value = candidate[k], g = d_h[k];
        d_c[static_cast<size_t>(k)] = g * (1 - update) * (1 - value * value);
        d_ru[static_cast<size_t>(s.cell + k)] = g * (h_prev[k] - value) * update * (1 - update);
      }
      for (int64_t k = 0; k < s.cell; ++k) {
        const double gate = r[k];
        d_reset[static_cast<size_t>(k)] = back(w_c, d_c.data(), s.cell, s.input + k);
        d_ru[static_cast<size_t>(k)] =
            d_reset[static_cast<size_t>(k)] * h_prev[k] * gate * (1 - gate);
      }
      for (int64_t k = 0; k < s.input; ++k) {
        c.output<float>(0)[row * s.input + k] = static_cast<float>(
            back(w_c, d_c.data(), s.cell, k) + back(w_ru, d_ru.data(), 2 * s.cell, k));
      }
      for (int64_t k = 0; k < s.cell; ++k) {
        const int64_t at = row * s.cell + k;
        c.output<float>(1)[at] =
            static_cast<float>(back(w_ru, d_ru.data(), 2 * s.cell, s.input + k) +
                               d_reset[static_cast<size_t>(k)] * r[k] + double{d_h[k]} * u[k]);
        c.output<float>(2)[at] = static_cast<float>(d_c[static_cast<size_t>(k)]);
      }
      for (int64_t k = 0; k < 2 * s.cell; ++k)
        c.output<float>(3)[row * 2 * s.cell + k] = static_cast<float>(d_ru[static_cast<size_t>(k)]);
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"GRUBlockCell", "reference", make_cell},
    {"GRUBlockCellGrad", "reference", make_cell_grad},
};

}  // namespace

std::span<const KernelDef> reference_gru_kernels() { return kKernels; }

}  // namespace thalweg
