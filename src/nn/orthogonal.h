// Orthonormal vectors from random ones, for the orthogonal initializer.
#pragma once

#include <cstdint>
#include <vector>

namespace thalweg {

/// `count` <= `length` orthonormal vectors of `length` numbers, one after the other; uniformly
/// distributed over all such sets, a function of the seed.
std::vector<double> orthonormal_vectors(int64_t count, int64_t length, uint64_t seed);

}  // namespace thalweg
