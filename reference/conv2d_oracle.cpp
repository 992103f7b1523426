#include "reference/conv2d_oracle.h"

#include <algorithm>

namespace nsop::reference {
namespace {

struct Interval {
  int64_t first, last;  // [first, last)
};

// The output positions o in [0, outputs) whose input position o*stride + offset lies in [0,
// inputs).
Interval inside(int64_t outputs, int64_t inputs, int64_t stride, int64_t offset) {
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t room = inputs - 1 - offset;
  const int64_t last = room < 0 ? 0 : std::min(outputs, room / stride + 1);
  return {std::min(first, last), last};
}

// Calls row(x_at, w_at, y_at, count) for every weight and every row of output pixels that it takes
// part in: for i in [0, count), y[y_at + i] depends on w[w_at] * x[x_at + i*stride]. Rows are the
// innermost loop and one image of one channel is used until it is done, which keeps the sums in
// cache; the three passes differ only in which of the three they add to.
template <class Row>
void for_each_row(const Conv2dShape& s, Row row) {
  const int64_t c_group = s.c_per_group();
  const int64_t out_group = s.out_per_group();
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t i = 0; i < c_group; ++i) {
        const int64_t c = o / out_group * c_group + i;
        for (int64_t tap = 0; tap < s.k * s.k; ++tap) {
          const int64_t dy = tap / s.k * s.dilation - s.pad;
          const int64_t dx = tap % s.k * s.dilation - s.pad;
          const Interval rows = inside(s.oh, s.h, s.stride, dy);
          const Interval columns = inside(s.ow, s.w, s.stride, dx);
          for (int64_t y = rows.first; y < rows.last; ++y) {
            row(((n * s.c + c) * s.h + y * s.stride + dy) * s.w + columns.first * s.stride + dx,
                (o * c_group + i) * s.k * s.k + tap,
                ((n * s.out + o) * s.oh + y) * s.ow + columns.first, columns.last - columns.first);
          }
        }
      }
    }
  }
}

// full [n,out,oh,ow] to its mean over pixels [n,out]
void average(const Conv2dShape& s, std::span<const double> full, std::span<double> mean) {
  const int64_t pixels = s.pixels();
  for (int64_t i = 0; i < s.n * s.out; ++i) {
    double sum = 0;
    for (int64_t p = 0; p < pixels; ++p) sum += full[i * pixels + p];
    mean[i] = sum / static_cast<double>(pixels);
  }
}

void forward_full(const Conv2dShape& s, std::span<const float> x, std::span<const float> w,
                  std::span<const float> b, std::span<double> y) {
  if (!b.empty()) {
    for (int64_t i = 0; i < s.n * s.out; ++i) {
      std::fill_n(y.begin() + i * s.pixels(), s.pixels(), b[i % s.out]);
    }
  }
  for_each_row(s, [&](int64_t x_at, int64_t w_at, int64_t y_at, int64_t count) {
    const double weight = w[w_at];
    for (int64_t i = 0; i < count; ++i) y[y_at + i] += weight * x[x_at + i * s.stride];
  });
}

}  // namespace

void conv2d_forward(const Conv2dShape& s, std::span<const float> x, std::span<const float> w,
                    std::span<const float> b, std::span<double> y) {
  if (!s.mean) return forward_full(s, x, w, b, y);
  std::vector<double> full(element_count(s.full_y_shape()));
  forward_full(s, x, w, b, full);
  average(s, full, y);
}

std::vector<double> conv2d_spread(const Conv2dShape& s, std::span<const float> dy) {
  if (!s.mean) return {dy.begin(), dy.end()};
  std::vector<double> full(element_count(s.full_y_shape()));
  for (size_t i = 0; i < full.size(); ++i) {
    full[i] = dy[i / s.pixels()] / static_cast<double>(s.pixels());
  }
  return full;
}

void conv2d_backward_data(const Conv2dShape& s, std::span<const float> w,
                          std::span<const double> dy, std::span<double> dx) {
  for_each_row(s, [&](int64_t x_at, int64_t w_at, int64_t y_at, int64_t count) {
    const double weight = w[w_at];
    for (int64_t i = 0; i < count; ++i) dx[x_at + i * s.stride] += weight * dy[y_at + i];
  });
}

void conv2d_backward_weights(const Conv2dShape& s, std::span<const float> x,
                             std::span<const double> dy, std::span<double> dw) {
  for_each_row(s, [&](int64_t x_at, int64_t w_at, int64_t y_at, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += dy[y_at + i] * x[x_at + i * s.stride];
    dw[w_at] += sum;
  });
}

void conv2d_backward_bias(const Conv2dShape& s, std::span<const double> dy, std::span<double> db) {
  for (int64_t i = 0; i < s.n * s.out; ++i) {
    for (int64_t p = 0; p < s.pixels(); ++p) db[i % s.out] += dy[i * s.pixels() + p];
  }
}

}  // namespace nsop::reference
