#include "layers/dropout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "harness/core/error.h"

namespace nsop::layers {

Dropout::Dropout(double rate, std::optional<uint64_t> seed)
    : rate_(rate), seeded_(seed.has_value()), stream_{seed.value_or(0), 0} {
  if (rate >= 0 && rate < 1) return;
  throw usage_error(
      fmt::format("Dropout: expected a rate of at least 0 and below 1, given {}", rate));
}

std::string Dropout::name() const { return fmt::format("Dropout({})", rate_); }

void Dropout::init_parameters(Random& random) {
  stream_.run = 0;
  if (!seeded_) stream_.seed = random.next();
}

void Dropout::set_mask(ConstFloats mask) {
  assert(mask.size() == mask_.size());
  std::ranges::copy(mask, mask_.begin());
}

void Dropout::do_forward(ConstFloats x, Floats y) {
  dropped_ = training();
  if (!dropped_) {
    std::ranges::copy(x, y.begin());
    return;
  }
  kernels::dropout_forward(stream_, rate_, x, y, mask_, pool());
  ++stream_.run;
}

void Dropout::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (dx.empty()) return;
  if (dropped_) return kernels::dropout_backward(mask_, dy, dx, pool());
  std::ranges::copy(dy, dx.begin());
}

}  // namespace nsop::layers
