// Reduction over the middle axis of [outer, mid, inner], down to column sums at memory speed.
//
// Rows are read eight at a time across a tile of columns, so that memory is streamed and the
// partial results stay in the first-level cache. Sums build up on three levels (128 rows, 128
// blocks of rows, everything): no partial sum receives more than about 128 terms in a row until
// there are two million rows, and unlike compensated summation infinities come through.
#include <algorithm>

#include "kernels/cpu/highway.h"
#include "kernels/cpu/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduce_axis.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/reduce_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t kTile = 1024;  // columns: three levels are 12 KiB
constexpr int64_t kRowBlock = 128;
constexpr int64_t kBlocksPerGroup = 128;
constexpr int64_t kNarrow = 64;  // below this, several rows are read as one

// y = op(y, x) over n columns, or y = x when `first`.
template <class Op>
HWY_INLINE void merge(const float* x, float* y, int64_t n, bool first) {
  if (first) {
    std::copy_n(x, n, y);
    return;
  }
  sweep<4>(n, [=](auto io, int64_t i)
                  THALWEG_SIMD_LAMBDA { io.store(Op()(io.load(y + i), io.load(x + i)), y + i); });
}

template <class Op>
HWY_INLINE void merge_eight(const float* x, int64_t stride, float* y, int64_t n, bool first) {
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const Op op;
    const float* p = x + i;
    const V a = op(io.load(p), io.load(p + stride));
    const V b = op(io.load(p + 2 * stride), io.load(p + 3 * stride));
    const V c = op(io.load(p + 4 * stride), io.load(p + 5 * stride));
    const V d = op(io.load(p + 6 * stride), io.load(p + 7 * stride));
    const V v = op(op(a, b), op(c, d));
    io.store(first ? v : op(io.load(y + i), v), y + i);
  });
}

// At most kRowBlock rows into y.
template <class Op>
HWY_INLINE void reduce_row_block(const float* x, int64_t stride, int64_t rows, float* y,
                                 int64_t n) {
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8) merge_eight<Op>(x + r * stride, stride, y, n, r == 0);
  for (; r < rows; ++r) merge<Op>(x + r * stride, y, n, r == 0);
}

// n <= kTile columns of rows >= 1 rows that lie `stride` apart.
template <class Op>
void reduce_tile(const float* x, int64_t stride, int64_t rows, float* y, int64_t n) {
  if (rows <= kRowBlock) return reduce_row_block<Op>(x, stride, rows, y, n);
  HWY_ALIGN float block[kTile];
  HWY_ALIGN float group[kTile];
  constexpr int64_t kGroup = kRowBlock * kBlocksPerGroup;
  for (int64_t g = 0; g < rows; g += kGroup) {
    const int64_t group_end = std::min(rows, g + kGroup);
    for (int64_t r = g; r < group_end; r += kRowBlock) {
      const int64_t count = std::min(kRowBlock, group_end - r);
      reduce_row_block<Op>(x + r * stride, stride, count, block, n);
      merge<Op>(block, group, n, r == g);
    }
    merge<Op>(group, y, n, g == 0);
  }
}

// Rows narrower than a few vectors: k rows are one row of k inner columns, and the k partial
// results of each column are combined at the end.
template <class Op>
void reduce_narrow(const float* x, int64_t rows, int64_t columns, float* y) {
  const int64_t k = std::min(4 * kNarrow / columns, rows);
  const int64_t wide = k * columns;
  HWY_ALIGN float partial[4 * kNarrow];
  reduce_tile<Op>(x, wide, rows / k, partial, wide);
  for (int64_t r = rows / k * k; r < rows; ++r) merge<Op>(x + r * columns, partial, columns, false);
  for (int64_t j = 1; j < k; ++j) merge<Op>(partial + j * columns, partial, columns, false);
  std::copy_n(partial, columns, y);
}

template <class Op>
HWY_INLINE void reduce_tiles(const float* x, float* y, int64_t rows, int64_t columns, int64_t begin,
                             int64_t end) {
  for (int64_t c = begin; c < end; c += kTile) {
    reduce_tile<Op>(x + c, columns, rows, y + c, std::min(kTile, end - c));
  }
}

template <class Op>
HWY_INLINE void reduce_all(const float* x, float* y, int64_t outer, int64_t mid, int64_t inner) {
  if (inner == 0) return;
  if (mid == 0) {
    std::fill_n(y, outer * inner, float{Op::kNeutral});
    return;
  }
  for (int64_t o = 0; o < outer; ++o) {
    const float* in = x + o * mid * inner;
    float* out = y + o * inner;
    if (inner == 1) {
      *out = fold_range<Op>(in, mid);
    } else if (inner < kNarrow) {
      reduce_narrow<Op>(in, mid, inner, out);
    } else {
      reduce_tiles<Op>(in, out, mid, inner, 0, inner);
    }
  }
}

void divide(float* y, int64_t n, int64_t count) {
  const V divisor = set(static_cast<float>(count));
  sweep(n, [=](auto io, int64_t i)
               THALWEG_SIMD_LAMBDA { io.store(hn::Div(io.load(y + i), divisor), y + i); });
}

}  // namespace

void middle(Reduction op, const float* x, float* y, int64_t outer, int64_t mid, int64_t inner) {
  switch (op) {
    case Reduction::kSum: return reduce_all<SumOp>(x, y, outer, mid, inner);
    case Reduction::kMean:
      reduce_all<SumOp>(x, y, outer, mid, inner);
      return divide(y, outer * inner, mid);
    case Reduction::kMax: return reduce_all<MaxOp>(x, y, outer, mid, inner);
    case Reduction::kMin: return reduce_all<MinOp>(x, y, outer, mid, inner);
    case Reduction::kProd: return reduce_all<ProdOp>(x, y, outer, mid, inner);
  }
}

void columns_range(Reduction op, const float* x, float* y, int64_t rows, int64_t columns,
                   int64_t begin, int64_t end) {
  // Without rows x is not read, and a narrow matrix is not worth dividing.
  if (rows == 0) return middle(op, x, y + begin, 1, 0, end - begin);
  if (begin == 0 && end == columns) return middle(op, x, y, 1, rows, columns);
  switch (op) {
    case Reduction::kSum: return reduce_tiles<SumOp>(x, y, rows, columns, begin, end);
    case Reduction::kMean:
      reduce_tiles<SumOp>(x, y, rows, columns, begin, end);
      return divide(y + begin, end - begin, rows);
    case Reduction::kMax: return reduce_tiles<MaxOp>(x, y, rows, columns, begin, end);
    case Reduction::kMin: return reduce_tiles<MinOp>(x, y, rows, columns, begin, end);
    case Reduction::kProd: return reduce_tiles<ProdOp>(x, y, rows, columns, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(middle);
void reduce_middle(Reduction op, const float* x, float* y, int64_t outer, int64_t mid,
                   int64_t inner) {
  HWY_DYNAMIC_DISPATCH(middle)(op, x, y, outer, mid, inner);
}

HWY_EXPORT(columns_range);
void reduce_columns(Reduction op, const float* x, float* y, int64_t rows, int64_t columns,
                    int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(columns_range)(op, x, y, rows, columns, begin, end);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
