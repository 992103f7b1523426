#include "kernels/gemm/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/activation.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/math-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// (1 + tanh z) / 2 is the logistic function of 2 z, which cancels nothing where tanh nears -1.
HWY_INLINE FloatVec gelu(FloatTag d, FloatVec x) {
  const FloatVec cubic = hn::Mul(hn::Mul(x, x), hn::Set(d, 0.044715f * 1.595769122f));
  return hn::Mul(x, sigmoid(d, hn::Mul(x, hn::Add(cubic, hn::Set(d, 1.595769122f)))));
}

// In place: 8 bytes per element.
template <class Function>
HWY_INLINE void for_each_vector(float* c, size_t ldc, size_t rows, size_t columns,
                                Function function) {
  const FloatTag d;
  for (size_t i = 0; i < rows; ++i) {
    float* row = c + i * ldc;
    size_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      hn::StoreU(function(d, hn::LoadU(d, row + j)), d, row + j);
    }
    if (j < columns) store_n(function(d, load_n(d, row + j, columns - j)), d, row + j, columns - j);
  }
}

void activate_all(FusedActivation activation, float* c, size_t ldc, size_t rows, size_t columns) {
  switch (activation) {
    case FusedActivation::kNone:
      return;
    case FusedActivation::kRelu:
      return for_each_vector(c, ldc, rows, columns, [](FloatTag d, FloatVec x) HWY_ATTR {
        return max_keep_nan(d, hn::Zero(d), x);
      });
    case FusedActivation::kTanh:
      return for_each_vector(c, ldc, rows, columns,
                             [](FloatTag d, FloatVec x) HWY_ATTR { return tanh(d, x); });
    case FusedActivation::kSigmoid:
      return for_each_vector(c, ldc, rows, columns,
                             [](FloatTag d, FloatVec x) HWY_ATTR { return sigmoid(d, x); });
    case FusedActivation::kGelu:
      return for_each_vector(c, ldc, rows, columns,
                             [](FloatTag d, FloatVec x) HWY_ATTR { return gelu(d, x); });
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(activate_all);

}  // namespace

void activate(FusedActivation activation, float* c, size_t ldc, size_t rows, size_t columns) {
  if (activation == FusedActivation::kNone) return;
  HWY_DYNAMIC_DISPATCH(activate_all)(activation, c, ldc, rows, columns);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
