// Variants of exp log log2 log10: 8 bytes per element. Declared in unary.h.
#include "kernels/elementwise/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/exp_log.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/log-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Exp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return exp(d, x); }
};

struct Log {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return log(d, x); }
};

struct Log2 {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return log2(d, x); }
};

struct Log10 {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return log10(d, x); }
};

UnaryPart exp_log_part_of(Unary op) {
  switch (op) {
    case Unary::kExp:
      return map_unary<Exp>;
    case Unary::kLog:
      return map_unary<Log>;
    case Unary::kLog2:
      return map_unary<Log2>;
    case Unary::kLog10:
      return map_unary<Log10>;
    default:
      return nullptr;
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(exp_log_part_of);
}  // namespace

UnaryPart exp_log_part(Unary op) { return HWY_DYNAMIC_DISPATCH(exp_log_part_of)(op); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
