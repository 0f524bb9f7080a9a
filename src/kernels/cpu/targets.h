// Which instruction sets the SIMD kernels are compiled for, and which one is in use. Everything is
// compiled once per target and the best one that the CPU supports is chosen at the first call.
#pragma once

#include <string_view>
#include <vector>

namespace thalweg::simd {

/// The target in use, by Highway's name: "AVX3" (AVX-512), "AVX2", "SSE4" or "NEON".
const char* target_name();

/// Every target that was compiled and that this CPU supports, best first.
std::vector<const char*> available_targets();

/// For tests only: makes later calls and look-ups use `name`; "" returns to the best target.
/// Returns false, changing nothing, when the target is not available. Not thread-safe; function
/// pointers found earlier keep their target.
bool force_target_for_test(std::string_view name);

}  // namespace thalweg::simd
