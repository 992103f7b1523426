// Not measured yet: these are assumed.
#pragma once

#include <cstddef>

namespace nsop::kernels {

constexpr size_t kArithmeticElements = 32768;  // per thread, as all; see `make thresholds`
constexpr size_t kFunctionElements = 4096;
constexpr size_t kReducedElements = 32768;
constexpr size_t kProductMacs = 65536;
constexpr size_t kConvMacs = 65536;
constexpr size_t kPooledElements = 8192;
constexpr size_t kNormElements = 8192;
constexpr size_t kSoftmaxElements = 4096;
constexpr size_t kSoftmaxGradientElements = 16384;
constexpr size_t kDrawnElements = 8192;

}  // namespace nsop::kernels
