// Discrete Fourier transforms over the last one, two or three dimensions, of any lengths.
//
// Each function adds one node of the TensorFlow op of its name in capitals (FFT, IFFT2D, ...).
// Forward transforms are sums with exp(-2 pi i k n / N); inverse ones have the opposite sign and
// divide by N.
#pragma once

#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct FftOptions {
  std::string name = {};
};

// Complex to complex, the shape is kept.
Output fft(Output x, const FftOptions& options = {});
Output ifft(Output x, const FftOptions& options = {});
Output fft2d(Output x, const FftOptions& options = {});
Output ifft2d(Output x, const FftOptions& options = {});
Output fft3d(Output x, const FftOptions& options = {});
Output ifft3d(Output x, const FftOptions& options = {});

/// Real `x` of `[..., n]` to the first n / 2 + 1 values of its spectrum. Uses the first
/// `fft_length[i]` values along each transformed dimension; empty: all of them, which must then be
/// known. Throws invalid_argument when there are fewer.
Output rfft(Output x, const IntVector& fft_length = {}, const FftOptions& options = {});
Output rfft2d(Output x, const IntVector& fft_length = {}, const FftOptions& options = {});
Output rfft3d(Output x, const IntVector& fft_length = {}, const FftOptions& options = {});

/// The inverse: of `[..., n / 2 + 1]` values of a spectrum to n real ones. An empty `fft_length`
/// takes the last dimension of the result to be even.
Output irfft(Output x, const IntVector& fft_length = {}, const FftOptions& options = {});
Output irfft2d(Output x, const IntVector& fft_length = {}, const FftOptions& options = {});
Output irfft3d(Output x, const IntVector& fft_length = {}, const FftOptions& options = {});

}  // namespace thalweg
