// Pooling over images whose channels lie together: every vector is some channels of one pixel, so
// that the windows of neighbouring channels are found side by side.
#include "kernels/cpu/pooling.h"

#include <algorithm>

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
  HWY_INLINE int64_t count() const { return end - begin; }
  int64_t begin, end;
};

// The cells of one window, as offsets from its first.
struct Offsets {
  int64_t rows, columns, row_step, column_step;

  // Calls visit(offset, number) in row order. The common 2x2 is unrolled.
  template <class Visit>
  HWY_INLINE void for_each(Visit visit) const {
    if (rows == 2 && columns == 2) {
      visit(0, 0);
      visit(column_step, 1);
      visit(row_step, 2);
      visit(row_step + column_step, 3);
      return;
    }
    int32_t number = 0;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) visit(r * row_step + c * column_step, number++);
    }
  }
};

// Calls body(io, offsets, cell, result) for every vector of lanes of the windows of one output row:
// where in its plane the first cell lies, and where in the plane of outputs the result does.
template <class Body>
HWY_INLINE void for_each_vector(const PoolGeometry& g, int64_t row, Body body) {
  const int64_t row_step = g.width.input * g.lanes;
  const Cells h(g.height, row);
  for (int64_t o = 0; o < g.width.output; ++o) {
    const Cells w(g.width, o);
    const Offsets offsets{h.count(), w.count(), row_step, g.lanes};
    const int64_t cell = h.begin * row_step + w.begin * g.lanes;
    const int64_t result = (row * g.width.output + o) * g.lanes;
    sweep(g.lanes, [&](auto io, int64_t lane)
                       THALWEG_SIMD_LAMBDA { body(io, offsets, cell + lane, result + lane); });
  }
}

int64_t plane_size(const PoolGeometry& g) { return g.height.input * g.width.input * g.lanes; }
int64_t output_size(const PoolGeometry& g) { return g.height.output * g.width.output * g.lanes; }

// Calls body(io, offsets, cells, result) for output rows [begin, end) of all planes.
template <class Body>
HWY_INLINE void pool_rows(const PoolGeometry& g, const float* x, float* y, int64_t begin,
                          int64_t end, Body body) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t plane = i / g.height.output;
    const float* in = x + plane * plane_size(g);
    float* out = y + plane * output_size(g);
    for_each_vector(g, i % g.height.output,
                    [&](auto io, const Offsets& offsets, int64_t cell, int64_t result)
                        THALWEG_SIMD_LAMBDA { body(io, offsets, in + cell, out + result); });
  }
}

// Whether no cell lies in two windows, and whether each lies in one.
bool is_disjoint(const Window& w) { return w.stride >= w.size; }
bool is_tiled(const Window& w) {
  return w.stride == w.size && w.pad_before == 0 && w.output * w.size >= w.input;
}

// Calls body(io, offsets, position, target, result) for every vector of planes [begin, end), where
// dx, to which target points, starts as zeros; position and result count from the first plane.
template <class Body>
HWY_INLINE void spread_planes(const PoolGeometry& g, float* dx, int64_t begin, int64_t end,
                              Body body) {
  const bool is_covered = is_tiled(g.height) && is_tiled(g.width);
  for (int64_t plane = begin; plane < end; ++plane) {
    const int64_t in = plane * plane_size(g), out = plane * output_size(g);
    if (!is_covered) std::fill_n(dx + in, plane_size(g), 0.0f);
    for (int64_t row = 0; row < g.height.output; ++row) {
      for_each_vector(g, row,
                      [&](auto io, const Offsets& offsets, int64_t cell, int64_t result)
                          THALWEG_SIMD_LAMBDA { body(io, offsets, in + cell, out + result); });
    }
  }
}

// Adds to a cell of a gradient, or sets it where windows are disjoint.
template <bool kDisjoint, class Io>
HWY_INLINE void deposit(Io io, V value, float* p) {
  io.store(kDisjoint ? value : hn::Add(io.load(p), value), p);
}

template <bool kDisjoint>
void max_grad_planes(const PoolGeometry& g, const float* x, const float* dy, float* dx,
                     int64_t begin, int64_t end) {
  const auto body = [=](auto io, const Offsets& offsets, int64_t cell,
                        int64_t result) THALWEG_SIMD_LAMBDA {
    V best = io.load(x + cell);
    VI where = hn::Zero(I32());
    offsets.for_each([&](int64_t at, int32_t number) THALWEG_SIMD_LAMBDA {
      const V v = io.load(x + cell + at);
      // v > best, or v is NaN and best is not.
      const M wins = hn::AndNot(hn::IsNaN(best), hn::Not(hn::Le(v, best)));
      best = hn::IfThenElse(wins, v, best);
      where = hn::IfThenElse(hn::RebindMask(I32(), wins), hn::Set(I32(), number), where);
    });
    const V d = io.load(dy + result);
    offsets.for_each([&](int64_t at, int32_t number) THALWEG_SIMD_LAMBDA {
      const M chosen = hn::RebindMask(F32(), hn::Eq(where, hn::Set(I32(), number)));
      deposit<kDisjoint>(io, hn::IfThenElseZero(chosen, d), dx + cell + at);
    });
  };
  spread_planes(g, dx, begin, end, body);
}

template <bool kDisjoint>
void avg_grad_planes(const PoolGeometry& g, const float* dy, float* dx, int64_t begin,
                     int64_t end) {
  const auto body = [=](auto io, const Offsets& offsets, int64_t cell, int64_t result)
                        THALWEG_SIMD_LAMBDA {
                          const V count = set(static_cast<float>(offsets.rows * offsets.columns));
                          const V share = hn::Div(io.load(dy + result), count);
                          offsets.for_each([&](int64_t at, int32_t) THALWEG_SIMD_LAMBDA {
                            deposit<kDisjoint>(io, share, dx + cell + at);
                          });
                        };
  spread_planes(g, dx, begin, end, body);
}

bool are_disjoint(const PoolGeometry& g) { return is_disjoint(g.height) && is_disjoint(g.width); }

}  // namespace

void max_rows(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end) {
  const auto body = [](auto io, const Offsets& offsets, const float* cells, float* result)
                        THALWEG_SIMD_LAMBDA {
                          V best = io.load(cells);
                          offsets.for_each([&](int64_t at, int32_t) THALWEG_SIMD_LAMBDA {
                            best = max_nan(best, io.load(cells + at));
                          });
                          io.store(best, result);
                        };
  pool_rows(g, x, y, begin, end, body);
}

void avg_rows(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end) {
  const auto body = [](auto io, const Offsets& offsets, const float* cells,
                       float* result) THALWEG_SIMD_LAMBDA {
    V total = zero();
    offsets.for_each([&](int64_t at, int32_t)
                         THALWEG_SIMD_LAMBDA { total = hn::Add(total, io.load(cells + at)); });
    io.store(hn::Div(total, set(static_cast<float>(offsets.rows * offsets.columns))), result);
  };
  pool_rows(g, x, y, begin, end, body);
}

void max_grad(const PoolGeometry& g, const float* x, const float* dy, float* dx, int64_t begin,
              int64_t end) {
  if (are_disjoint(g)) return max_grad_planes<true>(g, x, dy, dx, begin, end);
  max_grad_planes<false>(g, x, dy, dx, begin, end);
}

void avg_grad(const PoolGeometry& g, const float* dy, float* dx, int64_t begin, int64_t end) {
  if (are_disjoint(g)) return avg_grad_planes<true>(g, dy, dx, begin, end);
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
