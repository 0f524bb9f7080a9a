#include "kernels/cpu/random.h"

#include <algorithm>

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/random.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

using U64 = hn::Repartition<uint64_t, U32>;
using VW = hn::Vec<U64>;

constexpr int64_t kCounters = hn::MaxLanes(U64());  // blocks computed side by side
constexpr int64_t kBatch = 4 * kCounters;           // words they yield: two vectors

struct Words {
  VU first, second;
};

// The keys of the ten rounds, spread over vectors once for all batches.
struct RoundKeys {
  VW first[10], second[10];

  HWY_INLINE explicit RoundKeys(const PhiloxStream& stream) {
    uint32_t key0 = stream.key0, key1 = stream.key1;
    for (int round = 0; round < 10; ++round) {
      first[round] = hn::Set(U64(), key0);
      second[round] = hn::Set(U64(), key1);
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
  }
};

HWY_INLINE VW multiply_low(VW a, VU b) { return hn::MulEven(hn::BitCast(U32(), a), b); }

// The high half brought down. A shuffle, because shifts would wait for the multiplier's port.
HWY_INLINE VW high_half(VW a) { return hn::BitCast(U64(), hn::Shuffle2301(hn::BitCast(U32(), a))); }

// The kBatch words of the blocks that start at counter (low, high).
//
// Each 64-bit lane holds one counter word in its low half. The high half is left to fill with
// rubbish, as neither the multiplication nor the exclusive or carries it down; the products bring
// high and low words out together.
HWY_INLINE Words philox(const RoundKeys& keys, uint64_t low, uint64_t high) {
  const U32 u32;
  const U64 u64;
  // Even lanes count the first half of the blocks and odd lanes the second, which is the order that
  // interleaving within 128 bits undoes.
  HWY_ALIGN uint64_t offsets[kCounters];
  for (int64_t i = 0; i < kCounters; ++i) {
    offsets[i] = static_cast<uint64_t>(i / 2 + i % 2 * (kCounters / 2));
  }
  const VW base = hn::Set(u64, low);
  const VW counter = hn::Add(base, hn::Load(u64, offsets));
  const auto carries = hn::Lt(counter, base);
  const VW upper = hn::IfThenElse(carries, hn::Set(u64, high + 1), hn::Set(u64, high));

  VW c0 = counter, c1 = hn::ShiftRight<32>(counter);
  VW c2 = upper, c3 = hn::ShiftRight<32>(upper);
  const VU m0 = hn::Set(u32, 0xD2511F53);
  const VU m1 = hn::Set(u32, 0xCD9E8D57);
  for (int round = 0; round < 10; ++round) {
    const VW p0 = multiply_low(c0, m0);
    const VW p1 = multiply_low(c2, m1);
    c0 = hn::Xor3(high_half(p1), c1, keys.first[round]);
    c2 = hn::Xor3(high_half(p0), c3, keys.second[round]);
    c1 = p1;
    c3 = p0;
  }
  const VW mask = hn::Set(u64, 0xFFFFFFFF);
  const VW front = hn::Or(hn::And(c0, mask), hn::ShiftLeft<32>(c1));
  const VW back = hn::Or(hn::And(c2, mask), hn::ShiftLeft<32>(c3));
  return {hn::BitCast(u32, hn::InterleaveLower(u64, front, back)),
          hn::BitCast(u32, hn::InterleaveUpper(u64, front, back))};
}

// Writes finish(words) of each batch, through a buffer where only a part of it is wanted.
template <class T, class Finish>
HWY_INLINE void fill(const PhiloxStream& stream, T* y, int64_t begin, int64_t end, Finish finish) {
  HWY_ALIGN T buffer[kBatch];
  const RoundKeys keys(stream);
  const uint64_t counter_low = stream.counter_low, counter_high = stream.counter_high;
  while (begin < end) {
    const uint64_t block = static_cast<uint64_t>(begin) / 4;
    const uint64_t low = counter_low + block;
    const Words words = philox(keys, low, counter_high + (low < block));
    const int64_t skip = begin % 4;
    const int64_t n = std::min(kBatch - skip, end - begin);
    const bool whole = n == kBatch;
    finish(words, whole ? y : buffer);
    if (!whole) std::copy_n(buffer + skip, n, y);
    begin += n;
    y += n;
  }
}

// The low 23 bits as a fraction: under the exponent of 1, less 1.
HWY_INLINE V unit_interval(VU words) {
  const U32 u32;
  const VU mantissa = hn::And(words, hn::Set(u32, 0x7FFFFF));
  const VU bits = hn::Or(mantissa, hn::Set(u32, 0x3F800000));
  return hn::Sub(hn::BitCast(F32(), bits), set(1.0f));
}

struct Pair {
  V sine, cosine;
};

// sqrt(-2 log u) (sin 2 pi v, cos 2 pi v). The quarter turn nearest to v is exact in v.
HWY_INLINE Pair box_muller(V u, V v) {
  const V radius = hn::Sqrt(hn::Mul(set(-2.0f), log_positive_normal(hn::Max(u, set(1e-7f)))));
  const V quarter = hn::Round(hn::Mul(v, set(4.0f)));
  const V r = hn::Mul(hn::NegMulAdd(quarter, set(0.25f), v), set(6.28318531f));
  const V s = sin_reduced(r);
  const V c = cos_reduced(r);
  // Quarters 0..4: sine is s, c, -s, -c, s and cosine c, -s, -c, s, c.
  const I32 i32;
  const VI q = hn::ConvertTo(i32, quarter);
  const VI one = hn::Set(i32, 1);
  const M odd = hn::RebindMask(F32(), hn::Eq(hn::And(q, one), one));
  const VI two = hn::Set(i32, 2);
  const VI sine_sign = hn::ShiftLeft<30>(hn::And(q, two));
  const VI cosine_sign = hn::ShiftLeft<30>(hn::And(hn::Add(q, one), two));
  const V sine = as_float(hn::Xor(as_int(hn::IfThenElse(odd, c, s)), sine_sign));
  const V cosine = as_float(hn::Xor(as_int(hn::IfThenElse(odd, s, c)), cosine_sign));
  return {hn::Mul(sine, radius), hn::Mul(cosine, radius)};
}

}  // namespace

