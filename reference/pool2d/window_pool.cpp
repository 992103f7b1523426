#include "reference/pool2d/window_pool.h"

#include <fmt/format.h>

#include <cmath>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }

// What a channel of x is: a volume, of which planes have one slice and lines one row.
struct Channel {
  explicit Channel(const Case& c) {
    const Shape in = c.shape("in");
    width = in.back();
    if (in.size() > 3) height = in[in.size() - 2];
    if (in.size() > 4) depth = in[2];
  }
  int64_t pixels() const { return depth * height * width; }
  int64_t at(int64_t iz, int64_t iy, int64_t ix) const { return (iz * height + iy) * width + ix; }
  int64_t depth = 1, height = 1, width = 1;
};

// fn(index in the channel) for every pixel of a window, in row-major order.
template <class Fn>
void for_each_pixel(const Channel& channel, const PoolWindow& window, Fn fn) {
  for (int64_t iz = window.front; iz < window.back; ++iz) {
    for (int64_t iy = window.top; iy < window.bottom; ++iy) {
      for (int64_t ix = window.left; ix < window.right; ++ix) fn(channel.at(iz, iy, ix));
    }
  }
}

// fn(channel, counted through all samples, index into y, window) for every window.
template <class Fn>
void for_each_window(const WindowPool& pool, const Case& c, Fn fn) {
  const Shape in = c.shape("in");
  const std::vector<PoolWindow> windows = pool.windows(c);
  int64_t y_at = 0;
  for (int64_t channel = 0; channel < in[0] * in[1]; ++channel) {
    for (const PoolWindow& window : windows) fn(channel, y_at++, window);
  }
}

void validate_indices(const Case& c) {
  constexpr int64_t kExact = int64_t{1} << 24;  // every integer up to here is a float
  const Shape in = c.shape("in");
  const Shape one(in.begin() + 2, in.end());
  require(Channel(c).pixels() <= kExact, c.op(),
          fmt::format("a channel of {} has indices that floats can't hold, expected at most 2^24 "
                      "pixels",
                      shape_text(one)));
}

// Where the largest value is; the first NaN, if there is one.
int64_t winner_of(const float* x, const Channel& channel, const PoolWindow& window) {
  int64_t best = channel.at(window.front, window.top, window.left);
  for_each_pixel(channel, window, [&](int64_t at) {
    const bool first_nan = std::isnan(x[at]) && !std::isnan(x[best]);
    if (x[at] > x[best] || first_nan) best = at;
  });
  return best;
}

// fn(start of the channel in x, index into y, index of the winner in the channel) for every window.
template <class Fn>
void for_each_winner(const WindowPool& pool, const Case& c, std::span<const float> x, Fn fn) {
  const Channel channel(c);
  for_each_window(pool, c, [&](int64_t number, int64_t y_at, const PoolWindow& window) {
    const int64_t start = number * channel.pixels();
    fn(start, y_at, winner_of(x.data() + start, channel, window));
  });
}

std::vector<InputSpec> max_inputs(const WindowPool& pool, const Case& c) {
  const Shape x = c.shape("in");
  const Shape y = pool.y_shape(c);
  const auto [lo, hi] = c.range("range");
  if (is_forward(c)) return {{"x", x, lo, hi}};
  return {{"x", x, lo, hi}, {"index", y, 0, 1}, {"dy", y, lo, hi}};
}

std::vector<OutputSpec> max_outputs(const WindowPool& pool, const Case& c) {
  if (is_forward(c)) return {{"y", pool.y_shape(c)}, {"index", pool.y_shape(c)}};
  return {{"dx", c.shape("in")}};
}

// The index that a backward pass is given is the one of its x.
void save_index(const WindowPool& pool, const Case& c, std::span<Tensor> in) {
  if (is_forward(c)) return;
  const std::span<float> index = in[1].data();
  for_each_winner(pool, c, in[0].data(), [&](int64_t, int64_t y_at, int64_t winner) {
    index[y_at] = static_cast<float>(winner);
  });
}

void max_oracle(const WindowPool& pool, const Case& c, std::span<const Tensor> in,
                std::span<TensorF64> out) {
  const std::span<const float> x = in[0].data();
  const bool forward = is_forward(c);
  for_each_winner(pool, c, x, [&](int64_t start, int64_t y_at, int64_t winner) {
    if (forward) {
      out[0].data[y_at] = x[start + winner];
      out[1].data[y_at] = static_cast<double>(winner);
    } else {
      out[0].data[start + winner] += in[2].data()[y_at];
    }
  });
}

