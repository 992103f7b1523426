// Pools over windows of a plane, NCHW, of a line, NCL, or of a volume, NCDHW. The ops differ in
// which windows there are and in what is made of each.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/core/registry.h"

namespace nsop::reference {

// Rows [top, bottom) and columns [left, right) of a plane, in the slices [front, back) of a volume:
// at least one pixel. A line is a plane of one row, a plane a volume of one slice.
struct PoolWindow {
  int64_t top, bottom, left, right;
  int64_t front = 0, back = 1;
  int64_t pixels() const { return (back - front) * (bottom - top) * (right - left); }
};

// x is `in` [n,c,...] with one to three axes behind the channels, y has as many.
struct WindowPool {
  OpSpec spec;  // with the keys pass, in, range
  std::function<void(const Case&)> validate;
  std::function<Shape(const Case&)> y_shape;
  std::function<std::vector<PoolWindow>(const Case&)> windows;  // of a channel, in the order of y
  std::function<int64_t(const Case&)> overlap;  // the most windows that a pixel can be in
  std::function<double(const Case&)> taps;      // nominal pixels of all windows together
};

// x -> y, index: the largest value of every window and where it is, (d*H + h)*W + w in the channel,
// as a float; x, index, dy -> dx gathers dy at those places. Of equal values the first in row-major
// order wins; of a window with NaN, the first NaN. Refuses channels that have indices which no
// float holds.
Op max_pool_op(const WindowPool& pool);

// By how much the sum of a window is divided.
struct PoolDivisors {
  std::function<int64_t(const Case&, const PoolWindow&)> of;
  std::function<int64_t(const Case&)> least, most;
};

// x -> y: the mean of every window, and its gradient dy -> dx.
Op average_pool_op(const WindowPool& pool, const PoolDivisors& divisors);

}  // namespace nsop::reference
