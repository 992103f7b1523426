#include "kernels/pages.h"

namespace nsop::kernels {
namespace {

bool is_intel() {
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
}

bool by_pages = is_intel();

}  // namespace

bool goes_by_pages() { return by_pages; }

void set_goes_by_pages(bool wanted) { by_pages = wanted; }

}  // namespace nsop::kernels
