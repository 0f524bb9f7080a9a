#include "thalweg/kernels/version.h"

#include "kernels/cpu/targets.h"
#include "kernels/onednn/shim.h"

namespace thalweg {

std::string onednn_version() { return onednn::version_string(); }
std::string simd_target() { return simd::target_name(); }

}  // namespace thalweg
