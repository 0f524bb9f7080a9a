// LSTM sequences in float32: the products of all steps with x are one product, each step adds that
// with its h; gates run through our vectorised functions.
//
// oneDNN's own LSTM primitive gives the outputs alone, not the gates that TensorFlow's op hands to
// its gradient; on the same GEMM this is as fast and fits peepholes and clipping too.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/elementwise.h"
#include "kernels/families.h"
#include "kernels/onednn/gemm.h"
#include "kernels/reference/lstm.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using onednn::gemm;
using reference::LstmSizes;
using Request = const KernelRequest&;

// Rows of a batch that one thread takes at least: some microseconds of gates.
int64_t grain(const LstmSizes& s) {
  return std::max<int64_t>(1, 2048 / std::max<int64_t>(1, s.cell));
}

struct Functions {
  simd::UnaryFn sigmoid = simd::find_unary("Sigmoid");
  simd::UnaryFn tanh = simd::find_unary("Tanh");
};

struct Peepholes {
  const float *i, *f, *o;
};

void add_product(const float* weights, const float* state, float* gate, int64_t n) {
  for (int64_t u = 0; u < n; ++u) gate[u] += weights[u] * state[u];
}

// The gates of one row, before their functions, to its states.
struct RowOutputs {
  float *i, *cs, *f, *o, *ci, *co, *h;
};

void row_forward(const LstmSizes& s, const Functions& fn, const Peepholes& w, float* gates,
                 const float* cs_prev, const RowOutputs& out) {
  const int64_t n = s.cell;
  float *gi = gates + s.i * n, *gc = gates + s.c * n, *gf = gates + s.f * n, *go = gates + s.o * n;
  if (s.peephole) {
    add_product(w.i, cs_prev, gi, n);
    add_product(w.f, cs_prev, gf, n);
  }
  if (s.forget_bias != 0) {
    const auto bias = static_cast<float>(s.forget_bias);
    for (int64_t u = 0; u < n; ++u) gf[u] += bias;
  }
  fn.sigmoid(gi, out.i, n);
  fn.tanh(gc, out.ci, n);
  fn.sigmoid(gf, out.f, n);
  for (int64_t u = 0; u < n; ++u) out.cs[u] = out.ci[u] * out.i[u] + cs_prev[u] * out.f[u];
  if (s.cell_clip > 0) {
    const auto clip = static_cast<float>(s.cell_clip);
    for (int64_t u = 0; u < n; ++u) out.cs[u] = std::clamp(out.cs[u], -clip, clip);
  }
  if (s.peephole) add_product(w.o, out.cs, go, n);
  fn.sigmoid(go, out.o, n);
  fn.tanh(out.cs, out.co, n);
  for (int64_t u = 0; u < n; ++u) out.h[u] = out.o[u] * out.co[u];
}

void forward(KernelContext& c, const LstmSizes& s, const Functions& fn) {
  const int64_t count = steps_that_count(c, s), state = s.state_size(), columns = 4 * s.cell;
  const float *x = c.input<float>(1), *w = c.input<float>(4), *bias = c.input<float>(8);
  const Peepholes peepholes{c.input<float>(5), c.input<float>(6), c.input<float>(7)};
  float* gates = static_cast<float*>(c.scratch());
  for (int64_t row = 0; row < count * s.batch; ++row)
    std::copy_n(bias, columns, gates + row * columns);
  gemm(count * s.batch, columns, s.input, {x, s.input}, {w, columns}, true, gates, columns);
  float* outputs[7];
  for (int i = 0; i < 7; ++i) outputs[i] = c.output<float>(i);
  const float* cs_prev = c.input<float>(2);
  const float* h_prev = c.input<float>(3);
  for (int64_t t = 0; t < count; ++t) {
    float* step = gates + t * s.batch * columns;
    gemm(s.batch, columns, s.cell, {h_prev, s.cell}, {w + s.input * columns, columns}, true, step,
         columns);
    parallel_for(s.batch, grain(s), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t at = t * state + row * s.cell;
        row_forward(s, fn, peepholes, step + row * columns, cs_prev + row * s.cell,
                    {outputs[0] + at, outputs[1] + at, outputs[2] + at, outputs[3] + at,
                     outputs[4] + at, outputs[5] + at, outputs[6] + at});
      }
    });
    cs_prev = outputs[1] + t * state;
    h_prev = outputs[6] + t * state;
  }
  for (float* output : outputs) std::fill(output + count * state, output + s.steps * state, 0.0f);
}

bool is_float(Request request) {
  return std::all_of(request.inputs.begin() + 1, request.inputs.end(),
                     [](const TensorSpec& spec) { return spec.dtype == kFloat32; });
}

KernelPtr make_block(Request request) {
  if (!is_float(request)) return nullptr;
  const LstmSizes s(request, 1);
  const auto scratch = static_cast<size_t>(s.steps * s.batch * 4 * s.cell) * sizeof(float);
  return make_kernel([s, fn = Functions()](KernelContext& c) { forward(c, s, fn); },
                     {.scratch_bytes = scratch});
}

// What the gradient of one row's step reads and updates.
struct RowGradients {
  const float *i, *cs, *f, *o, *ci, *co, *cs_prev, *dh;
  float *dcs, *gates;
};

