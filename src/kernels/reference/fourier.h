// The discrete Fourier transform of one vector of any length, which the FFT ops run along their
// dimensions.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace thalweg::reference {

/// A plan for vectors of one length; computes in double. Immutable.
///
/// Powers of two are transformed by Cooley and Tukey's algorithm, other lengths as a convolution of
/// a power of two (Bluestein 1970): O(n log n) for every n.
class Fourier {
 public:
  explicit Fourier(int64_t length);

  /// x[k] becomes sum_n x[n] exp(-2 pi i k n / length); `inverse`: with +2 pi i, over length.
  void transform(std::complex<double>* x, bool inverse) const;

 private:
  using Complexes = std::vector<std::complex<double>>;
  void forward(std::complex<double>* x) const;
  // The radix-2 transform of `size_` elements, a power of two.
  void radix2(std::complex<double>* x) const;

  size_t length_;
  size_t size_;         // length_ itself, or that of the convolution
  Complexes roots_;     // exp(-2 pi i k / size_), half of them
  Complexes chirp_;     // exp(-pi i n^2 / length_); empty for powers of two
  Complexes spectrum_;  // transform of the conjugate chirp
};

}  // namespace thalweg::reference
