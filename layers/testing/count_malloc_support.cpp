// allocation_count() of the test programs that run under LD_PRELOAD=libnsop_alloc.so: malloc() and
// its like, on all threads, which operator new and everything else end in. Declared in
// layer_support.h.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "harness/core/alloc_api.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

template <class Function>
Function* hook_function(const char* name) {
  auto* const function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) {
    throw std::runtime_error("this test runs under LD_PRELOAD=libnsop_alloc.so");
  }
  return function;
}

}  // namespace

int64_t allocation_count() {
  static const auto snap = [] {
    hook_function<decltype(nsop_alloc_start)>("nsop_alloc_start")();
    return hook_function<decltype(nsop_alloc_snap)>("nsop_alloc_snap");
  }();
  NsopAllocTotals totals{};
  snap(&totals);
  return totals.allocs;
}

namespace {

TEST(Malloc, IsCounted) {
  const int64_t before = allocation_count();
  void* volatile p = std::malloc(10);
  EXPECT_EQ(allocation_count(), before + 1);
  std::free(p);
  const std::vector<float> some(10);
  EXPECT_EQ(allocation_count(), before + 2);
}

}  // namespace
}  // namespace nsop::layers
