#include "kernels/pages.h"

namespace nsop::kernels {
namespace {

bool is_intel() {
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
}

bool by_pages = is_intel(), asks = is_intel();

}  // namespace

bool goes_by_pages() { return by_pages; }

bool asks_for_lines() { return asks; }

void set_goes_by_pages(bool wanted) { by_pages = wanted; }

void set_asks_for_lines(bool wanted) { asks = wanted; }

}  // namespace nsop::kernels
