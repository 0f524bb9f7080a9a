// Pooling over images whose channels lie together: every vector is some channels of one pixel, so
// that the windows of neighbouring channels are found side by side.
#include "kernels/cpu/pooling.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/pooling.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

// The cells [begin, end) that window `o` has inside the image.
struct Cells {
  HWY_INLINE Cells(const Window& w, int64_t o)
      : begin(std::max<int64_t>(w.cell(o, 0), 0)), end(std::min(w.cell(o, 0) + w.size, w.input)) {}
  int64_t begin, end;
};

// Calls visit(first cell, rows, columns, output position) for the windows of one output row, where
// positions count floats from the start of the plane.
template <class Visit>
HWY_INLINE void for_each_window(const PoolGeometry& g, int64_t row, Visit visit) {
  const Cells h(g.height, row);
  for (int64_t o = 0; o < g.width.output; ++o) {
    const Cells w(g.width, o);
    visit((h.begin * g.width.input + w.begin) * g.lanes, h.end - h.begin, w.end - w.begin,
          (row * g.width.output + o) * g.lanes);
  }
}

// Calls visit(position, number) for each cell of a window of `rows` x `columns`, in row order. The
// compiler unrolls the common 2x2.
template <class Visit>
HWY_INLINE void for_each_cell(int64_t rows, int64_t columns, int64_t row_step, int64_t lanes,
                              Visit visit) {
  if (rows == 2 && columns == 2) {
    visit(0, 0);
    visit(lanes, 1);
    visit(row_step, 2);
    visit(row_step + lanes, 3);
    return;
  }
  int32_t number = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) visit(r * row_step + c * lanes, number++);
  }
}

int64_t plane_size(const PoolGeometry& g) { return g.height.input * g.width.input * g.lanes; }
int64_t output_size(const PoolGeometry& g) { return g.height.output * g.width.output * g.lanes; }

// Whether every cell of the image lies in one window at most.
bool is_disjoint(const PoolGeometry& g) {
  return g.height.stride >= g.height.size && g.width.stride >= g.width.size;
}

// Calls row(x of the plane, y of the plane, row) for output rows [begin, end) of all planes.
template <class Row>
HWY_INLINE void for_each_row(const PoolGeometry& g, const float* x, float* y, int64_t begin,
                             int64_t end, Row row) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t plane = i / g.height.output;
    row(x + plane * plane_size(g), y + plane * output_size(g), i % g.height.output);
  }
}

// Adds to or, where windows are disjoint, sets a cell of a gradient.
template <bool kDisjoint, class Io>
HWY_INLINE void deposit(Io io, V value, float* p) {
  io.store(kDisjoint ? value : hn::Add(io.load(p), value), p);
}

template <bool kDisjoint>
void max_grad_planes(const PoolGeometry& g, const float* x, const float* dy, float* dx,
                     int64_t begin, int64_t end) {
  const int64_t row_step = g.width.input * g.lanes;
  for (int64_t plane = begin; plane < end; ++plane) {
    const float* in = x + plane * plane_size(g);
    const float* gradient = dy + plane * output_size(g);
    float* out = dx + plane * plane_size(g);
    std::memset(out, 0, static_cast<size_t>(plane_size(g)) * sizeof(float));
    for (int64_t row = 0; row < g.height.output; ++row) {
      for_each_window(g, row, [&](int64_t first, int64_t rows, int64_t columns, int64_t result)
                                  THALWEG_SIMD_LAMBDA {
        sweep(g.lanes, [&](auto io, int64_t lane) THALWEG_SIMD_LAMBDA {
          const float* cells = in + first + lane;
          float* targets = out + first + lane;
          V best = io.load(cells);
          VI where = hn::Zero(I32());
          for_each_cell(rows, columns, row_step, g.lanes,
                        [&](int64_t at, int32_t number) THALWEG_SIMD_LAMBDA {
                          const V v = io.load(cells + at);
                          // v > best, or v is NaN and best is not.
                          const M wins = hn::AndNot(hn::IsNaN(best), hn::Not(hn::Le(v, best)));
                          best = hn::IfThenElse(wins, v, best);
                          where = hn::IfThenElse(hn::RebindMask(I32(), wins),
                                                 hn::Set(I32(), number), where);
                        });
          const V d = io.load(gradient + result + lane);
          for_each_cell(rows, columns, row_step, g.lanes,
                        [&](int64_t at, int32_t number) THALWEG_SIMD_LAMBDA {
                          const M chosen =
                              hn::RebindMask(F32(), hn::Eq(where, hn::Set(I32(), number)));
                          deposit<kDisjoint>(io, hn::IfThenElseZero(chosen, d), targets + at);
                        });
        });
      });
    }
  }
}

