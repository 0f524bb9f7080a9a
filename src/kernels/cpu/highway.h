// Restricts Highway to the targets worth their compile time. Include it before any Highway header.
//
// On x86-64 that is AVX-512, AVX2 and, for every older CPU, SSE4.2. SSE4 must be named the
// baseline: Highway 1.0's own is scalar code or EMU128, and g++ 12.2 miscompiles the latter (GCC PR
// 106322).
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#if defined(__x86_64__)
#define HWY_BASELINE_TARGETS HWY_SSE4
#endif