void row_backward(const LstmSizes& s, const Peepholes& w, const RowGradients& r) {
  const int64_t n = s.cell;
  float *gi = r.gates + s.i * n, *gc = r.gates + s.c * n, *gf = r.gates + s.f * n,
        *go = r.gates + s.o * n;
  for (int64_t u = 0; u < n; ++u) {
    const float i = r.i[u], f = r.f[u], o = r.o[u], ci = r.ci[u], co = r.co[u];
    go[u] = o * (1 - o) * r.dh[u] * co;
    float dcs = (1 - co * co) * r.dh[u] * o + r.dcs[u];
    if (s.peephole) dcs += go[u] * w.o[u];
    gc[u] = (1 - ci * ci) * dcs * i;
    gf[u] = f * (1 - f) * dcs * r.cs_prev[u];
    gi[u] = i * (1 - i) * dcs * ci;
    r.dcs[u] = dcs * f;
    if (s.peephole) r.dcs[u] += gi[u] * w.i[u] + gf[u] * w.f[u];
  }
}

// sums[u] += a[row, u] * b[row, u].
void add_column_products(const float* a, int64_t stride, const float* b, int64_t rows, int64_t n,
                         float* sums) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t u = 0; u < n; ++u) sums[u] += a[row * stride + u] * b[row * n + u];
}

void backward(KernelContext& c, const LstmSizes& s) {
  const int64_t count = steps_that_count(c, s), state = s.state_size(), columns = 4 * s.cell;
  const float *x = c.input<float>(1), *w = c.input<float>(4);
  const Peepholes peepholes{c.input<float>(5), c.input<float>(6), c.input<float>(7)};
  const float* h = c.input<float>(15);
  float *dx = c.output<float>(0), *dcs = c.output<float>(1), *dh = c.output<float>(2),
        *dw = c.output<float>(3), *db = c.output<float>(7);
  float* gates = static_cast<float*>(c.scratch());
  std::fill_n(dcs, state, 0.0f);
  std::fill_n(dh, state, 0.0f);
  for (int k = 4; k < 7; ++k) std::fill_n(c.output<float>(k), s.cell, 0.0f);
  for (int64_t t = count - 1; t >= 0; --t) {
    float* step = gates + t * s.batch * columns;
    const float* cs_prev = t == 0 ? c.input<float>(2) : c.input<float>(10) + (t - 1) * state;
    parallel_for(s.batch, grain(s), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t at = row * s.cell, from = t * state + at;
        for (int64_t u = 0; u < s.cell; ++u) {
          dcs[at + u] += c.input<float>(16)[from + u];
          dh[at + u] += c.input<float>(17)[from + u];
        }
        const auto saved = [&](int i) { return c.input<float>(i) + from; };
        row_backward(s, peepholes,
                     {saved(9), saved(10), saved(11), saved(12), saved(13), saved(14), cs_prev + at,
                      dh + at, dcs + at, step + row * columns});
      }
    });
    if (s.peephole) {
      add_column_products(step + s.i * s.cell, columns, cs_prev, s.batch, s.cell,
                          c.output<float>(4));
      add_column_products(step + s.f * s.cell, columns, cs_prev, s.batch, s.cell,
                          c.output<float>(5));
      add_column_products(step + s.o * s.cell, columns, c.input<float>(10) + t * state, s.batch,
                          s.cell, c.output<float>(6));
    }
    gemm(s.batch, s.cell, columns, {step, columns}, {w + s.input * columns, columns, true}, false,
         dh, s.cell);
  }
  // What does not pass from step to step is one product over all steps.
  const int64_t rows = count * s.batch;
  gemm(rows, s.input, columns, {gates, columns}, {w, columns, true}, false, dx, s.input);
  std::fill(dx + count * s.x_size(), dx + s.steps * s.x_size(), 0.0f);
  gemm(s.input, columns, rows, {x, s.input, true}, {gates, columns}, false, dw, columns);
  float* dw_h = dw + s.input * columns;
  gemm(s.cell, columns, count > 0 ? s.batch : 0, {c.input<float>(3), s.cell, true},
       {gates, columns}, false, dw_h, columns);
  if (count > 1) {
    gemm(s.cell, columns, rows - s.batch, {h, s.cell, true}, {gates + s.batch * columns, columns},
         true, dw_h, columns);
  }
  std::fill_n(db, columns, 0.0f);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t g = 0; g < columns; ++g) db[g] += gates[row * columns + g];
}

KernelPtr make_block_grad(Request request) {
  if (!is_float(request)) return nullptr;
  const LstmSizes s(request, 1);
  const auto scratch = static_cast<size_t>(s.steps * s.batch * 4 * s.cell) * sizeof(float);
  return make_kernel([s](KernelContext& c) { backward(c, s); }, {.scratch_bytes = scratch});
}

constexpr KernelDef kKernels[] = {
    {"BlockLSTM", "onednn", make_block},
    {"BlockLSTMV2", "onednn", make_block},
    {"BlockLSTMGrad", "onednn", make_block_grad},
    {"BlockLSTMGradV2", "onednn", make_block_grad},
};

}  // namespace

std::span<const KernelDef> onednn_lstm_kernels() { return kKernels; }

}  // namespace thalweg
