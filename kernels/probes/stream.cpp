#include "kernels/probes/stream.h"

#include <cassert>

#include "kernels/runtime/pages.h"
#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/probes/stream.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <bool kNontemporal>
HWY_INLINE void put(FloatVec v, float* p) {
  if constexpr (kNontemporal) {
    hn::Stream(v, FloatTag(), p);
  } else {
    hn::StoreU(v, FloatTag(), p);
  }
}

// 4 bytes per element. Eight sums hide the latency of an addition behind two loads per cycle.
float read_part(const float* x, size_t n) {
  constexpr size_t kSums = 8;
  const FloatTag d;
  FloatVec sum[kSums];
  for (FloatVec& one : sum) one = hn::Zero(d);
  size_t i = 0;
  for (const size_t paged = paged_floats(n); i < paged; i += kPageGroup) {
    for (size_t k = i; k < i + kPageFloats; k += 2 * kLanes) {
      for (size_t j = 0; j < kSums; ++j) {
        const size_t at = k + j / 2 * kPageFloats + j % 2 * kLanes;
        sum[j] = hn::Add(sum[j], hn::LoadU(d, x + at));
      }
    }
  }
  for (; i + kSums * kLanes <= n; i += kSums * kLanes) {
    for (size_t j = 0; j < kSums; ++j) {
      sum[j] = hn::Add(sum[j], hn::LoadU(d, x + i + j * kLanes));
    }
  }
  for (size_t j = 1; j < kSums; ++j) sum[0] = hn::Add(sum[0], sum[j]);
  return hn::GetLane(hn::SumOfLanes(d, sum[0])) + sum_of(x + i, n - i);
}

// y[i] = value(i) for whole vectors four at a time; tail(i) for what is left. By pages with plain
// stores, too, where the machine goes by them: what is looked for is the machine's limit.
template <bool kNontemporal, class Value, class Tail>
HWY_INLINE void fill(float* y, size_t n, const Value& value, const Tail& tail) {
  const auto four = [&](size_t at, size_t apart) HWY_ATTR {
    const FloatVec v0 = value(at);
    const FloatVec v1 = value(at + apart);
    const FloatVec v2 = value(at + 2 * apart);
    const FloatVec v3 = value(at + 3 * apart);
    put<kNontemporal>(v0, y + at);
    put<kNontemporal>(v1, y + at + apart);
    put<kNontemporal>(v2, y + at + 2 * apart);
    put<kNontemporal>(v3, y + at + 3 * apart);
  };
  size_t i = 0;
  for (const size_t paged = paged_floats(n); i < paged; i += kPageGroup) {
    for (size_t j = i; j < i + kPageFloats; j += kLanes) four(j, kPageFloats);
  }
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) four(i, kLanes);
  for (; i < n; ++i) y[i] = tail(i);
  if (kNontemporal) hwy::FlushStream();
}

// 4 bytes per element.
template <bool kNontemporal>
HWY_INLINE void write_range(float s, float* y, size_t n) {
  const FloatVec v = hn::Set(FloatTag(), s);
  fill<kNontemporal>(
      y, n, [&](size_t) HWY_ATTR { return v; }, [&](size_t) { return s; });
}

// 8 bytes per element.
template <bool kNontemporal>
HWY_INLINE void copy_range(const float* x, float* y, size_t n) {
  fill<kNontemporal>(
      y, n, [&](size_t i) HWY_ATTR { return hn::LoadU(FloatTag(), x + i); },
      [&](size_t i) { return x[i]; });
}

// 12 bytes and 2 flops per element.
template <bool kNontemporal>
HWY_INLINE void triad_range(const float* a, const float* b, float s, float* y, size_t n) {
  const FloatTag d;
  const FloatVec v = hn::Set(d, s);
  fill<kNontemporal>(
      y, n,
      [&](size_t i) HWY_ATTR { return hn::MulAdd(v, hn::LoadU(d, b + i), hn::LoadU(d, a + i)); },
      [&](size_t i) { return a[i] + s * b[i]; });
}

void write_part(float s, float* y, size_t n, bool nontemporal) {
  nontemporal ? write_range<true>(s, y, n) : write_range<false>(s, y, n);
}

void copy_part(const float* x, float* y, size_t n, bool nontemporal) {
  nontemporal ? copy_range<true>(x, y, n) : copy_range<false>(x, y, n);
}

