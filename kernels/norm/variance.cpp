#include "kernels/norm/variance.h"

#include <cassert>
#include <cstring>

#include "kernels/reduce/lines.h"
#include "kernels/runtime/pages.h"
#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/variance.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/math-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

constexpr size_t kBlock = kPageGroup;  // the second pass over it finds it in the L1 cache

// The sum of a block, of all pages at once.
HWY_INLINE float sum_of_pages(const float* x) {
  const FloatTag d;
  FloatVec sum[kPages];
  HWY_UNROLL(4)
  for (FloatVec& one : sum) one = hn::Zero(d);
  for (size_t i = 0; i < kPageFloats; i += kLanes) {
    HWY_UNROLL(4)
    for (size_t p = 0; p < kPages; ++p) {
      sum[p] = hn::Add(sum[p], hn::LoadU(d, x + p * kPageFloats + i));
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
}

// Sums of deviations from a rounded mean: the first corrects the second (Chan, Golub, LeVeque 1983,
// doi:10.1080/00031305.1983.10483115).
struct Deviations {
  FloatVec plain;
  FloatVec squared;
};

HWY_INLINE void add_deviation(Deviations& sums, FloatVec deviation) {
  sums.plain = hn::Add(sums.plain, deviation);
  sums.squared = hn::MulAdd(deviation, deviation, sums.squared);
}

HWY_INLINE Variance::Moments block_moments(const float* x, size_t n) {
  const FloatTag d;
  const bool by_pages = n == kBlock && goes_by_pages();
  const float mean = (by_pages ? sum_of_pages(x) : sum_of(x, n)) / static_cast<float>(n);
  const FloatVec from = hn::Set(d, mean);
  const FloatVec zero = hn::Zero(d);
  Deviations s[4] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    HWY_UNROLL(4)
    for (size_t w = 0; w < 4; ++w) {
      add_deviation(s[w], hn::Sub(hn::LoadU(d, x + i + w * kLanes), from));
    }
  }
  for (; i < n; i += kLanes) {
    const size_t count = HWY_MIN(kLanes, n - i);
    const FloatVec deviation = hn::Sub(load_n(d, x + i, count), from);
    add_deviation(s[0], hn::IfThenElseZero(hn::FirstN(d, count), deviation));
  }
  const FloatVec plain = hn::Add(hn::Add(s[0].plain, s[1].plain), hn::Add(s[2].plain, s[3].plain));
  const FloatVec squared =
      hn::Add(hn::Add(s[0].squared, s[1].squared), hn::Add(s[2].squared, s[3].squared));
  const double sum = hn::GetLane(hn::SumOfLanes(d, plain));
  const double squares = hn::GetLane(hn::SumOfLanes(d, squared));
  const auto count = static_cast<double>(n);
  return {count, mean + sum / count, squares - sum * sum / count};
}

// Of both together (the same paper).
HWY_INLINE Variance::Moments joined(const Variance::Moments& a, const Variance::Moments& b) {
  const double count = a.count + b.count;
  const double apart = b.mean - a.mean;
  return {count, a.mean + apart * (b.count / count),
          a.squares + b.squares + apart * apart * (a.count * b.count / count)};
}

Variance::Moments moments_part(const float* x, size_t n) {
  Variance::Moments moments = block_moments(x, HWY_MIN(kBlock, n));
  for (size_t b = kBlock; b < n; b += kBlock) {
    moments = joined(moments, block_moments(x + b, HWY_MIN(kBlock, n - b)));
  }
  return moments;
}

// kVectors vectors of lines; in the last one `count` lanes exist.
template <size_t kVectors>
HWY_INLINE void variance_lanes(const float* x, const Columns& s, size_t count, float* y) {
  const FloatTag d;
  const FloatVec length = hn::Set(d, static_cast<float>(s.length));
  FloatVec mean[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) mean[v] = hn::Zero(d);
  for (size_t i = 0; i < s.length; ++i) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      mean[v] = hn::Add(mean[v], load_n(d, x + i * s.stride + v * kLanes, count));
    }
  }
  Deviations sums[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    mean[v] = hn::Div(mean[v], length);
    sums[v] = {hn::Zero(d), hn::Zero(d)};
  }
  for (size_t i = 0; i < s.length; ++i) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatVec value = load_n(d, x + i * s.stride + v * kLanes, count);
      add_deviation(sums[v], hn::Sub(value, mean[v]));
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    const FloatVec correction = hn::Div(hn::Mul(sums[v].plain, sums[v].plain), length);
    const FloatVec squares = hn::Sub(sums[v].squared, correction);
    const FloatVec variance = hn::Div(max_keep_nan(d, hn::Zero(d), squares), length);
    store_n(variance, d, y + v * kLanes, count);
  }
}

