// Backward passes of the gates: 12 bytes per element.
#include "kernels/activations/gates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/gate_gradients.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activations/gates-inl.h"
#include "kernels/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Relu6Gradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    const auto inside = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, hn::Set(d, 6.0f)));
    return hn::And(hn::VecFromMask(d, inside), dy);
  }
};

struct LeakyReluGradient {
  FloatVec alpha;
  HWY_INLINE explicit LeakyReluGradient(const ElementwiseArgs& args)
      : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    return select(d, hn::Gt(x, hn::Zero(d)), dy, hn::Mul(alpha, dy));
  }
};

struct EluGradient {
  FloatVec alpha;
  HWY_INLINE explicit EluGradient(const ElementwiseArgs& args)
      : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    return hn::Mul(dy, elu_derivative(d, x, alpha));
  }
};

struct GeluTanhGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    return hn::Mul(dy, gelu_tanh_derivative(d, x));
  }
};

struct GeluErfGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    return hn::Mul(dy, gelu_erf_derivative(d, x));
  }
};

struct SiluGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    return hn::Mul(dy, silu_derivative(d, x));
  }
};

struct SoftplusGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    return hn::Mul(dy, sigmoid(d, x));
  }
};

BinaryPart gate_gradient_part_of(Gate gate) {
  switch (gate) {
    case Gate::kRelu6:
      return map_binary<Relu6Gradient>;
    case Gate::kLeakyRelu:
      return map_binary<LeakyReluGradient>;
    case Gate::kElu:
      return map_binary<EluGradient>;
    case Gate::kGeluTanh:
      return map_binary<GeluTanhGradient>;
    case Gate::kGeluErf:
      return map_binary<GeluErfGradient>;
    case Gate::kSilu:
      return map_binary<SiluGradient>;
    case Gate::kSoftplus:
      return map_binary<SoftplusGradient>;
  }
  return nullptr;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(gate_gradient_part_of);
}  // namespace

BinaryPart gate_gradient_part(Gate gate) {
  return HWY_DYNAMIC_DISPATCH(gate_gradient_part_of)(gate);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
