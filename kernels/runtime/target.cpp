#include "kernels/runtime/target.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/runtime/target.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

const char* own_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(own_name);

// Highway's bits of the targets, best first: its lower bits are better targets. Asked for once:
// each answer of Highway takes back what was pinned.
const std::vector<int64_t>& target_bits() {
  static const std::vector<int64_t> bits = hwy::SupportedAndGeneratedTargets();
  return bits;
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const int64_t bit : target_bits()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

void pin_target(const std::string& name) {
  const std::vector<int64_t>& bits = target_bits();
  const auto found = std::find_if(bits.begin(), bits.end(),
                                  [&](int64_t bit) { return name == hwy::TargetName(bit); });
  if (found == bits.end()) {
    throw usage_error("target " + name +
                      " is not available here; expected one of: " + join(targets(), ", "));
  }
  hwy::GetChosenTarget().Update(*found);
}

std::string current_target() { return HWY_DYNAMIC_DISPATCH(own_name)(); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
