#include "kernels/reduce/reduce.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/reduce/lines.h"
#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/reduce/best-inl.h"
#include "kernels/reduce/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Plain {
  static HWY_INLINE void add(FloatTag /*d*/, FloatVec& sum, FloatVec x) { sum = hn::Add(sum, x); }
};
struct Magnitude {
  static HWY_INLINE void add(FloatTag /*d*/, FloatVec& sum, FloatVec x) {
    sum = hn::Add(sum, hn::Abs(x));
  }
};
struct Square {
  static HWY_INLINE void add(FloatTag /*d*/, FloatVec& sum, FloatVec x) {
    x = in_register(x);
    sum = hn::MulAdd(x, x, sum);
  }
};

// The sum of a function of the elements.
template <class Term>
struct SumFold {
  using State = FloatVec;
  static constexpr size_t kWays = 8;
  static constexpr bool kZeroPads = true;
  static HWY_INLINE State start(FloatTag d, float /*first*/) { return hn::Zero(d); }
  static HWY_INLINE State start_lanes(FloatTag d, FloatVec /*first*/) { return hn::Zero(d); }
  static HWY_INLINE void add(FloatTag d, State& state, FloatVec x) { Term::add(d, state, x); }
  static HWY_INLINE State join(FloatTag /*d*/, State a, State b) { return hn::Add(a, b); }
  static HWY_INLINE float part(FloatTag d, State state, const float* /*x*/, size_t /*n*/) {
    return hn::GetLane(hn::SumOfLanes(d, state));
  }
  static float combine(float a, float b) { return a + b; }
  static float finish(float value, const float* /*x*/, size_t /*n*/) { return value; }
  static HWY_INLINE FloatVec lanes(FloatTag /*d*/, State state, size_t /*n*/) { return state; }
  static HWY_INLINE FloatMask doubtful(FloatTag d, State /*state*/) {
    return hn::MaskFromVec(hn::Zero(d));
  }
  static float careful(const float* /*x*/, size_t /*n*/, size_t /*stride*/) { return 0; }
};

struct MeanFold : SumFold<Plain> {
  static float finish(float value, const float* /*x*/, size_t n) {
    return value / static_cast<float>(n);
  }
  static HWY_INLINE FloatVec lanes(FloatTag d, State state, size_t n) {
    return hn::Div(state, hn::Set(d, static_cast<float>(n)));
  }
};

// Sums of squares between these bounds lost nothing to overflow or underflow.
constexpr float kLeastSquares = 1e-30f;
constexpr float kMostSquares = 3e38f;

struct NormL2Fold : SumFold<Square> {
  static float finish(float value, const float* x, size_t n) {
    if (HWY_LIKELY(value >= kLeastSquares && value <= kMostSquares)) return std::sqrt(value);
    return careful(x, n, 1);
  }
  static HWY_INLINE FloatVec lanes(FloatTag /*d*/, State state, size_t /*n*/) {
    return hn::Sqrt(state);
  }
  static HWY_INLINE FloatMask doubtful(FloatTag d, State state) {
    const FloatMask low = hn::Ge(state, hn::Set(d, kLeastSquares));
    return hn::Not(hn::And(low, hn::Le(state, hn::Set(d, kMostSquares))));
  }
  // No square of a float overflows or underflows in double precision.
  static HWY_NOINLINE float careful(const float* x, size_t n, size_t stride) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += static_cast<double>(x[i * stride]) * x[i * stride];
    return static_cast<float>(std::sqrt(sum));
  }
};

template <class Fold>
Reducer::Code code_of() {
  return {fold_rows<Fold>, fold_columns<Fold>, fold_part<Fold>, Fold::combine, Fold::finish};
}

Reducer::Code reduce_code(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return code_of<SumFold<Plain>>();
    case Reduction::kMean:
      return code_of<MeanFold>();
    case Reduction::kMax:
      return code_of<BestFold<Largest>>();
    case Reduction::kMin:
      return code_of<BestFold<Smallest>>();
    case Reduction::kNormL1:
      return code_of<SumFold<Magnitude>>();
    case Reduction::kNormL2:
      return code_of<NormL2Fold>();
    case Reduction::kNormLinf:
      break;
  }
  return code_of<BestFold<LargestMagnitude>>();
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(reduce_code);

void reduce_parts(const AxisShape& s, const Reducer::Code& code, const LinesRun& run) {
  for_each_part(s, run, [&](size_t i, const float* x, const Range& range) {
    run.workspace[i] = code.part(x, range.size());
  });
  const float* values = run.workspace;
  for (size_t r = 0; r < s.outer; ++r, values += run.parts) {
    float value = values[0];
    for (size_t p = 1; p < run.parts; ++p) value = code.combine(value, values[p]);
    run.y[r] = code.finish(value, run.x + r * s.length, s.length);
  }
}

constexpr LinesWays<Reducer::Code> kReduceWays = {
    .columns = {.name = "columns in lanes", .run = reduce_columns<Reducer::Code>},
    .parts = {.name = "parts of rows", .run = reduce_parts},
    .rows = {.name = "rows", .run = reduce_rows<Reducer::Code>}};

}  // namespace

Reducer::Reducer(Reduction reduction, const AxisShape& shape)
    : shape_(shape), code_(HWY_DYNAMIC_DISPATCH(reduce_code)(reduction)) {}

size_t Reducer::workspace_floats(int threads) const { return parts_floats(shape_, threads, 1); }

std::string Reducer::algorithm(const ThreadPool& thread_pool) const {
  return kReduceWays.of(shape_, thread_pool).name.value;
}

void Reducer::run(std::span<const float> x, std::span<float> y, std::span<float> workspace,
                  ThreadPool& thread_pool) const {
  assert(x.size() == shape_.size() && y.size() == shape_.lines());
  assert(workspace.size() >= workspace_floats(thread_pool.threads()));
  reduce_lines(kReduceWays, shape_, code_, x.data(), y.data(), workspace.data(), thread_pool);
}

namespace {

Variant variant_of(const std::string& op, Reduction reduction) {
  return hwy_variant(op, "several sums per lane, parts of long lines on threads",
                     [reduction](const StepRequest& request) {
                       const Reducer reducer(reduction, axis_shape_of(request.op_case));
                       return make_step(request, reducer.workspace_floats(request.threads),
                                        reducer.algorithm(shared_threads(request.threads)),
                                        [reducer](StepBuffers& b) {
                                          reducer.run(b.in[0], b.out[0], b.workspace.data(),
                                                      *b.thread_pool);
                                        });
                     });
}

const ForkingRow sum_row{variant_of("sum", Reduction::kSum)};
const VariantRow max_row{variant_of("max", Reduction::kMax)};
const VariantRow min_row{variant_of("min", Reduction::kMin)};
const VariantRow norm_l1_row{variant_of("norm_l1", Reduction::kNormL1)};
const VariantRow norm_l2_row{variant_of("norm_l2", Reduction::kNormL2)};
const VariantRow norm_linf_row{variant_of("norm_linf", Reduction::kNormLinf)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
