// Variants of the backward passes of activations: 12 bytes per element. Declared in activation.h.
#include "kernels/activations/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/activation_gradients.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activations/activation-inl.h"
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

BinaryPart activation_gradient_part_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu6:
      return map_binary<Relu6Gradient>;
    case Activation::kLeakyRelu:
      return map_binary<LeakyReluGradient>;
    case Activation::kElu:
      return map_binary<EluGradient>;
    case Activation::kGeluTanh:
      return map_binary<GeluTanhGradient>;
    case Activation::kGeluErf:
      return map_binary<GeluErfGradient>;
    case Activation::kSilu:
      return map_binary<SiluGradient>;
    case Activation::kSoftplus:
      return map_binary<SoftplusGradient>;
  }
  return nullptr;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(activation_gradient_part_of);
}  // namespace

BinaryPart activation_gradient_part(Activation activation) {
  return HWY_DYNAMIC_DISPATCH(activation_gradient_part_of)(activation);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
