// The machine's peak, measured beside each case: fused multiply-adds on registers only.
#pragma once

namespace thalweg::bench {

/// float32 operations a second (an FMA counts as two) of `threads` threads together, over a few
/// milliseconds.
double fma_peak(int threads);

}  // namespace thalweg::bench
