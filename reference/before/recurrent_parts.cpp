#include "reference/before/recurrent_parts.h"

namespace nsop::reference::before {

Floats product(const RecurrentSizes& s, const float* rows, const float* weights, int64_t inner) {
  Floats y(s.batch * s.columns);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t j = 0; j < s.columns; ++j) {
      float sum = 0;
      for (int64_t i = 0; i < inner; ++i) {
        sum += rows[n * inner + i] * weights[i * s.columns + j];
      }
      y[n * s.columns + j] = sum;
    }
  }
  return y;
}

Floats input_gradient(const RecurrentSizes& s, const Floats& d, const float* weights,
                      int64_t inner) {
  Floats dx(s.batch * inner);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t i = 0; i < inner; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < s.columns; ++j) {
        sum += d[n * s.columns + j] * weights[i * s.columns + j];
      }
      dx[n * inner + i] = sum;
    }
  }
  return dx;
}

void add_weight_gradient(const RecurrentSizes& s, const float* rows, const Floats& d, int64_t inner,
                         Floats& dw) {
  for (int64_t i = 0; i < inner; ++i) {
    for (int64_t j = 0; j < s.columns; ++j) {
      float sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) sum += rows[n * inner + i] * d[n * s.columns + j];
      dw[i * s.columns + j] += sum;
    }
  }
}

void add_bias_gradient(const RecurrentSizes& s, const Floats& d, Floats& db) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t j = 0; j < s.columns; ++j) db[j] += d[n * s.columns + j];
  }
}

}  // namespace nsop::reference::before
