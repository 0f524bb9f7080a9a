// What the kernels of this process run on: numbers depend on it, so every run record states it.
#pragma once

#include <string>

namespace thalweg {

/// Version of the oneDNN that is loaded: "2.6.3".
std::string onednn_version();
/// Instruction set that the SIMD kernels use on this CPU, by Highway's name: "AVX3" (AVX-512),
/// "AVX2", "SSE4", "NEON".
std::string simd_target();

}  // namespace thalweg
