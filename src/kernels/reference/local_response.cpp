#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

struct Response {
  int64_t cells, channels, radius;
  double bias, alpha, beta;

  explicit Response(const KernelRequest& request)
      : cells(request.inputs[0].shape.slice(0, 3).num_elements()),
        channels(request.inputs[0].shape[3]),
        radius(request.node.attr<int64_t>("depth_radius")),
        bias(request.node.attr<float>("bias")),
        alpha(request.node.attr<float>("alpha")),
        beta(request.node.attr<float>("beta")) {
    if (radius < 0) throw invalid_argument("depth_radius must not be negative, got ", radius);
  }

  // x^-beta; the exponents that networks use need no pow.
  double power(double x) const {
    if (beta == 0.5) return 1 / std::sqrt(x);
    if (beta == 0.75) return 1 / (std::sqrt(x) * std::sqrt(std::sqrt(x)));
    return std::pow(x, -beta);
  }
  int64_t first(int64_t c) const { return std::max<int64_t>(c - radius, 0); }
  int64_t last(int64_t c) const { return std::min(c + radius, channels - 1); }

  // norms[c] = bias + alpha * the sum of squares around channel c. Whole rows are added, one for
  // each distance: a running sum would lose what stands beside a large value.
  template <class T>
  void measure(const T* x, std::vector<double>& squares, double* norms) const {
    squares.resize(static_cast<size_t>(channels));
    for (int64_t c = 0; c < channels; ++c) {
      squares[static_cast<size_t>(c)] = alpha * widen(x[c]) * widen(x[c]);
      norms[c] = bias;
    }
    const int64_t reach = std::min(radius, channels - 1);
    for (int64_t distance = -reach; distance <= reach; ++distance) {
      const double* square = squares.data();
      const int64_t end = std::min(channels, channels - distance);
      for (int64_t c = std::max<int64_t>(-distance, 0); c < end; ++c)
        norms[c] += square[c + distance];
    }
  }
};

KernelPtr make_lrn(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([r = Response(request)](KernelContext& c) {
      parallel_for(r.cells, 1 + 512 / (r.channels + 1), [&](int64_t begin, int64_t end) {
        std::vector<double> norms(static_cast<size_t>(r.channels)), squares;
        for (int64_t cell = begin; cell < end; ++cell) {
          const T* x = c.input<T>(0) + cell * r.channels;
          T* y = c.output<T>() + cell * r.channels;
          r.measure(x, squares, norms.data());
          for (int64_t i = 0; i < r.channels; ++i) {
            y[i] = narrow<T>(widen(x[i]) * r.power(norms[static_cast<size_t>(i)]));
          }
        }
      });
    });
  });
}

// With N the norms: y_j = x_j N_j^-beta, so that dx_i = g_i N_i^-beta - 2 alpha beta x_i * the sum
// of g_j y_j / N_j over the j whose window holds i.
KernelPtr make_lrn_grad(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([r = Response(request)](KernelContext& c) {
      std::vector<double> norms(static_cast<size_t>(r.channels)), squares;
      for (int64_t cell = 0; cell < r.cells; ++cell) {
        const int64_t at = cell * r.channels;
        const T* g = c.input<T>(0) + at;
        const T* x = c.input<T>(1) + at;
        const T* y = c.input<T>(2) + at;
        r.measure(x, squares, norms.data());
        for (int64_t i = 0; i < r.channels; ++i) {
          double sum = 0;
          for (int64_t j = r.first(i); j <= r.last(i); ++j) {
            sum += widen(g[j]) * widen(y[j]) / norms[static_cast<size_t>(j)];
          }
          c.output<T>()[at + i] = narrow<T>(widen(g[i]) * r.power(norms[static_cast<size_t>(i)]) -
                                            2 * r.alpha * r.beta * widen(x[i]) * sum);
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"LRN", "reference", make_lrn},
    {"LRNGrad", "reference", make_lrn_grad},
};

}  // namespace

std::span<const KernelDef> reference_local_response_kernels() { return kKernels; }

}  // namespace thalweg
