// Sixteen floats side by side, with the few functions that losses need.
//
// GCC's and Clang's vector types, so that plain expressions become whatever vectors the target has.
// Functions marked THALWEG_CLONES are compiled for several and chosen when the program starts.
#pragma once

#include <cstdint>
#include <cstring>

// Clang 14 does not know these levels, and sanitizers start before the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define THALWEG_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define THALWEG_CLONES
#endif
#define THALWEG_INLINE inline __attribute__((always_inline))

// Also for whoever includes this: all functions that pass Lanes are inlined, so no ABI is at stake.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace thalweg::linear {

inline constexpr int64_t kLanes = 16;
typedef float Lanes __attribute__((vector_size(64)));
typedef int32_t IntLanes __attribute__((vector_size(64)));

THALWEG_INLINE Lanes load(const float* from) {
  Lanes result;
  std::memcpy(&result, from, sizeof result);
  return result;
}
THALWEG_INLINE void store(float* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof lanes); }

THALWEG_INLINE float sum(const Lanes& x) {
  float s[8];
  for (int i = 0; i < 8; ++i) s[i] = x[i] + x[i + 8];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

THALWEG_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }

/// To about 1e-7 of the value; x beyond 88 counts as 88, below -87 as -87.
THALWEG_INLINE Lanes exp_lanes(const Lanes& given) {
  Lanes x = given > 88.0f ? Lanes{} + 88.0f : given;
  x = x < -87.0f ? Lanes{} - 87.0f : x;
  // x = n log 2 + r with |r| <= log(2) / 2; adding 1.5 * 2^23 rounds to an integer.
  const Lanes shifted = x * 1.44269504f + 12582912.0f;
  const Lanes n = shifted - 12582912.0f;
  const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  // Cephes' polynomial of expf.
  Lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const IntLanes bits = (__builtin_convertvector(n, IntLanes) + 127) << 23;
  return p * reinterpret_cast<Lanes>(bits);
}

/// log(1 + x) for x in [0, 1]: 2 artanh(x / (2 + x)), its series up to the 15th power.
THALWEG_INLINE Lanes log1p_lanes(const Lanes& x) {
  const Lanes t = x / (x + 2.0f);
  const Lanes q = t * t;
  Lanes p = q * (1.0f / 15) + 1.0f / 13;
  p = p * q + 1.0f / 11;
  p = p * q + 1.0f / 9;
  p = p * q + 1.0f / 7;
  p = p * q + 1.0f / 5;
  p = p * q + 1.0f / 3;
  p = p * q + 1.0f;
  return 2.0f * t * p;
}

/// log(x) for positive x that are not tiny: x = 2^n (1 + m).
THALWEG_INLINE Lanes log_lanes(const Lanes& x) {
  const IntLanes bits = reinterpret_cast<IntLanes>(x);
  const IntLanes exponent = (bits >> 23) - 127;
  const IntLanes fraction = (bits & 0x7fffff) | 0x3f800000;
  const Lanes m = reinterpret_cast<Lanes>(fraction) - 1.0f;
  return __builtin_convertvector(exponent, Lanes) * 0.693147181f + log1p_lanes(m);
}

}  // namespace thalweg::linear
