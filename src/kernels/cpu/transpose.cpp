// Tiles of 16 by 16, within blocks that keep the lines of both matrices in the
// second-level cache until they are used up; for 4-byte elements squares are turned in registers.
#include "kernels/cpu/transpose.h"

#include <algorithm>

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/transpose.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

// Part of a matrix: rows [r0, r1), columns [c0, c1).
struct Window {
  int64_t r0, r1, c0, c1;
};

template <class T>
void transpose_plain(const T* x, T* y, int64_t rows, int64_t columns, Window w) {
  for (int64_t c = w.c0; c < w.c1; ++c) {
    for (int64_t r = w.r0; r < w.r1; ++r) y[c * rows + r] = x[r * columns + c];
  }
}

// Squares of 8 where vectors have 8 lanes or more, else of 4.
using Square = hn::CappedTag<uint32_t, 8>;
constexpr int64_t kSquare = hn::MaxLanes(Square());

template <class D, class Vec>
HWY_INLINE void turn_four(D d, Vec a, Vec b, Vec c, Vec e, Vec (&out)[4]) {
  const hn::RepartitionToWide<D> wide;
  const auto ab_low = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
  out[0] = hn::BitCast(d, hn::InterleaveLower(wide, ab_low, ce_low));
  out[1] = hn::BitCast(d, hn::InterleaveUpper(wide, ab_low, ce_low));
  out[2] = hn::BitCast(d, hn::InterleaveLower(wide, ab_high, ce_high));
  out[3] = hn::BitCast(d, hn::InterleaveUpper(wide, ab_high, ce_high));
}

HWY_INLINE void turn_square(const uint32_t* x, int64_t x_stride, uint32_t* y, int64_t y_stride) {
  const Square d;
  using Vec = hn::Vec<Square>;
  const auto row = [=](int64_t r) THALWEG_SIMD_LAMBDA { return hn::LoadU(d, x + r * x_stride); };
  Vec top[4];
  turn_four(d, row(0), row(1), row(2), row(3), top);
  if constexpr (kSquare == 8) {
    // Each half of a vector was turned by itself; now the halves change places.
    Vec bottom[4];
    turn_four(d, row(4), row(5), row(6), row(7), bottom);
    for (int64_t i = 0; i < 4; ++i) {
      hn::StoreU(hn::ConcatLowerLower(d, bottom[i], top[i]), d, y + i * y_stride);
      hn::StoreU(hn::ConcatUpperUpper(d, bottom[i], top[i]), d, y + (i + 4) * y_stride);
    }
  } else {
    for (int64_t i = 0; i < 4; ++i) hn::StoreU(top[i], d, y + i * y_stride);
  }
}

HWY_INLINE void transpose_block(const uint32_t* x, uint32_t* y, int64_t rows, int64_t columns,
                                Window w) {
  const int64_t r_whole = w.r0 + (w.r1 - w.r0) / kSquare * kSquare;
  const int64_t c_whole = w.c0 + (w.c1 - w.c0) / kSquare * kSquare;
  for (int64_t c = w.c0; c < c_whole; c += kSquare) {
    for (int64_t r = w.r0; r < r_whole; r += kSquare) {
      turn_square(x + r * columns + c, columns, y + c * rows + r, rows);
    }
  }
  transpose_plain(x, y, rows, columns, {w.r0, r_whole, c_whole, w.c1});
  transpose_plain(x, y, rows, columns, {r_whole, w.r1, w.c0, w.c1});
}

template <class T>
HWY_INLINE void transpose_block(const T* x, T* y, int64_t rows, int64_t columns, Window w) {
  transpose_plain(x, y, rows, columns, w);
}

constexpr int64_t kTile = 16;
constexpr int64_t kBlock = 128;

template <class T>
HWY_INLINE void transpose_tiles(const T* x, T* y, int64_t rows, int64_t columns, Window w) {
  for (int64_t c = w.c0; c < w.c1; c += kTile) {
    for (int64_t r = w.r0; r < w.r1; r += kTile) {
      transpose_block(x, y, rows, columns,
                      {r, std::min(r + kTile, w.r1), c, std::min(c + kTile, w.c1)});
    }
  }
}

template <class T>
void transpose_window(const void* x, void* y, int64_t rows, int64_t columns, int64_t begin,
                      int64_t end) {
  for (int64_t r = begin; r < end; r += kBlock) {
    for (int64_t c = 0; c < columns; c += kBlock) {
      const Window w{r, std::min(r + kBlock, end), c, std::min(c + kBlock, columns)};
      transpose_tiles(static_cast<const T*>(x), static_cast<T*>(y), rows, columns, w);
    }
  }
}

}  // namespace

void turn_rows(const void* x, void* y, int element_size, int64_t rows, int64_t columns,
               int64_t begin, int64_t end) {
  switch (element_size) {
    case 1: return transpose_window<uint8_t>(x, y, rows, columns, begin, end);
    case 2: return transpose_window<uint16_t>(x, y, rows, columns, begin, end);
    case 4: return transpose_window<uint32_t>(x, y, rows, columns, begin, end);
    case 8: return transpose_window<uint64_t>(x, y, rows, columns, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(turn_rows);

void transpose_rows(const void* x, void* y, int element_size, int64_t rows, int64_t columns,
                    int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(turn_rows)(x, y, element_size, rows, columns, begin, end);
}

void transpose(const void* x, void* y, int element_size, int64_t batch, int64_t rows,
               int64_t columns) {
  const int64_t bytes = rows * columns * element_size;
  const auto turn = HWY_DYNAMIC_DISPATCH(turn_rows);
  for (int64_t b = 0; b < batch; ++b) {
    turn(static_cast<const char*>(x) + b * bytes, static_cast<char*>(y) + b * bytes, element_size,
         rows, columns, 0, rows);
  }
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
