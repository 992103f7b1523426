// libnsop_alloc.so: counts allocations of a process that runs under LD_PRELOAD, and of nothing
// else. No header: its functions take the place of the C library's, and alloc_api.h declares the
// others.
//
// The malloc family is replaced and forwards to glibc's own __libc_* entry points; operator new
// arrives through malloc, its aligned forms through aligned_alloc, strdup and the like through
// malloc. Not seen: mmap called directly. The totals are exact over all threads: every thread adds
// to one of 64 shards of relaxed atomics; the hook never allocates and needs no destructor.
#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "harness/core/alloc_api.h"

#define NSOP_EXPORT __attribute__((visibility("default")))

// NOLINTBEGIN(clang-diagnostic-reserved-identifier,readability-identifier-naming): glibc's names
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* __libc_valloc(size_t size);
void* __libc_pvalloc(size_t size);
void __libc_free(void* p);
}
// NOLINTEND(clang-diagnostic-reserved-identifier,readability-identifier-naming)

namespace {

struct alignas(128) Shard {
  std::atomic<int64_t> allocs{0}, frees{0}, requested{0};
};

constexpr unsigned kShards = 64;
Shard shards[kShards];
std::atomic<bool> counting{false};
// A peak is a property of the sum at one moment, so the live bytes can't be sharded.
alignas(128) std::atomic<int64_t> live{0};
std::atomic<int64_t> peak{0};
std::atomic<unsigned> next_shard{0};

// Initial-exec: reading it may not allocate, as a dynamic TLS block would.
__thread unsigned my_shard __attribute__((tls_model("initial-exec"))) = 0;

constexpr auto kRelaxed = std::memory_order_relaxed;

Shard& shard() {
  if (my_shard == 0) my_shard = next_shard.fetch_add(1, kRelaxed) % kShards + 1;
  return shards[my_shard - 1];
}

bool on() { return counting.load(kRelaxed); }

int64_t usable(void* p) { return static_cast<int64_t>(malloc_usable_size(p)); }

void add_live(int64_t bytes) {
  const int64_t now = live.fetch_add(bytes, kRelaxed) + bytes;
  int64_t seen = peak.load(kRelaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, kRelaxed)) {
  }
}

void* allocated(void* p, size_t requested) {
  if (p == nullptr || !on()) return p;
  Shard& s = shard();
  s.allocs.fetch_add(1, kRelaxed);
  s.requested.fetch_add(static_cast<int64_t>(requested), kRelaxed);
  add_live(usable(p));
  return p;
}

void freed(int64_t usable_bytes) {
  shard().frees.fetch_add(1, kRelaxed);
  live.fetch_sub(usable_bytes, kRelaxed);
}

bool power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

extern "C" {

NSOP_EXPORT void* malloc(size_t size) noexcept { return allocated(__libc_malloc(size), size); }

NSOP_EXPORT void* calloc(size_t count, size_t size) noexcept {
  // A product that overflows makes __libc_calloc fail, and failures aren't counted.
  return allocated(__libc_calloc(count, size), count * size);
}

NSOP_EXPORT void free(void* p) noexcept {
  if (p != nullptr && on()) freed(usable(p));
  __libc_free(p);
}

NSOP_EXPORT void* realloc(void* p, size_t size) noexcept {
  const int64_t old_bytes = p != nullptr && on() ? usable(p) : -1;
  void* const q = __libc_realloc(p, size);
  // glibc frees on realloc(p, 0) and returns null; any other null left p as it was.
  const bool released = q != nullptr || size == 0;
  if (old_bytes >= 0 && released) freed(old_bytes);
  return allocated(q, size);
}

NSOP_EXPORT void* reallocarray(void* p, size_t count, size_t size) noexcept {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(p, bytes);
}

NSOP_EXPORT void* memalign(size_t alignment, size_t size) noexcept {
  return allocated(__libc_memalign(alignment, size), size);
}

NSOP_EXPORT void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return memalign(alignment, size);
}

NSOP_EXPORT int posix_memalign(void** out, size_t alignment, size_t size) noexcept {
  if (!power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int saved = errno;  // posix_memalign reports by its result and leaves errno alone
  void* const p = memalign(alignment, size);
  errno = saved;
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}

NSOP_EXPORT void* valloc(size_t size) noexcept { return allocated(__libc_valloc(size), size); }

NSOP_EXPORT void* pvalloc(size_t size) noexcept { return allocated(__libc_pvalloc(size), size); }

NSOP_EXPORT void nsop_alloc_start() {
  for (Shard& s : shards) {
    s.allocs.store(0, kRelaxed);
    s.frees.store(0, kRelaxed);
    s.requested.store(0, kRelaxed);
  }
  live.store(0, kRelaxed);
  peak.store(0, kRelaxed);
  counting.store(true, std::memory_order_seq_cst);
}

// Goes on counting; of alloc_program.cpp.
void nsop_alloc_resume() { counting.store(true, std::memory_order_seq_cst); }

NSOP_EXPORT void nsop_alloc_stop() { counting.store(false, std::memory_order_seq_cst); }

NSOP_EXPORT void nsop_alloc_snap(NsopAllocTotals* totals) {
  *totals = {0, 0, 0, peak.load(kRelaxed)};
  for (const Shard& s : shards) {
    totals->allocs += s.allocs.load(kRelaxed);
    totals->frees += s.frees.load(kRelaxed);
    totals->requested_bytes += s.requested.load(kRelaxed);
  }
}
}
