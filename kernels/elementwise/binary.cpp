// 12 bytes and one flop per element.
#include "kernels/elementwise/binary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Add {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b) const {
    return hn::Add(a, b);
  }
};

struct Sub {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b) const {
    return hn::Sub(a, b);
  }
};

struct Mul {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b) const {
    return hn::Mul(a, b);
  }
};

struct Div {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b) const {
    return hn::Div(a, b);
  }
};

// The hardware returns its second operand when one is NaN.
struct Maximum {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return select(d, hn::Eq(a, a), max_keep_nan(d, a, b), a);
  }
};

struct Minimum {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return select(d, hn::Eq(a, a), min_keep_nan(d, a, b), a);
  }
};

template <class Function>
BinaryParts parts() {
  return {map_binary<Function>, map_binary_fixed<Function>};
}

BinaryParts binary_parts_of(Binary op) {
  switch (op) {
    case Binary::kAdd:
      return parts<Add>();
    case Binary::kSub:
      return parts<Sub>();
    case Binary::kMul:
      return parts<Mul>();
    case Binary::kDiv:
      return parts<Div>();
    case Binary::kMaximum:
      return parts<Maximum>();
    case Binary::kMinimum:
      return parts<Minimum>();
    default:
      return {};
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(binary_parts_of);
}  // namespace

BinaryParts binary_parts(Binary op) {
  const BinaryParts parts = HWY_DYNAMIC_DISPATCH(binary_parts_of)(op);
  return parts.moving == nullptr ? compare_parts(op) : parts;
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
