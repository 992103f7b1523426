#include "kernels/gemm/matvec.h"

#include <cassert>

#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/matvec.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm/dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// y[i] = row i of a times x, for i of [begin, end).
void matvec_plain(const MatvecShape& s, const float* a, const float* x, float* y, size_t begin,
                  size_t end) {
  size_t i = begin;
  for (; i + 4 <= end; i += 4) dot_rows<4>(a + i * s.n, s.n, x, s.n, y + i);
  for (; i < end; ++i) dot_rows<1>(a + i * s.n, s.n, x, s.n, y + i);
}

// y += x' a for kRows rows of a (y = x' a when kFirst): reads them as so many streams.
template <size_t kRows, bool kFirst>
HWY_INLINE void add_rows(const float* a, size_t ld, size_t n, const float* x, float* y) {
  const FloatTag d;
  FloatVec factor[kRows];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) factor[r] = hn::Set(d, x[r]);
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    FloatVec sum = kFirst ? hn::Zero(d) : hn::LoadU(d, y + j);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      sum = hn::MulAdd(factor[r], hn::LoadU(d, a + r * ld + j), sum);
    }
    hn::StoreU(sum, d, y + j);
  }
  if (j == n) return;
  FloatVec sum = kFirst ? hn::Zero(d) : load_n(d, y + j, n - j);
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    sum = hn::MulAdd(factor[r], load_n(d, a + r * ld + j, n - j), sum);
  }
  store_n(sum, d, y + j, n - j);
}

// y[j] = column j of a times x, for j of [begin, end): in strips that keep y in the L1 cache.
void matvec_transposed(const MatvecShape& s, const float* a, const float* x, float* y, size_t begin,
                       size_t end) {
  constexpr size_t kStrip = 2048;
  constexpr size_t kRows = 8;
  for (size_t j = begin; j < end; j += kStrip) {
    const size_t columns = HWY_MIN(kStrip, end - j);
    size_t i = s.m % kRows;
    if (i == 0) {
      add_rows<kRows, true>(a + j, s.n, columns, x, y + j);
      i = kRows;
    } else {
      add_rows<1, true>(a + j, s.n, columns, x, y + j);
      for (size_t r = 1; r < i; ++r) {
        add_rows<1, false>(a + r * s.n + j, s.n, columns, x + r, y + j);
      }
    }
    for (; i < s.m; i += kRows) {
      add_rows<kRows, false>(a + i * s.n + j, s.n, columns, x + i, y + j);
    }
  }
}

// The way of a shape; nothing else decides between the two.
Matvec::Code matvec_code(bool transposed) {
  if (transposed) return {"sums of 8 rows", matvec_transposed};
  return {"4 rows at once", matvec_plain};
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(matvec_code);

}  // namespace

Matvec::Matvec(const MatvecShape& shape)
    : shape_(shape), code_(HWY_DYNAMIC_DISPATCH(matvec_code)(shape.transposed)) {}

void Matvec::run(std::span<const float> a, std::span<const float> x, std::span<float> y,
                 ThreadPool& thread_pool) const {
  const size_t m = shape_.m;
  const size_t n = shape_.n;
  const size_t results = shape_.transposed ? n : m;
  assert(a.size() == m * n && y.size() == results && x.size() == m + n - results);
  // Whole cache lines of y, and of every row of a.
  const size_t least = std::max<size_t>(64, kReducedElements / (m + n - results));
  parallel_chunks(thread_pool, results, least, [&](size_t begin, size_t end) {
    code_.part(shape_, a.data(), x.data(), y.data(), begin, end);
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const MatvecShape shape = {static_cast<size_t>(c.integer("m")),
                             static_cast<size_t>(c.integer("n")), c.str("trans") == "t"};
  const Matvec matvec(shape);
  return make_step(request, 0, matvec.algorithm(), [matvec](StepBuffers& b) {
    matvec.run(b.in[0], b.in[1], b.out[0], *b.thread_pool);
  });
}

const VariantRow row{hwy_variant("matvec", "several rows at once, read once", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
