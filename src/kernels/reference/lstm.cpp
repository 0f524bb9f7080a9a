// LSTM cells and sequences (Hochreiter and Schmidhuber 1997, with the peepholes of Gers 2000), as
// TensorFlow's LSTMBlockCell and BlockLSTM compute them.
#include "kernels/reference/lstm.h"

#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: sizes in its words
using Request = const KernelRequest&;
using Doubles = std::vector<double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <class T>
struct Weights {
  const T *w, *wci, *wcf, *wco, *b;
  Weights(const KernelContext& c, int first)
      : w(c.input<T>(first)),
        wci(c.input<T>(first + 1)),
        wcf(c.input<T>(first + 2)),
        wco(c.input<T>(first + 3)),
        b(c.input<T>(first + 4)) {}
};

// The results of a step, or of all steps one after the other.
template <class T>
struct States {
  T *i, *cs, *f, *o, *ci, *co, *h;
  explicit States(const KernelContext& c)
      : i(c.output<T>(0)),
        cs(c.output<T>(1)),
        f(c.output<T>(2)),
        o(c.output<T>(3)),
        ci(c.output<T>(4)),
        co(c.output<T>(5)),
        h(c.output<T>(6)) {}
};

// Step `t`; cs_prev and h_prev are the states before it.
template <class T>
void forward_step(const LstmSizes& s, const Weights<T>& w, const T* x, const T* cs_prev,
                  const T* h_prev, const States<T>& out, int64_t t) {
  for (int64_t row = 0; row < s.batch; ++row) {
    const T* x_row = x + row * s.input;
    const T* h_row = h_prev + row * s.cell;
    for (int64_t u = 0; u < s.cell; ++u) {
      const auto gate = [&](int64_t which) {
        const int64_t column = which * s.cell + u;
        double sum = widen(w.b[column]);
        for (int64_t k = 0; k < s.input; ++k)
          sum += widen(x_row[k]) * widen(w.w[k * 4 * s.cell + column]);
        for (int64_t k = 0; k < s.cell; ++k)
          sum += widen(h_row[k]) * widen(w.w[(s.input + k) * 4 * s.cell + column]);
        return sum;
      };
      const double before = widen(cs_prev[row * s.cell + u]);
      const auto peep = [&](const T* weights, double cs) {
        return s.peephole ? widen(weights[u]) * cs : 0.0;
      };
      const double i = sigmoid(gate(s.i) + peep(w.wci, before));
      const double ci = std::tanh(gate(s.c));
      const double f = sigmoid(gate(s.f) + s.forget_bias + peep(w.wcf, before));
      double cs = ci * i + before * f;
      if (s.cell_clip > 0) cs = std::clamp(cs, -s.cell_clip, s.cell_clip);
      const double o = sigmoid(gate(s.o) + peep(w.wco, cs));
      const double co = std::tanh(cs);
      const int64_t at = t * s.state_size() + row * s.cell + u;
      out.i[at] = narrow<T>(i);
      out.cs[at] = narrow<T>(cs);
      out.f[at] = narrow<T>(f);
      out.o[at] = narrow<T>(o);
      out.ci[at] = narrow<T>(ci);
      out.co[at] = narrow<T>(co);
      out.h[at] = narrow<T>(o * co);
    }
  }
}

KernelPtr make_cell(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([s = LstmSizes(request, 0)](KernelContext& c) {
      forward_step<T>(s, Weights<T>(c, 3), c.input<T>(0), c.input<T>(1), c.input<T>(2),
                      States<T>(c), 0);
    });
  });
}

