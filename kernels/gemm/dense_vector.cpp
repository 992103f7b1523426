#include "kernels/gemm/dense_vector.h"

#include <hwy/cache_control.h>

#include <cassert>

#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/dense_vector.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/sums-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// One vector, or its first `count` lanes.
struct Part {
  size_t count;
  HWY_INLINE bool whole() const { return count >= kLanes; }
  HWY_INLINE FloatVec load(const float* p) const {
    return whole() ? hn::LoadU(FloatTag(), p) : load_n(FloatTag(), p, count);
  }
  HWY_INLINE void store(FloatVec v, float* p) const {
    whole() ? hn::StoreU(v, FloatTag(), p) : store_n(v, FloatTag(), p, count);
  }
};

// Floats ahead of what is done that are asked for: of two streams from the L2 cache, one of them
// written, hardware foresees too little.
constexpr size_t kAhead = 512;

// Column part [j, j + part.count) of kRows rows of w [.., columns]: sum[r] += w[r,:] . dy,
// dw[r,:] = factor[r] dy.
template <size_t kRows, bool kPrefetch>
HWY_INLINE void rows_part(const Part& part, const float* w, FloatVec dy, size_t columns,
                          const FloatVec (&factor)[kRows], FloatVec (&sum)[kRows], float* dw) {
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    if (kPrefetch) {
      hwy::Prefetch(w + r * columns + kAhead);
      hwy::Prefetch(dw + r * columns + kAhead);
    }
    sum[r] = hn::MulAdd(part.load(w + r * columns), dy, sum[r]);
    part.store(hn::Mul(factor[r], dy), dw + r * columns);
  }
}

// kRows rows of w [.., columns]: dx[r] = w[r,:] . dy, dw[r,:] = x[r] dy.
template <size_t kRows, bool kPrefetch = false>
HWY_INLINE void rows_at_once(const float* x, const float* w, const float* dy, size_t columns,
                             float* dx, float* dw) {
  const FloatTag d;
  FloatVec sum[kRows];
  FloatVec factor[kRows];
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    sum[r] = hn::Zero(d);
    factor[r] = hn::Set(d, x[r]);
  }
  const Part whole{kLanes};
  size_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    rows_part<kRows, kPrefetch>(whole, w + j, hn::LoadU(d, dy + j), columns, factor, sum, dw + j);
  }
  if (j < columns) {
    const Part part{columns - j};
    rows_part<kRows, false>(part, w + j, part.load(dy + j), columns, factor, sum, dw + j);
  }
  store_sums<kRows>(sum, dx);
}

// w [in, out]: 8 bytes and 3 flops per weight.
void vector_backward_io(const float* x, const float* w, const float* dy, size_t in, size_t out,
                        float* dx, float* dw) {
  constexpr size_t kNear = 8192;  // floats of w and as many of dw: beyond the L1 cache
  const size_t ahead = kAhead / out + 4;
  size_t i = 0;
  if (in * out > kNear) {
    for (; i + ahead + 4 <= in; i += 4) {
      rows_at_once<4, true>(x + i, w + i * out, dy, out, dx + i, dw + i * out);
    }
  }
  for (; i + 4 <= in; i += 4) rows_at_once<4>(x + i, w + i * out, dy, out, dx + i, dw + i * out);
  for (; i < in; ++i) rows_at_once<1>(x + i, w + i * out, dy, out, dx + i, dw + i * out);
}

// kRows rows of w, `ld` floats apart: dx += dy[r] w[r,:] (or =), dw[r,:] = dy[r] x.
template <size_t kRows>
HWY_INLINE void outputs_at_once(const float* x, const float* w, const float* dy, size_t ld,
                                size_t in, bool first, float* dx, float* dw) {
  FloatVec g[kRows];
  for (size_t r = 0; r < kRows; ++r) g[r] = hn::Set(FloatTag(), dy[r]);
  for (size_t i = 0; i < in; i += kLanes) {
    const Part part{in - i};
    const FloatVec v = part.load(x + i);
    FloatVec sum = first ? hn::Zero(FloatTag()) : part.load(dx + i);
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      sum = hn::MulAdd(part.load(w + r * ld + i), g[r], sum);
      part.store(hn::Mul(g[r], v), dw + r * ld + i);
    }
    part.store(sum, dx + i);
  }
}

// Columns [0, in) of w [out, ld]: 8 bytes and 3 flops per weight. A few rows at a time: writing to
// many rows, each in a page of its own, would miss the TLB.
void vector_backward_oi(const float* x, const float* w, const float* dy, size_t ld, size_t in,
                        size_t out, float* dx, float* dw) {
  size_t o = 0;
  for (; o + 4 <= out; o += 4) {
    outputs_at_once<4>(x, w + o * ld, dy + o, ld, in, o == 0, dx, dw + o * ld);
  }
  for (; o < out; ++o) {
    outputs_at_once<1>(x, w + o * ld, dy + o, ld, in, o == 0, dx, dw + o * ld);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(vector_backward_io);
HWY_EXPORT(vector_backward_oi);

}  // namespace

void dense_vector_backward(const DenseShape& shape, std::span<const float> x,
                           std::span<const float> w, std::span<const float> dy, std::span<float> dx,
                           std::span<float> dw, ThreadPool& thread_pool) {
  assert(shape.batch == 1 && x.size() == shape.in && dy.size() == shape.out);
  assert(w.size() == shape.in * shape.out && dw.size() == w.size() && dx.size() == x.size());
  const auto io = HWY_DYNAMIC_DISPATCH(vector_backward_io);
  const auto oi = HWY_DYNAMIC_DISPATCH(vector_backward_oi);
  const size_t least = kReducedElements / shape.out + 1;
  parallel_chunks(thread_pool, shape.in, least, [&](size_t begin, size_t end) {
    const float* x_part = x.data() + begin;
    float* dx_part = dx.data() + begin;
    if (shape.out_by_in) {
      oi(x_part, w.data() + begin, dy.data(), shape.in, end - begin, shape.out, dx_part,
         dw.data() + begin);
    } else {
      const size_t first = begin * shape.out;
      io(x_part, w.data() + first, dy.data(), end - begin, shape.out, dx_part, dw.data() + first);
    }
  });
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
