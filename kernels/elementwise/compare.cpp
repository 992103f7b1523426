// Variants of comparisons: 12 bytes per element. Declared in binary.h.
#include <map>
#include <string>

#include "kernels/elementwise/binary.h"
#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/compare.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <class Mask>
HWY_INLINE FloatVec one_where(FloatTag d, Mask mask) {
  return hn::And(hn::VecFromMask(d, mask), hn::Set(d, 1.0f));
}

struct Equal {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return one_where(d, hn::Eq(a, b));
  }
};

struct NotEqual {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return one_where(d, hn::Not(hn::Eq(a, b)));  // Ne is false for NaN on some targets
  }
};

struct Less {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return one_where(d, hn::Lt(a, b));
  }
};

struct LessEqual {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return one_where(d, hn::Le(a, b));
  }
};

struct Greater {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return one_where(d, hn::Gt(a, b));
  }
};

struct GreaterEqual {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return one_where(d, hn::Ge(a, b));
  }
};

template <class Function>
BinaryParts parts() {
  return {map_binary<Function>, map_binary_fixed<Function>};
}

BinaryParts compare_parts_of(Binary op) {
  switch (op) {
    case Binary::kEqual:
      return parts<Equal>();
    case Binary::kNotEqual:
      return parts<NotEqual>();
    case Binary::kLess:
      return parts<Less>();
    case Binary::kLessEqual:
      return parts<LessEqual>();
    case Binary::kGreater:
      return parts<Greater>();
    case Binary::kGreaterEqual:
      return parts<GreaterEqual>();
    default:
      return {};
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(compare_parts_of);
}  // namespace

BinaryParts compare_parts(Binary op) { return HWY_DYNAMIC_DISPATCH(compare_parts_of)(op); }

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  static const std::map<std::string, Binary> ops = {
      {"eq", Binary::kEqual},     {"ne", Binary::kNotEqual}, {"lt", Binary::kLess},
      {"le", Binary::kLessEqual}, {"gt", Binary::kGreater},  {"ge", Binary::kGreaterEqual}};
  const Binary op = ops.at(request.op_case.str("cmp"));
  return make_step(request, 0, single_pass(request), [op](StepBuffers& b) {
    binary(op, b.in[0], b.in[1], b.out[0], *b.thread_pool);
  });
}

const VariantRow row{hwy_variant("compare", "one pass over vectors, split over threads", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