KernelPtr make_block(Request request) {
  return visit_floats(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([s = LstmSizes(request, 1)](KernelContext& c) {
      const States<T> out(c);
      const int64_t count = steps_that_count(c, s), state = s.state_size();
      for (int64_t t = 0; t < count; ++t) {
        forward_step<T>(s, Weights<T>(c, 4), c.input<T>(1) + t * s.x_size(),
                        t == 0 ? c.input<T>(2) : out.cs + (t - 1) * state,
                        t == 0 ? c.input<T>(3) : out.h + (t - 1) * state, out, t);
      }
      for (T* output : {out.i, out.cs, out.f, out.o, out.ci, out.co, out.h})
        std::fill(output + count * state, output + s.steps * state, T{});
    });
  });
}

// What the forward op made, as inputs of its gradient.
template <class T>
struct SavedStates {
  const T *i, *cs, *f, *o, *ci, *co;
  SavedStates(const KernelContext& c, int first)
      : i(c.input<T>(first)),
        cs(c.input<T>(first + 1)),
        f(c.input<T>(first + 2)),
        o(c.input<T>(first + 3)),
        ci(c.input<T>(first + 4)),
        co(c.input<T>(first + 5)) {}
};

struct PeepholeGradients {
  Doubles wci, wcf, wco;
  explicit PeepholeGradients(int64_t cell)
      : wci(static_cast<size_t>(cell)), wcf(wci.size()), wco(wci.size()) {}
  template <class T>
  void write(const KernelContext& c, int first) const {
    for (const Doubles* sum : {&wci, &wcf, &wco})
      std::transform(sum->begin(), sum->end(), c.output<T>(first++), narrow<T>);
  }
};

// From the gradients dcs and dh of a step's state to those of its gates `[batch, 4 cell]`, and of
// the state before it, which takes the place of dcs.
template <class T>
void backward_step(const LstmSizes& s, const Weights<T>& w, const SavedStates<T>& saved, int64_t t,
                   const T* cs_prev, const Doubles& dh, Doubles& dcs, Doubles& dgates,
                   PeepholeGradients& peepholes) {
  for (int64_t row = 0; row < s.batch; ++row) {
    for (int64_t u = 0; u < s.cell; ++u) {
      const auto at = static_cast<size_t>(row * s.cell + u);
      const int64_t from = t * s.state_size() + row * s.cell + u;
      const double i = widen(saved.i[from]), f = widen(saved.f[from]), o = widen(saved.o[from]);
      const double ci = widen(saved.ci[from]), co = widen(saved.co[from]);
      const double before = widen(cs_prev[at]);
      const double d_o = o * (1 - o) * dh[at] * co;
      double d_cs = (1 - co * co) * dh[at] * o + dcs[at];
      if (s.peephole) d_cs += d_o * widen(w.wco[u]);
      const double d_ci = (1 - ci * ci) * d_cs * i;
      const double d_f = f * (1 - f) * d_cs * before;
      const double d_i = i * (1 - i) * d_cs * ci;
      const auto gate = [&](int64_t which) -> double& {
        return dgates[static_cast<size_t>((row * 4 + which) * s.cell + u)];
      };
      gate(s.i) = d_i;
      gate(s.c) = d_ci;
      gate(s.f) = d_f;
      gate(s.o) = d_o;
      dcs[at] = d_cs * f;
      if (!s.peephole) continue;
      dcs[at] += d_i * widen(w.wci[u]) + d_f * widen(w.wcf[u]);
      peepholes.wci[static_cast<size_t>(u)] += d_i * before;
      peepholes.wcf[static_cast<size_t>(u)] += d_f * before;
      peepholes.wco[static_cast<size_t>(u)] += d_o * widen(saved.cs[from]);
    }
  }
}

template <class T>
Doubles widened(const T* values, int64_t count) {
  Doubles result(static_cast<size_t>(count));
  std::transform(values, values + count, result.begin(), widen<T>);
  return result;
}

