#include "kernels/reference/fourier.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace thalweg::reference {
namespace {

std::complex<double> unit(double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns); }

}  // namespace

Fourier::Fourier(int64_t length) : length_(static_cast<size_t>(length)), size_(length_) {
  if (length_ == 0) return;
  const bool direct = std::has_single_bit(length_);
  if (!direct) size_ = std::bit_ceil(2 * length_ - 1);
  for (size_t k = 0; k < size_ / 2; ++k)
    roots_.push_back(unit(-static_cast<double>(k) / static_cast<double>(size_)));
  if (direct) return;
  spectrum_.assign(size_, 0);
  for (size_t n = 0; n < length_; ++n) {
    // n^2 modulo 2 length keeps the angle exact for long vectors.
    const size_t square = n * n % (2 * length_);
    chirp_.push_back(unit(-static_cast<double>(square) / (2.0 * static_cast<double>(length_))));
    spectrum_[n] = std::conj(chirp_[n]);
    if (n > 0) spectrum_[size_ - n] = spectrum_[n];
  }
  radix2(spectrum_.data());
}

void Fourier::transform(std::complex<double>* x, bool inverse) const {
  if (!inverse) return forward(x);
  // The inverse is the forward transform between two conjugations.
  for (size_t n = 0; n < length_; ++n) x[n] = std::conj(x[n]);
  forward(x);
  for (size_t n = 0; n < length_; ++n) x[n] = std::conj(x[n]) / static_cast<double>(length_);
}

void Fourier::forward(std::complex<double>* x) const {
  if (chirp_.empty()) return radix2(x);
  // k n = (k^2 + n^2 - (k - n)^2) / 2 turns the sum into a convolution with the chirp.
  Complexes work(size_, 0);
  for (size_t n = 0; n < length_; ++n) work[n] = x[n] * chirp_[n];
  radix2(work.data());
  for (size_t k = 0; k < size_; ++k) work[k] = std::conj(work[k] * spectrum_[k]);
  radix2(work.data());
  for (size_t n = 0; n < length_; ++n)
    x[n] = std::conj(work[n]) / static_cast<double>(size_) * chirp_[n];
}

void Fourier::radix2(std::complex<double>* x) const {
  for (size_t i = 1, j = 0; i < size_; ++i) {
    size_t bit = size_ / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t half = 1; half < size_; half *= 2) {
    const size_t step = size_ / (2 * half);
    for (size_t begin = 0; begin < size_; begin += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        std::complex<double>& low = x[begin + k];
        std::complex<double>& high = x[begin + k + half];
        const std::complex<double> turned = high * roots_[k * step];
        high = low - turned;
        low += turned;
      }
    }
  }
}

}  // namespace thalweg::reference
