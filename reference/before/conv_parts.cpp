#include "reference/before/conv_parts.h"

namespace nsop::reference::before {

Floats average(const ConvShape& s, const Floats& y) {
  Floats mean(s.n * s.out);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      float sum = 0;
      for (int64_t p = 0; p < s.pixels(); ++p) sum += y[(n * s.out + o) * s.pixels() + p];
      mean[n * s.out + o] = sum / static_cast<float>(s.pixels());
    }
  }
  return mean;
}

Floats transpose_gradient(const ConvShape& s, const float* dy) {
  Floats dyt(s.out * s.n * s.pixels());
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t p = 0; p < s.pixels(); ++p) {
        dyt[(o * s.n + n) * s.pixels() + p] =
            s.mean ? dy[n * s.out + o] / static_cast<float>(s.pixels())
                   : dy[(n * s.out + o) * s.pixels() + p];
      }
    }
  }
  return dyt;
}

Floats bias_gradient(const ConvShape& s, const float* dy) {
  Floats db(s.out);
  const int64_t pixels = s.mean ? 1 : s.pixels();
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t p = 0; p < pixels; ++p) db[o] += dy[(n * s.out + o) * pixels + p];
    }
  }
  return db;
}

}  // namespace nsop::reference::before
