#include "kernels/cpu/targets.h"

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/targets.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

int64_t current_target() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(current_target);

const char* target_name() { return hwy::TargetName(HWY_DYNAMIC_DISPATCH(current_target)()); }

std::vector<const char*> available_targets() {
  std::vector<const char*> names;
  // A lower bit is a better target, and the list starts from the lowest.
  for (int64_t target : hwy::SupportedAndGeneratedTargets())
    names.push_back(hwy::TargetName(target));
  return names;
}

bool force_target_for_test(std::string_view name) {
  hwy::SetSupportedTargetsForTest(0);
  bool found = name.empty();
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    found = true;
    break;
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return found;
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
