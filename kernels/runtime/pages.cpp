#include "kernels/runtime/pages.h"

namespace nsop::kernels {
namespace {

bool is_intel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

bool as_intel = is_intel();

}  // namespace

bool goes_by_pages() { return as_intel; }

bool asks_for_lines() { return as_intel; }

void set_goes_as_intel(bool wanted) { as_intel = wanted; }

}  // namespace nsop::kernels
