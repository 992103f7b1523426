// fma where: 16 bytes per element; axpy: 12; less where an operand stands still.
#include "kernels/elementwise/ternary.h"

#include <array>
#include <cassert>

#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/ternary.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Fma {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b, FloatVec c) const {
    return hn::MulAdd(a, b, c);
  }
};

struct Where {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec cond, FloatVec a, FloatVec b) const {
    return select(d, hn::Gt(cond, hn::Zero(d)), a, b);
  }
};

struct Axpy {
  FloatVec alpha;
  HWY_INLINE explicit Axpy(const ElementwiseArgs& args) : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec y, FloatVec x) const {
    return hn::MulAdd(alpha, x, y);
  }
};

template <bool kMoves>
HWY_INLINE auto operand_at(const float* p) {
  if constexpr (kMoves) {
    return Moving{p};
  } else {
    return Fixed{hn::Set(FloatTag(), *p)};
  }
}

template <bool kA, bool kB, bool kC>
void fma_of(const float* a, const float* b, const float* c, float* y, size_t n, bool nontemporal) {
  map(Fma(), nontemporal, y, n, operand_at<kA>(a), operand_at<kB>(b), operand_at<kC>(c));
}

// By which operands move: bit 0 is a, bit 1 b, bit 2 c.
TernaryPart fma_part(size_t moving) {
  static constexpr std::array<TernaryPart, 8> kParts = {
      fma_of<false, false, false>, fma_of<true, false, false>, fma_of<false, true, false>,
      fma_of<true, true, false>,   fma_of<false, false, true>, fma_of<true, false, true>,
      fma_of<false, true, true>,   fma_of<true, true, true>};
  return kParts[moving];
}

void where_part(const float* cond, const float* a, const float* b, float* y, size_t n,
                bool nontemporal) {
  map(Where(), nontemporal, y, n, Moving{cond}, Moving{a}, Moving{b});
}

// Of y and x.
BinaryParts axpy_parts() { return {map_binary<Axpy>, map_binary_fixed<Axpy>}; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(fma_part);
HWY_EXPORT(where_part);
HWY_EXPORT(axpy_parts);

// An operand of one element is for all, with a part that wants it so.
void run_ternary_in_chunks(TernaryPart part, std::span<const float> a, std::span<const float> b,
                           std::span<const float> c, std::span<float> y, ThreadPool& thread_pool) {
  const size_t n = y.size();
  const auto moves = [](std::span<const float> x) -> size_t { return x.size() == 1 ? 0 : 1; };
  const size_t by_a = moves(a), by_b = moves(b), by_c = moves(c);
  const bool nontemporal = use_nontemporal(std::array{a, b, c}, y);
  parallel_chunks(thread_pool, n, kArithmeticElements, [&](size_t begin, size_t end) {
    part(a.data() + by_a * begin, b.data() + by_b * begin, c.data() + by_c * begin,
         y.data() + begin, end - begin, nontemporal);
  });
}

inline void run_ternary(TernaryPart part, std::span<const float> a, std::span<const float> b,
                        std::span<const float> c, std::span<float> y, ThreadPool& thread_pool) {
  for ([[maybe_unused]] const auto& x : {a, b, c}) assert(x.size() == y.size() || x.size() == 1);
  if (done_at_once(thread_pool, y.size(), kArithmeticElements)) {
    return part(a.data(), b.data(), c.data(), y.data(), y.size(), false);
  }
  run_ternary_in_chunks(part, a, b, c, y, thread_pool);
}

// The part for these operands on the target that is chosen now.
TernaryPart fma_part_for(const Broadcasts<3>& broadcasts) {
  const auto& [moves_a, moves_b, moves_c] = broadcasts.inner_stride();
  return HWY_DYNAMIC_DISPATCH(fma_part)(moves_a + 2 * moves_b + 4 * moves_c);
}

// The ways of broadcast operands, as in binary.h.
struct FmaOnePass {
  static std::string describe(const StepRequest& request) { return single_pass(request); }
  static void run(TernaryPart part, const Broadcasts<3>& /*broadcasts*/, std::span<const float> a,
                  std::span<const float> b, std::span<const float> c, std::span<float> y,
                  ThreadPool& thread_pool) {
    run_ternary(part, a, b, c, y, thread_pool);
  }
};
struct FmaRuns {
  static std::string describe(const StepRequest& /*request*/) { return "single pass"; }
  // No nontemporal stores: short runs would begin off the alignment.
  static void run(TernaryPart part, const Broadcasts<3>& broadcasts, std::span<const float> a,
                  std::span<const float> b, std::span<const float> c, std::span<float> y,
                  ThreadPool& thread_pool) {
    assert(y.size() == broadcasts.elements());
    parallel_chunks(thread_pool, y.size(), kArithmeticElements, [&](size_t begin, size_t end) {
      for_each_run(broadcasts, begin, end, [&](size_t i, size_t count, const auto& at) {
        part(&a[at[0]], &b[at[1]], &c[at[2]], &y[i], count, false);
      });
    });
  }
};

}  // namespace