KernelPtr make_cell_grad(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([s = LstmSizes(request, 0)](KernelContext& c) {
      const int64_t state = s.state_size();
      Doubles dcs = widened(c.input<T>(14), state);
      Doubles dgates(static_cast<size_t>(4 * state));
      PeepholeGradients peepholes(s.cell);
      backward_step<T>(s, Weights<T>(c, 3), SavedStates<T>(c, 8), 0, c.input<T>(1),
                       widened(c.input<T>(15), state), dcs, dgates, peepholes);
      std::transform(dcs.begin(), dcs.end(), c.output<T>(0), narrow<T>);
      std::transform(dgates.begin(), dgates.end(), c.output<T>(1), narrow<T>);
      peepholes.write<T>(c, 2);
    });
  });
}

KernelPtr make_block_grad(Request request) {
  return visit_floats(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([s = LstmSizes(request, 1)](KernelContext& c) {
      const int64_t count = steps_that_count(c, s), state = s.state_size();
      const Weights<T> w(c, 4);
      const SavedStates<T> saved(c, 9);
      const T* h = c.input<T>(15);
      Doubles dcs(static_cast<size_t>(state)), dh(dcs.size()), dgates(4 * dcs.size());
      Doubles dw(static_cast<size_t>((s.input + s.cell) * 4 * s.cell));
      Doubles db(static_cast<size_t>(4 * s.cell));
      PeepholeGradients peepholes(s.cell);
      T* dx = c.output<T>(0);
      std::fill(dx + count * s.x_size(), dx + s.steps * s.x_size(), T{});
      for (int64_t t = count - 1; t >= 0; --t) {
        const T* x = c.input<T>(1) + t * s.x_size();
        const T* cs_prev = t == 0 ? c.input<T>(2) : saved.cs + (t - 1) * state;
        const T* h_prev = t == 0 ? c.input<T>(3) : h + (t - 1) * state;
        for (int64_t k = 0; k < state; ++k) {
          dcs[static_cast<size_t>(k)] += widen(c.input<T>(16)[t * state + k]);
          dh[static_cast<size_t>(k)] += widen(c.input<T>(17)[t * state + k]);
        }
        backward_step<T>(s, w, saved, t, cs_prev, dh, dcs, dgates, peepholes);
        for (int64_t row = 0; row < s.batch; ++row) {
          const double* gates = &dgates[static_cast<size_t>(row * 4 * s.cell)];
          // Through the weights to what they were multiplied with: first x, then the last h.
          for (int64_t k = 0; k < s.input + s.cell; ++k) {
            const bool is_x = k < s.input;
            const int64_t at = is_x ? row * s.input + k : row * s.cell + k - s.input;
            const double value = widen(is_x ? x[at] : h_prev[at]);
            double sum = 0;
            for (int64_t g = 0; g < 4 * s.cell; ++g) {
              sum += gates[g] * widen(w.w[k * 4 * s.cell + g]);
              dw[static_cast<size_t>(k * 4 * s.cell + g)] += value * gates[g];
            }
            if (is_x) {
              dx[t * s.x_size() + at] = narrow<T>(sum);
            } else {
              dh[static_cast<size_t>(at)] = sum;
            }
          }
          for (int64_t g = 0; g < 4 * s.cell; ++g) db[static_cast<size_t>(g)] += gates[g];
        }
      }
      std::transform(dcs.begin(), dcs.end(), c.output<T>(1), narrow<T>);
      std::transform(dh.begin(), dh.end(), c.output<T>(2), narrow<T>);
      std::transform(dw.begin(), dw.end(), c.output<T>(3), narrow<T>);
      peepholes.write<T>(c, 4);
      std::transform(db.begin(), db.end(), c.output<T>(7), narrow<T>);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"LSTMBlockCell", "reference", make_cell},
    {"LSTMBlockCellGrad", "reference", make_cell_grad},
    {"BlockLSTM", "reference", make_block},
    {"BlockLSTMV2", "reference", make_block},
    {"BlockLSTMGrad", "reference", make_block_grad},
    {"BlockLSTMGradV2", "reference", make_block_grad},
};

}  // namespace

std::span<const KernelDef> reference_lstm_kernels() { return kKernels; }

}  // namespace thalweg
