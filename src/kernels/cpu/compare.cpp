// Comparisons that write bool bytes, and the choice between two arrays by such bytes.
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/compare.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/elementwise_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

using Bytes = hn::Rebind<uint8_t, F32>;

struct Less {
  HWY_INLINE M operator()(V a, V b) const { return hn::Lt(a, b); }
};

struct LessEqual {
  HWY_INLINE M operator()(V a, V b) const { return hn::Le(a, b); }
};

struct Greater {
  HWY_INLINE M operator()(V a, V b) const { return hn::Gt(a, b); }
};

struct GreaterEqual {
  HWY_INLINE M operator()(V a, V b) const { return hn::Ge(a, b); }
};

struct Equal {
  HWY_INLINE M operator()(V a, V b) const { return hn::Eq(a, b); }
};

// Not Highway's Ne, which is false for NaN on x86.
struct NotEqual {
  HWY_INLINE M operator()(V a, V b) const { return hn::Not(hn::Eq(a, b)); }
};

HWY_INLINE auto bytes_from_mask(M mask) {
  const I32 i32;
  const VI ones = hn::IfThenElseZero(hn::RebindMask(i32, mask), hn::Set(i32, 1));
  return hn::DemoteTo(Bytes(), ones);
}

template <class Op>
void compare(const float* a, const float* b, uint8_t* y, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(bytes_from_mask(Op()(load(a + i), load(b + i))), Bytes(), y + i);
  }
  if (i == n) return;
  HWY_ALIGN uint8_t bytes[kLanes];
  const M mask = Op()(load_n(a + i, n - i), load_n(b + i, n - i));
  hn::StoreU(bytes_from_mask(mask), Bytes(), bytes);
  std::memcpy(y + i, bytes, static_cast<size_t>(n - i));
}

HWY_INLINE M mask_from_bytes(const uint8_t* bytes) {
  const VI wide = hn::PromoteTo(I32(), hn::LoadU(Bytes(), bytes));
  return hn::RebindMask(F32(), hn::Ne(wide, hn::Zero(I32())));
}

constexpr Named<CompareFn> kTable[] = {
    {"Less", compare<Less>},       {"LessEqual", compare<LessEqual>},
    {"Greater", compare<Greater>}, {"GreaterEqual", compare<GreaterEqual>},
    {"Equal", compare<Equal>},     {"NotEqual", compare<NotEqual>},
};

}  // namespace

CompareFn find_comparison(std::string_view op) { return find_named(kTable, op); }

void choose(const uint8_t* condition, const float* a, const float* b, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(hn::IfThenElse(mask_from_bytes(condition + i), load(a + i), load(b + i)), y + i);
  }
  if (i == n) return;
  HWY_ALIGN uint8_t bytes[kLanes] = {};
  std::memcpy(bytes, condition + i, static_cast<size_t>(n - i));
  const V chosen =
      hn::IfThenElse(mask_from_bytes(bytes), load_n(a + i, n - i), load_n(b + i, n - i));
  store_n(chosen, y + i, n - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(find_comparison);
CompareFn find_compare(std::string_view op) { return HWY_DYNAMIC_DISPATCH(find_comparison)(op); }

HWY_EXPORT(choose);
void select(const uint8_t* condition, const float* a, const float* b, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(choose)(condition, a, b, y, n);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