template <bool kDisjoint>
void avg_grad_planes(const PoolGeometry& g, const float* dy, float* dx, int64_t begin,
                     int64_t end) {
  const int64_t row_step = g.width.input * g.lanes;
  for (int64_t plane = begin; plane < end; ++plane) {
    const float* gradient = dy + plane * output_size(g);
    float* out = dx + plane * plane_size(g);
    std::memset(out, 0, static_cast<size_t>(plane_size(g)) * sizeof(float));
    for (int64_t row = 0; row < g.height.output; ++row) {
      for_each_window(g, row, [&](int64_t first, int64_t rows, int64_t columns, int64_t result)
                                  THALWEG_SIMD_LAMBDA {
        const V count = set(static_cast<float>(rows * columns));
        sweep(g.lanes, [&](auto io, int64_t lane) THALWEG_SIMD_LAMBDA {
          const V share = hn::Div(io.load(gradient + result + lane), count);
          for_each_cell(rows, columns, row_step, g.lanes,
                        [&](int64_t at, int32_t) THALWEG_SIMD_LAMBDA {
                          deposit<kDisjoint>(io, share, out + first + lane + at);
                        });
        });
      });
    }
  }
}

}  // namespace

void max_rows(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end) {
  const int64_t row_step = g.width.input * g.lanes;
  for_each_row(g, x, y, begin, end, [&](const float* in, float* out, int64_t row)
                                        THALWEG_SIMD_LAMBDA {
    for_each_window(g, row, [&](int64_t first, int64_t rows, int64_t columns, int64_t result)
                                THALWEG_SIMD_LAMBDA {
      sweep(g.lanes, [&](auto io, int64_t lane) THALWEG_SIMD_LAMBDA {
        const float* cells = in + first + lane;
        V best = io.load(cells);
        for_each_cell(rows, columns, row_step, g.lanes,
                      [&](int64_t at, int32_t) THALWEG_SIMD_LAMBDA {
                        best = max_nan(best, io.load(cells + at));
                      });
        io.store(best, out + result + lane);
      });
    });
  });
}

void avg_rows(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end) {
  const int64_t row_step = g.width.input * g.lanes;
  for_each_row(g, x, y, begin, end, [&](const float* in, float* out, int64_t row)
                                        THALWEG_SIMD_LAMBDA {
    for_each_window(g, row, [&](int64_t first, int64_t rows, int64_t columns, int64_t result)
                                THALWEG_SIMD_LAMBDA {
      const V count = set(static_cast<float>(rows * columns));
      sweep(g.lanes, [&](auto io, int64_t lane) THALWEG_SIMD_LAMBDA {
        const float* cells = in + first + lane;
        V total = zero();
        for_each_cell(rows, columns, row_step, g.lanes,
                      [&](int64_t at, int32_t) THALWEG_SIMD_LAMBDA {
                        total = hn::Add(total, io.load(cells + at));
                      });
        io.store(hn::Div(total, count), out + result + lane);
      });
    });
  });
}

void max_grad(const PoolGeometry& g, const float* x, const float* dy, float* dx, int64_t begin,
              int64_t end) {
  if (is_disjoint(g)) return max_grad_planes<true>(g, x, dy, dx, begin, end);
  max_grad_planes<false>(g, x, dy, dx, begin, end);
}

void avg_grad(const PoolGeometry& g, const float* dy, float* dx, int64_t begin, int64_t end) {
  if (is_disjoint(g)) return avg_grad_planes<true>(g, dy, dx, begin, end);
  avg_grad_planes<false>(g, dy, dx, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(max_rows);
void max_pool(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(max_rows)(g, x, y, begin, end);
}

HWY_EXPORT(avg_rows);
void avg_pool(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(avg_rows)(g, x, y, begin, end);
}

HWY_EXPORT(max_grad);
void max_pool_grad(const PoolGeometry& g, const float* x, const float* dy, float* dx, int64_t begin,
                   int64_t end) {
  HWY_DYNAMIC_DISPATCH(max_grad)(g, x, dy, dx, begin, end);
}

HWY_EXPORT(avg_grad);
void avg_pool_grad(const PoolGeometry& g, const float* dy, float* dx, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(avg_grad)(g, dy, dx, begin, end);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
