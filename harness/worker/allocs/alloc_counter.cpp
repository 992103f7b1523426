#include "harness/worker/allocs/alloc_counter.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

namespace nsop::worker {
namespace {

template <class Function>
bool find_symbol(const char* name, Function*& function) {
#if defined(__EMSCRIPTEN__)  // nothing is loaded before the program
  (void)name;
  function = nullptr;
#else
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
#endif
  return function != nullptr;
}

// Keeps the compiler from removing an allocation that is freed unused, which C++ allows it.
template <class T>
T* keep(T* p) {
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

struct alignas(128) OverAligned {
  char bytes[256];
};

// 7 allocations of 1493 bytes and 7 frees.
void main_thread_series() {
  std::free(keep(std::malloc(100)));
  std::free(keep(std::calloc(3, 7)));
  std::free(keep(std::aligned_alloc(64, 512)));
  void* p = keep(std::malloc(200));
  p = keep(std::realloc(p, 400));
  std::free(p);
  delete keep(new int(1));
  delete keep(new OverAligned());
}

// 2 allocations of 24 bytes and 2 frees.
void helper_thread_series() {
  delete keep(new double(1));
  delete[] keep(new char[16]);
}

constexpr int64_t kAllocs = 7 + 2, kBytes = 1493 + 24;

// A thread that lives before and after the counting: starting and ending one allocates and frees.
class Helper {
 public:
  Helper() : thread_([this] { work(); }) {}
  ~Helper() {
    set(leave_);
    thread_.join();
  }
  void run() {
    set(go_);
    done_.wait(false);
  }

 private:
  static void set(std::atomic<bool>& flag) {
    flag.store(true);
    flag.notify_one();
  }
  void work() {
    go_.wait(false);
    helper_thread_series();
    set(done_);
    leave_.wait(false);
  }
  std::atomic<bool> go_{false}, done_{false}, leave_{false};
  std::thread thread_;
};

}  // namespace

std::optional<AllocHook> find_alloc_hook() {
  AllocHook hook;
  if (find_symbol("nsop_alloc_start", hook.start) && find_symbol("nsop_alloc_stop", hook.stop) &&
      find_symbol("nsop_alloc_snap", hook.snap)) {
    return hook;
  }
  return std::nullopt;
}

std::string canary_failure(const AllocHook& hook) {
  Helper helper;
  const NsopAllocTotals got = count_allocs(hook, [&] {
    main_thread_series();
    helper.run();
  });
  const NsopAllocTotals quiet = count_allocs(hook, [] {});
  if (quiet.allocs != 0 || quiet.frees != 0) {
    return fmt::format("counted {} allocations and {} frees where there were none", quiet.allocs,
                       quiet.frees);
  }
  // The overlapping blocks: 200 and 400 bytes in realloc, or 512 alone.
  const bool exact = got.allocs == kAllocs && got.frees == kAllocs &&
                     got.requested_bytes == kBytes && got.peak_live_bytes >= 512;
  if (exact) return {};
  return fmt::format(
      "counted {} allocations, {} frees, {} bytes, peak {}; expected {}, {}, {}, at least 512",
      got.allocs, got.frees, got.requested_bytes, got.peak_live_bytes, kAllocs, kAllocs, kBytes);
}

}  // namespace nsop::worker
