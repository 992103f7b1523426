// The program's own operator new, so that tests can count.
#include "kernels/testing/count_new_support.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace nsop::kernels {
std::atomic<int64_t> allocations{0}, live_blocks{0};
}  // namespace nsop::kernels

namespace {

// Not inlined: GCC would take new and free for a mismatched pair.
[[gnu::noinline]] void* counted(size_t size, size_t alignment) {
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc();
  ++nsop::kernels::allocations;
  ++nsop::kernels::live_blocks;
  return p;
}

[[gnu::noinline]] void give_back(void* p) {
  if (p != nullptr) --nsop::kernels::live_blocks;
  std::free(p);
}
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