void variance_columns(const float* x, const Columns& s, float* y) {
  size_t j = 0;
  for (; j + 4 * kLanes <= s.columns; j += 4 * kLanes) variance_lanes<4>(x + j, s, kLanes, y + j);
  for (; j < s.columns; j += kLanes) {
    variance_lanes<1>(x + j, s, HWY_MIN(kLanes, s.columns - j), y + j);
  }
}

Variance::Moments join_moments(const Variance::Moments& a, const Variance::Moments& b) {
  return joined(a, b);
}

Variance::Code variance_code() { return {moments_part, variance_columns, join_moments}; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(variance_code);

constexpr size_t kMomentFloats = sizeof(Variance::Moments) / sizeof(float);

float result_of(const Variance::Moments& moments) {
  // Rounding may make a tiny negative number of a zero; NaN must stay.
  return static_cast<float>(moments.squares < 0 ? 0.0 : moments.squares / moments.count);
}

void variance_rows(const AxisShape& s, const Variance::Code& code, const LinesRun& run) {
  parallel_lines(run.thread_pool, s, kReducedElements, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      run.y[r] = result_of(code.part(run.x + r * s.length, s.length));
    }
  });
}

void join_moment_parts(const AxisShape& s, const Variance::Code& code, const LinesRun& run) {
  for_each_part(s, run, [&](size_t i, const float* x, const Range& range) {
    const Variance::Moments moments = code.part(x, range.size());
    std::memcpy(run.workspace + i * kMomentFloats, &moments, sizeof(moments));
  });
  for (size_t r = 0; r < s.outer; ++r) {
    Variance::Moments all{};
    for (size_t p = 0; p < run.parts; ++p) {
      Variance::Moments moments{};
      std::memcpy(&moments, run.workspace + (r * run.parts + p) * kMomentFloats, sizeof(moments));
      all = p == 0 ? moments : code.join(all, moments);
    }
    run.y[r] = result_of(all);
  }
}

constexpr const char* kTwoPasses = "two passes per block";
constexpr LinesWays<Variance::Code> kVarianceWays = {
    .columns = {.name = kTwoPasses, .run = reduce_columns<Variance::Code>},
    .parts = {.name = kTwoPasses, .run = join_moment_parts},
    .rows = {.name = kTwoPasses, .run = variance_rows}};

}  // namespace

Variance::Variance(const AxisShape& shape)
    : shape_(shape), code_(HWY_DYNAMIC_DISPATCH(variance_code)()) {}

size_t Variance::workspace_floats(int threads) const {
  return parts_floats(shape_, threads, kMomentFloats);
}

void Variance::run(std::span<const float> x, std::span<float> y, std::span<float> workspace,
                   ThreadPool& thread_pool) const {
  assert(x.size() == shape_.size() && y.size() == shape_.lines());
  assert(workspace.size() >= workspace_floats(thread_pool.threads()));
  reduce_lines(kVarianceWays, shape_, code_, x.data(), y.data(), workspace.data(), thread_pool);
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Variance variance(axis_shape_of(request.op_case));
  return make_step(request, variance.workspace_floats(request.threads), kTwoPasses,
                   [variance](StepBuffers& b) {
                     variance.run(b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
                   });
}

const VariantRow row{hwy_variant("variance", "mean, then deviations, block by block", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
