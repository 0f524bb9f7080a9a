// The version of this library, as run records and `thalweg --version` state it.
#pragma once

#include <string_view>

namespace thalweg {

/// Semantic; that of the CMake project, which a test compares.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace thalweg
