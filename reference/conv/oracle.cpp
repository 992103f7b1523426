#include "reference/conv/oracle.h"

#include <algorithm>

namespace nsop::reference {
namespace {

// The output positions o along an axis whose input position at this tap lies in [0, axis.in); the
// input position is o * stride + offset.
struct Reach {
  int64_t offset, first, last;

  Reach(const ConvAxis& axis, int64_t tap) : offset(tap * axis.dilation - axis.pad) {
    const int64_t room = axis.in - 1 - offset;
    first = offset >= 0 ? 0 : (-offset + axis.stride - 1) / axis.stride;
    last = room < 0 ? 0 : std::min(axis.out, room / axis.stride + 1);
    first = std::min(first, last);
  }
};

// Calls row(x_at, w_at, y_at, count) for one tap of one pair of planes, for every row of output
// pixels that it takes part in. x_at etc. are where the planes begin.
template <class Row>
void for_each_row_of_tap(const ConvShape& s, int64_t tap, int64_t x_at, int64_t w_at, int64_t y_at,
                         Row row) {
  const auto& [depth, height, width] = s.axes;
  const Reach slices(depth, tap / (height.k * width.k));
  const Reach rows(height, tap / width.k % height.k);
  const Reach columns(width, tap % width.k);
  for (int64_t z = slices.first; z < slices.last; ++z) {
    const int64_t x_slice = z * depth.stride + slices.offset;
    for (int64_t y = rows.first; y < rows.last; ++y) {
      const int64_t x_row = x_slice * height.in + y * height.stride + rows.offset;
      row(x_at + x_row * width.in + columns.first * width.stride + columns.offset, w_at + tap,
          y_at + (z * height.out + y) * width.out + columns.first, columns.last - columns.first);
    }
  }
}

// Calls row(x_at, w_at, y_at, count) for every weight and every row of output pixels that it takes
// part in: for i in [0, count), y[y_at + i] depends on w[w_at] * x[x_at + i*stride]. Rows are the
// innermost loop and one image of one channel is used until it is done, which keeps the sums in
// cache; the three passes differ only in which of the three they add to.
template <class Row>
void for_each_row(const ConvShape& s, Row row) {
  const int64_t c_group = s.c_per_group();
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t i = 0; i < c_group; ++i) {
        const int64_t c = o / s.out_per_group() * c_group + i;
        for (int64_t tap = 0; tap < s.taps(); ++tap) {
          for_each_row_of_tap(s, tap, (n * s.c + c) * s.in_pixels(), (o * c_group + i) * s.taps(),
                              (n * s.out + o) * s.pixels(), row);
        }
      }
    }
  }
}

// full y to its mean over pixels [n,out]
void average(const ConvShape& s, std::span<const double> full, std::span<double> mean) {
  const int64_t pixels = s.pixels();
  for (int64_t i = 0; i < s.n * s.out; ++i) {
    double sum = 0;
    for (int64_t p = 0; p < pixels; ++p) sum += full[i * pixels + p];
    mean[i] = sum / static_cast<double>(pixels);
  }
}

void forward_full(const ConvShape& s, std::span<const float> x, std::span<const float> w,
                  std::span<const float> b, std::span<double> y) {
  if (!b.empty()) {
    for (int64_t i = 0; i < s.n * s.out; ++i) {
      std::fill_n(y.begin() + i * s.pixels(), s.pixels(), b[i % s.out]);
    }
  }
  const int64_t stride = s.axes[2].stride;
  for_each_row(s, [&](int64_t x_at, int64_t w_at, int64_t y_at, int64_t count) {
    const double weight = w[w_at];
    for (int64_t i = 0; i < count; ++i) y[y_at + i] += weight * x[x_at + i * stride];
  });
}

}  // namespace

void conv_forward(const ConvShape& s, std::span<const float> x, std::span<const float> w,
                  std::span<const float> b, std::span<double> y) {
  if (!s.mean) return forward_full(s, x, w, b, y);
  std::vector<double> full(element_count(s.full_y_shape()));
  forward_full(s, x, w, b, full);
  average(s, full, y);
}

std::vector<double> conv_spread(const ConvShape& s, std::span<const float> dy) {
  if (!s.mean) return {dy.begin(), dy.end()};
  std::vector<double> full(element_count(s.full_y_shape()));
  for (size_t i = 0; i < full.size(); ++i) {
    full[i] = dy[i / s.pixels()] / static_cast<double>(s.pixels());
  }
  return full;
}

void conv_backward_data(const ConvShape& s, std::span<const float> w, std::span<const double> dy,
                        std::span<double> dx) {
  const int64_t stride = s.axes[2].stride;
  for_each_row(s, [&](int64_t x_at, int64_t w_at, int64_t y_at, int64_t count) {
    const double weight = w[w_at];
    for (int64_t i = 0; i < count; ++i) dx[x_at + i * stride] += weight * dy[y_at + i];
  });
}

void conv_backward_weights(const ConvShape& s, std::span<const float> x, std::span<const double> dy,
                           std::span<double> dw) {
  const int64_t stride = s.axes[2].stride;
  for_each_row(s, [&](int64_t x_at, int64_t w_at, int64_t y_at, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += dy[y_at + i] * x[x_at + i * stride];
    dw[w_at] += sum;
  });
}

void conv_backward_bias(const ConvShape& s, std::span<const double> dy, std::span<double> db) {
  for (int64_t i = 0; i < s.n * s.out; ++i) {
    for (int64_t p = 0; p < s.pixels(); ++p) db[i % s.out] += dy[i * s.pixels() + p];
  }
}

}  // namespace nsop::reference
