// The loop that applies a vector function to each element. Included once per target.
#if defined(NSOP_KERNELS_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_ELEMENTWISE_INL_H_
#undef NSOP_KERNELS_ELEMENTWISE_INL_H_
#else
#define NSOP_KERNELS_ELEMENTWISE_INL_H_
#endif

#include <type_traits>

#include "hwy/cache_control.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/runtime/pages.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// From so many floats on lines of the result are asked for: two such arrays have 64 KB, more than
// most L1 caches. Below, the result is near.
constexpr size_t kAskedFrom = size_t{1} << 13;
constexpr size_t kAskedAhead = 256;  // floats
constexpr size_t kLineFloats = 16;
inline bool asks_ahead(size_t n) {
  return n >= kAskedFrom && 4 * kLanes >= kLineFloats && asks_for_lines();
}

// An operand that moves with the elements.
struct Moving {
  const float* p;
  HWY_INLINE FloatVec whole(FloatTag d, size_t i) const { return hn::LoadU(d, p + i); }
  HWY_INLINE FloatVec part(FloatTag d, size_t i, size_t count) const {
    return load_n(d, p + i, count);
  }
};

// An operand with the same value for all elements.
struct Fixed {
  FloatVec v;
  HWY_INLINE FloatVec whole(FloatTag /*d*/, size_t /*i*/) const { return v; }
  HWY_INLINE FloatVec part(FloatTag /*d*/, size_t /*i*/, size_t /*count*/) const { return v; }
};

template <bool kNontemporal>
HWY_INLINE void put(FloatVec v, FloatTag d, float* p) {
  if constexpr (kNontemporal) {
    hn::Stream(v, d, p);
  } else {
    hn::StoreU(v, d, p);
  }
}

// The last of four vectors: a function may do it with other instructions, which have the same
// result and run beside the instructions of the first three.
template <class Function, class... Vector>
HWY_INLINE FloatVec fourth(const Function& f, FloatTag d, const Vector&... v) {
  if constexpr (requires { f.beside(d, v...); }) {
    return f.beside(d, v...);
  } else {
    return f(d, v...);
  }
}

// Four vectors, each kApart floats after the one before.
template <bool kNontemporal, size_t kApart, class Function, class... Operand>
HWY_INLINE void map_four(const Function& f, float* out, size_t i, const Operand&... in) {
  const FloatTag d;
  const FloatVec r0 = f(d, in.whole(d, i)...);
  const FloatVec r1 = f(d, in.whole(d, i + kApart)...);
  const FloatVec r2 = f(d, in.whole(d, i + 2 * kApart)...);
  const FloatVec r3 = fourth(f, d, in.whole(d, i + 3 * kApart)...);
  put<kNontemporal>(r0, d, out + i);
  put<kNontemporal>(r1, d, out + i + kApart);
  put<kNontemporal>(r2, d, out + i + 2 * kApart);
  put<kNontemporal>(r3, d, out + i + 3 * kApart);
}

// Calls four(i) for each place i in the first page of each group of n floats.
template <class Four>
HWY_INLINE void for_each_place(size_t n, const Four& four) {
  for (size_t group = 0; group < n; group += kPageGroup) {
    for (size_t i = group; i < group + kPageFloats; i += kLanes) four(i);
  }
}

// Nontemporal stores to four pages at once.
template <class Function, class... Operand>
HWY_NOINLINE void map_pages(const Function& f, float* out, size_t n, const Operand&... in) {
  // Copies, which no store can change.
  for_each_place(n, [=](size_t i) HWY_ATTR { map_four<true, kPageFloats>(f, out, i, in...); });
  hwy::FlushStream();
}

// Asks for the lines that four vectors are stored to soon.
HWY_INLINE void ask_ahead(float* out) {
  HWY_UNROLL(4)
  for (size_t at = 0; at < 4 * kLanes; at += kLineFloats) hwy::Prefetch(out + kAskedAhead + at);
}

// Whole groups of four vectors, with lines of `out` asked for ahead. Returns the number of elements
// done.
template <class Function, class... Operand>
HWY_NOINLINE size_t map_asking(const Function& f, float* out, size_t n, const Operand&... in) {
  const auto four = [=](size_t i) HWY_ATTR {
    ask_ahead(out + i);
    map_four<false, kLanes>(f, out, i, in...);
  };
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) four(i);
  return i;
}

// Nontemporal stores in one stream. Returns the number of elements done: whole groups of four
// vectors.
template <class Function, class... Operand>
HWY_NOINLINE size_t map_nontemporal(const Function& f, float* out, size_t n, const Operand&... in) {
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) map_four<true, kLanes>(f, out, i, in...);
  hwy::FlushStream();
  return i;
}

// The elements from the i-th on, a vector at a time.
template <class Function, class... Operand>
HWY_INLINE void map_last(const Function& f, float* out, size_t i, size_t n, const Operand&... in) {
  const FloatTag d;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(f(d, in.whole(d, i)...), d, out + i);
  if (i < n) store_n(f(d, in.part(d, i, n - i)...), d, out + i, n - i);
}

// The same by four vectors, with plain stores.
template <class Function, class... Operand>
HWY_INLINE void map_rest(const Function& f, float* out, size_t i, size_t n, const Operand&... in) {
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) map_four<false, kLanes>(f, out, i, in...);
  map_last(f, out, i, n, in...);
}

// Arrays that asks_ahead() is for, or with nontemporal stores. Apart, because short arrays notice
// what a function with calls saves and restores.
template <class Function, class... Operand>
HWY_NOINLINE void map_far(const Function& f, bool nontemporal, float* out, size_t n,
                          const Operand&... in) {
  size_t done = 0;
  if (nontemporal && goes_by_pages()) {
    done = n / kPageGroup * kPageGroup;
    map_pages(f, out, done, in...);
  } else if (nontemporal) {
    done = map_nontemporal(f, out, n, in...);
  } else {
    done = map_asking(f, out, n, in...);
  }
  map_rest(f, out, done, n, in...);
}

// out[i] = f(d, in[i]...) for i in [0, n). `out` may be one of the operands. Nontemporal wants
// `out` aligned to a vector, and is for whole groups of pages or, where the machine doesn't go by
// them, of four vectors; the others are stored plainly.
template <class Function, class... Operand>
HWY_INLINE void map(const Function& f, bool nontemporal, float* out, size_t n,
                    const Operand&... in) {
  if (HWY_UNLIKELY(nontemporal || asks_ahead(n))) return map_far(f, nontemporal, out, n, in...);
  map_rest(f, out, 0, n, in...);
}

// Functions with parameters are made from them.
template <class Function>
HWY_INLINE Function make_function(const ElementwiseArgs& args) {
  if constexpr (std::is_constructible_v<Function, const ElementwiseArgs&>) {
    return Function(args);
  } else {
    return Function();
  }
}

// The same as functions of one signature, for tables.
template <class Function>
void map_unary(const float* x, float* y, size_t n, const ElementwiseArgs& args) {
  map(make_function<Function>(args), args.nontemporal, y, n, Moving{x});
}

template <class Function>
void map_binary(const float* a, const float* b, float* c, size_t n, const ElementwiseArgs& args) {
  map(make_function<Function>(args), args.nontemporal, c, n, Moving{a}, Moving{b});
}

// b is one value for all.
template <class Function>
void map_binary_fixed(const float* a, const float* b, float* c, size_t n,
                      const ElementwiseArgs& args) {
  map(make_function<Function>(args), args.nontemporal, c, n, Moving{a},
      Fixed{hn::Set(FloatTag(), *b)});
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