void words(const PhiloxStream& stream, uint32_t* y, int64_t begin, int64_t end) {
  fill(stream, y, begin, end, [](Words w, uint32_t* out) THALWEG_SIMD_LAMBDA {
    hn::StoreU(w.first, U32(), out);
    hn::StoreU(w.second, U32(), out + kLanes);
  });
}

void uniform(const PhiloxStream& stream, float* y, int64_t begin, int64_t end) {
  fill(stream, y, begin, end, [](Words w, float* out) THALWEG_SIMD_LAMBDA {
    store(unit_interval(w.first), out);
    store(unit_interval(w.second), out + kLanes);
  });
}

void normal(const PhiloxStream& stream, float* y, int64_t begin, int64_t end) {
  fill(stream, y, begin, end, [](Words w, float* out) THALWEG_SIMD_LAMBDA {
    const V first = unit_interval(w.first);
    const V second = unit_interval(w.second);
    // Each lane takes one pair: those of the first vector in the even lanes, of the second in the
    // odd ones; and the results go back in the same way.
    const V u = hn::OddEven(hn::DupEven(second), first);
    const V v = hn::OddEven(second, hn::DupOdd(first));
    const Pair pair = box_muller(u, v);
    store(hn::OddEven(hn::DupEven(pair.cosine), pair.sine), out);
    store(hn::OddEven(pair.cosine, hn::DupOdd(pair.sine)), out + kLanes);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(words);
void fill_words(const PhiloxStream& stream, uint32_t* y, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(words)(stream, y, begin, end);
}

HWY_EXPORT(uniform);
void fill_uniform(const PhiloxStream& stream, float* y, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(uniform)(stream, y, begin, end);
}

HWY_EXPORT(normal);
void fill_normal(const PhiloxStream& stream, float* y, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(normal)(stream, y, begin, end);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
