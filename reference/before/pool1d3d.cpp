// The pools of lines and volumes as the reports' "before": for every output its window, every
// offset computed where it is used, fresh results.
#include "reference/pool2d/pool1d3d.h"

#include <limits>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// Calls fn(o, i) for every output o and every input i of its window, both counted through all
// channels. x [channels,d,h,w], y [channels,od,oh,ow]
template <class Fn>
void for_each_tap(const PoolShape& s, Fn fn) {
  const auto& [depth, height, width] = s.axes;
  for (int64_t c = 0; c < s.channels; ++c) {
    for (int64_t oz = 0; oz < depth.out; ++oz) {
      for (int64_t oy = 0; oy < height.out; ++oy) {
        for (int64_t ox = 0; ox < width.out; ++ox) {
          const int64_t o = ((c * depth.out + oz) * height.out + oy) * width.out + ox;
          for (int64_t kz = 0; kz < depth.k; ++kz) {
            for (int64_t ky = 0; ky < height.k; ++ky) {
              for (int64_t kx = 0; kx < width.k; ++kx) {
                const int64_t iz = oz * depth.stride - depth.pad + kz;
                const int64_t iy = oy * height.stride - height.pad + ky;
                const int64_t ix = ox * width.stride - width.pad + kx;
                if (iz < 0 || iz >= depth.in || iy < 0 || iy >= height.in) continue;
                if (ix < 0 || ix >= width.in) continue;
                fn(o, ((c * depth.in + iz) * height.in + iy) * width.in + ix);
              }
            }
          }
        }
      }
    }
  }
}

int64_t inputs_of(const PoolShape& s) {
  return s.channels * s.axes[0].in * s.axes[1].in * s.axes[2].in;
}

int64_t outputs_of(const PoolShape& s) {
  return s.channels * s.axes[0].out * s.axes[1].out * s.axes[2].out;
}

void max_forward(const PoolShape& s, const float* x, std::vector<Floats>& out) {
  Floats y(outputs_of(s), -std::numeric_limits<float>::infinity());
  Floats index(outputs_of(s), -1.0F);
  const int64_t channel = inputs_of(s) / s.channels;
  for_each_tap(s, [&](int64_t o, int64_t i) {
    const float value = x[i];
    if (index[o] < 0 || value > y[o] || (value != value && y[o] == y[o])) {
      y[o] = value;
      index[o] = static_cast<float>(i % channel);
    }
  });
  out[0] = std::move(y);
  out[1] = std::move(index);
}

Floats max_backward(const PoolShape& s, const float* index, const float* dy) {
  Floats dx(inputs_of(s));
  const int64_t from = outputs_of(s) / s.channels;
  const int64_t to = inputs_of(s) / s.channels;
  for (int64_t o = 0; o < outputs_of(s); ++o) {
    dx[o / from * to + static_cast<int64_t>(index[o])] += dy[o];
  }
  return dx;
}

Floats average_forward(const PoolShape& s, const float* x) {
  Floats y(outputs_of(s));
  for_each_tap(s, [&](int64_t o, int64_t i) { y[o] += x[i]; });
  for (float& sum : y) sum /= static_cast<float>(s.area());
  return y;
}

Floats average_backward(const PoolShape& s, const float* dy) {
  Floats dx(inputs_of(s));
  for_each_tap(s, [&](int64_t o, int64_t i) { dx[i] += dy[o] / static_cast<float>(s.area()); });
  return dx;
}

Function bind_max(const Case& c) {
  const PoolShape s(c);
  if (s.forward) {
    return [s](const Inputs& in, std::vector<Floats>& out) { max_forward(s, in[0], out); };
  }
  return
      [s](const Inputs& in, std::vector<Floats>& out) { out[0] = max_backward(s, in[1], in[2]); };
}

Function bind_average(const Case& c) {
  const PoolShape s(c);
  return [s](const Inputs& in, std::vector<Floats>& out) {
    out[0] = s.forward ? average_forward(s, in[0]) : average_backward(s, in[0]);
  };
}

constexpr const char* kSummary = "Textbook loop over outputs and windows into fresh tensors.";
const VariantRow rows[] = {VariantRow(elementwise("maxpool1d", kSummary, bind_max)),
                           VariantRow(elementwise("avgpool1d", kSummary, bind_average)),
                           VariantRow(elementwise("maxpool3d", kSummary, bind_max)),
                           VariantRow(elementwise("avgpool3d", kSummary, bind_average))};

}  // namespace
}  // namespace nsop::reference::before
