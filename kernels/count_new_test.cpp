// The program's own operator new, so that tests can count.
#include <atomic>
#include <cstdlib>
#include <new>

#include "kernels/test_support.h"

namespace nsop::kernels {
std::atomic<int64_t> allocations{0};
}  // namespace nsop::kernels

namespace {

// Not inlined: GCC would take new and free for a mismatched pair.
[[gnu::noinline]] void* counted(size_t size, size_t alignment) {
  ++nsop::kernels::allocations;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return p;
  throw std::bad_alloc();
}

[[gnu::noinline]] void give_back(void* p) { std::free(p); }
}  // namespace

void* operator new(size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t align) {
  return counted(size, static_cast<size_t>(align));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, size_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { give_back(p); }
