// Philox4x32-10 (Salmon et al. 2011) in vectors: random numbers as a function of position.
//
// Element i of a stream depends on the stream and on i alone: it comes from word i % 4 of the block
// whose counter is the stream's counter plus i / 4, as in TensorFlow. Any range can therefore be
// filled by any thread, in any order, with the same result. Words and uniform numbers are the same
// bits on every target; normal numbers agree to a few units in the last place.
#pragma once

#include <cstdint>

namespace thalweg::simd {

/// The key and the 128-bit counter of a stream's element 0.
struct PhiloxStream {
  uint32_t key0 = 0;
  uint32_t key1 = 0;
  uint64_t counter_low = 0;
  uint64_t counter_high = 0;
};

/// Elements [begin, end) of the stream, 0 <= begin <= end, into y[0, end - begin).
void fill_words(const PhiloxStream& stream, uint32_t* y, int64_t begin, int64_t end);

/// The same as uniform numbers in [0, 1): the low 23 bits of each word over 2^23.
void fill_uniform(const PhiloxStream& stream, float* y, int64_t begin, int64_t end);

/// The same as normal numbers of mean 0 and deviation 1: elements 2 j and 2 j + 1 are the
/// Box-Muller pair (sine, then cosine) of words 2 j (the radius) and 2 j + 1 (the angle).
void fill_normal(const PhiloxStream& stream, float* y, int64_t begin, int64_t end);

}  // namespace thalweg::simd