// Forward picks, and so does backward without overlap. With overlap every dx adds up the dy of the
// windows that it is in.
Tolerance max_tolerance(const WindowPool& pool, const Case& c) {
  const int64_t overlap = pool.overlap(c);
  if (is_forward(c) || overlap == 1) return {};
  return plain_sum_tolerance(static_cast<double>(overlap), uniform_of(c));
}

// One comparison per pixel of a window; one addition per window. x is not read by the gradient.
Work max_work(const WindowPool& pool, const Case& c) {
  const auto windows = static_cast<double>(element_count(pool.y_shape(c)));
  const auto pixels = static_cast<double>(element_count(c.shape("in")));
  return {.flops = is_forward(c) ? pool.taps(c) : windows,
          .macs = 0,
          .bytes = kFloatBytes * (pixels + 2 * windows)};
}

std::vector<InputSpec> average_inputs(const WindowPool& pool, const Case& c) {
  const auto [lo, hi] = c.range("range");
  if (is_forward(c)) return {{"x", c.shape("in"), lo, hi}};
  return {{"dy", pool.y_shape(c), lo, hi}};
}

std::vector<OutputSpec> average_outputs(const WindowPool& pool, const Case& c) {
  if (is_forward(c)) return {{"y", pool.y_shape(c)}};
  return {{"dx", c.shape("in")}};
}

void average_oracle(const WindowPool& pool, const PoolDivisors& divisors, const Case& c,
                    std::span<const Tensor> in, std::span<TensorF64> out) {
  const Channel channel(c);
  const std::span<const float> values = in[0].data();
  std::vector<double>& result = out[0].data;
  const bool forward = is_forward(c);
  for_each_window(pool, c, [&](int64_t number, int64_t y_at, const PoolWindow& window) {
    const auto divisor = static_cast<double>(divisors.of(c, window));
    for_each_pixel(channel, window, [&](int64_t at) {
      const int64_t x_at = number * channel.pixels() + at;
      if (forward) result[y_at] += values[x_at] / divisor;
      if (!forward) result[x_at] += values[y_at] / divisor;
    });
  });
}

// Forward averages the pixels of a window; backward adds up shares of the windows that meet.
Tolerance average_tolerance_of(const WindowPool& pool, const PoolDivisors& divisors,
                               const Case& c) {
  const Uniform values = uniform_of(c);
  if (is_forward(c)) {
    return average_tolerance(static_cast<double>(divisors.most(c)), values.mean(),
                             values.root_mean_square());
  }
  return plain_sum_tolerance(static_cast<double>(pool.overlap(c)),
                             values.scaled(1 / static_cast<double>(divisors.least(c))));
}

}  // namespace

Op max_pool_op(const WindowPool& pool) {
  return {
      .spec = pool.spec,
      .validate =
          [pool](const Case& c) {
            pool.validate(c);
            validate_indices(c);
          },
      .inputs = [pool](const Case& c) { return max_inputs(pool, c); },
      .outputs = [pool](const Case& c) { return max_outputs(pool, c); },
      .shape_inputs = [pool](const Case& c, std::span<Tensor> in) { save_index(pool, c, in); },
      .oracle = [pool](const Case& c, std::span<const Tensor> in,
                       std::span<TensorF64> out) { max_oracle(pool, c, in, out); },
      .tolerance = [pool](const Case& c) { return max_tolerance(pool, c); },
      .work = [pool](const Case& c) { return max_work(pool, c); },
  };
}

Op average_pool_op(const WindowPool& pool, const PoolDivisors& divisors) {
  return {
      .spec = pool.spec,
      .validate = pool.validate,
      .inputs = [pool](const Case& c) { return average_inputs(pool, c); },
      .outputs = [pool](const Case& c) { return average_outputs(pool, c); },
      .shape_inputs = {},
      .oracle = [pool, divisors](
                    const Case& c, std::span<const Tensor> in,
                    std::span<TensorF64> out) { average_oracle(pool, divisors, c, in, out); },
      .tolerance = [pool,
                    divisors](const Case& c) { return average_tolerance_of(pool, divisors, c); },
      .work = [pool](const Case& c) -> Work {
        return {.flops = pool.taps(c),
                .macs = 0,
                .bytes = compulsory_bytes(average_inputs(pool, c), average_outputs(pool, c))};
      },
  };
}

}  // namespace nsop::reference