void triad_part(const float* a, const float* b, float s, float* y, size_t n, bool nontemporal) {
  nontemporal ? triad_range<true>(a, b, s, y, n) : triad_range<false>(a, b, s, y, n);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(read_part);
HWY_EXPORT(write_part);
HWY_EXPORT(copy_part);
HWY_EXPORT(triad_part);

constexpr size_t kLine = 16;  // floats in a cache line: one partial sum each

[[maybe_unused]] bool aligned(std::span<float> y) {
  return reinterpret_cast<uintptr_t>(y.data()) % 64 == 0;
}

// Calls fn(range, thread) on an equal share of [0, n) per thread: a limit is what all of them reach
// together.
template <class Fn>
void on_all_threads(ThreadPool& thread_pool, size_t n, const Fn& fn) {
  const auto parts = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int i, int) {
    const Range range = split_range(n, 64, parts, static_cast<size_t>(i));
    if (range.size() > 0) fn(range, static_cast<size_t>(i));
  });
}

}  // namespace

float stream_read(std::span<const float> x, std::span<float> partial, ThreadPool& thread_pool) {
  const auto parts = static_cast<size_t>(thread_pool.threads());
  assert(partial.size() >= kLine * parts);
  const auto part = HWY_DYNAMIC_DISPATCH(read_part);
  std::fill_n(partial.begin(), kLine * parts, 0.0F);
  on_all_threads(thread_pool, x.size(), [&](Range range, size_t thread) {
    partial[kLine * thread] = part(x.data() + range.begin, range.size());
  });
  float sum = 0;
  for (size_t i = 0; i < parts; ++i) sum += partial[kLine * i];
  return sum;
}

void stream_write(float s, std::span<float> y, Stores stores, ThreadPool& thread_pool) {
  const bool nontemporal = stores == Stores::kNontemporal;
  assert(!nontemporal || aligned(y));
  const auto part = HWY_DYNAMIC_DISPATCH(write_part);
  on_all_threads(thread_pool, y.size(), [&](Range range, size_t) {
    part(s, y.data() + range.begin, range.size(), nontemporal);
  });
}

void stream_copy(std::span<const float> x, std::span<float> y, Stores stores,
                 ThreadPool& thread_pool) {
  const bool nontemporal = stores == Stores::kNontemporal;
  assert(x.size() == y.size() && (!nontemporal || aligned(y)));
  const auto part = HWY_DYNAMIC_DISPATCH(copy_part);
  on_all_threads(thread_pool, y.size(), [&](Range range, size_t) {
    part(x.data() + range.begin, y.data() + range.begin, range.size(), nontemporal);
  });
}

void stream_triad(std::span<const float> a, std::span<const float> b, float s, std::span<float> y,
                  Stores stores, ThreadPool& thread_pool) {
  const bool nontemporal = stores == Stores::kNontemporal;
  assert(a.size() == y.size() && b.size() == y.size() && (!nontemporal || aligned(y)));
  const auto part = HWY_DYNAMIC_DISPATCH(triad_part);
  on_all_threads(thread_pool, y.size(), [&](Range range, size_t) {
    part(a.data() + range.begin, b.data() + range.begin, s, y.data() + range.begin, range.size(),
         nontemporal);
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const std::string& kind = request.op_case.str("kind");
  const std::string& chose = request.op_case.str("stores");
  const Stores stores = chose == "streaming" ? Stores::kNontemporal : Stores::kPlain;
  if (kind == "read") {
    const size_t partial = kLine * static_cast<size_t>(request.threads);
    return make_step(request, partial, "eight sums", [](StepBuffers& b) {
      b.out[0][0] = stream_read(b.in[0], b.workspace.data(), *b.thread_pool);
    });
  }
  if (kind == "write") {
    return make_step(request, 0, chose + " stores", [stores](StepBuffers& b) {
      stream_write(b.in[0][0], b.out[0], stores, *b.thread_pool);
    });
  }
  if (kind == "copy") {
    return make_step(request, 0, chose + " stores", [stores](StepBuffers& b) {
      stream_copy(b.in[0], b.out[0], stores, *b.thread_pool);
    });
  }
  return make_step(request, 0, chose + " stores", [stores](StepBuffers& b) {
    stream_triad(b.in[0], b.in[1], b.in[2][0], b.out[0], stores, *b.thread_pool);
  });
}

const VariantRow row{hwy_variant("stream", "whole vectors in order, split over threads", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