void fused_multiply_add(std::span<const float> a, std::span<const float> b,
                        std::span<const float> c, std::span<float> y, ThreadPool& thread_pool) {
  assert(a.size() == y.size() && b.size() == y.size() && c.size() == y.size());
  run_ternary(HWY_DYNAMIC_DISPATCH(fma_part)(7), a, b, c, y, thread_pool);
}

void fused_multiply_add_broadcast(const Broadcasts<3>& broadcasts, std::span<const float> a,
                                  std::span<const float> b, std::span<const float> c,
                                  std::span<float> y, ThreadPool& thread_pool) {
  assert(y.size() == broadcasts.elements());
  with_broadcast_way<FmaOnePass, FmaRuns>(broadcasts, [&](auto way) {
    way.run(fma_part_for(broadcasts), broadcasts, a, b, c, y, thread_pool);
  });
}

void where(std::span<const float> cond, std::span<const float> a, std::span<const float> b,
           std::span<float> y, ThreadPool& thread_pool) {
  assert(cond.size() == y.size() && a.size() == y.size() && b.size() == y.size());
  run_ternary(HWY_DYNAMIC_DISPATCH(where_part), cond, a, b, y, thread_pool);
}

void axpy(float alpha, std::span<const float> x, std::span<const float> y, std::span<float> z,
          ThreadPool& thread_pool) {
  const BinaryParts parts = HWY_DYNAMIC_DISPATCH(axpy_parts)();
  run_binary(parts.moving, y, x, z, thread_pool, kArithmeticElements, {alpha});
}

void axpy_broadcast(float alpha, const Broadcast& broadcast, std::span<const float> x,
                    std::span<const float> y, std::span<float> z, ThreadPool& thread_pool) {
  run_broadcast(HWY_DYNAMIC_DISPATCH(axpy_parts)(), broadcast, y, x, z, thread_pool, {alpha});
}

namespace {

constexpr const char* kSummary =
    "one pass over vectors, operands broadcast without a copy, split over threads";

const VariantRow fma_row{
    hwy_variant("fma", kSummary, [](const StepRequest& request) -> std::unique_ptr<Step> {
      const auto& in = request.inputs;
      const auto broadcasts = broadcasts_of<3>(request.op_case.shape("n"),
                                               {in[0].shape(), in[1].shape(), in[2].shape()});
      const TernaryPart part = fma_part_for(broadcasts);
      return with_broadcast_way<FmaOnePass, FmaRuns>(broadcasts, [&](auto way) {
        return make_step(
            request, 0, way.describe(request), [way, part, broadcasts](StepBuffers& b) {
              way.run(part, broadcasts, b.in[0], b.in[1], b.in[2], b.out[0], *b.thread_pool);
            });
      });
    })};

const VariantRow where_row{hwy_variant("where", kSummary, [](const StepRequest& request) {
  return make_step(request, 0, single_pass(request), [](StepBuffers& b) {
    where(b.in[0], b.in[1], b.in[2], b.out[0], *b.thread_pool);
  });
})};

const VariantRow axpy_row{
    hwy_variant("axpy", kSummary, [](const StepRequest& request) -> std::unique_ptr<Step> {
      const auto alpha = static_cast<float>(request.op_case.number("alpha"));
      const Broadcast broadcast =
          broadcast_of(request.inputs[1].shape(), request.inputs[0].shape());
      const BinaryPart part = HWY_DYNAMIC_DISPATCH(axpy_parts)().of(broadcast);
      return with_broadcast_way<BinaryOnePass, BinaryRuns>(broadcast, [&](auto way) {
        return make_step(
            request, 0, way.describe(request), [way, alpha, part, broadcast](StepBuffers& b) {
              way.run(part, broadcast, b.in[1], b.in[0], b.out[0], *b.thread_pool, {alpha});
            });
      });
    })};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
