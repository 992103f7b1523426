// What the ops along one axis of a tensor have in common.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/core/registry.h"

namespace nsop::reference {

// A row-major tensor as [outer, length, inner], `length` being the axis (or everything).
struct AxisShape {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

// The elements of one line along the axis.
struct Line {
  const float* first = nullptr;
  int64_t length = 0;
  int64_t stride = 0;
  double operator[](int64_t i) const { return first[i * stride]; }
};

enum class Axes { kOne, kOneOrAll };

// `axis=` 0 to 7, or also `all`.
ParamSpec axis_param(Axes axes);
// `n=<shape>`.
ParamSpec shape_param();

// Of keys `n` and `axis`.
AxisShape axis_shape_of(const Case& op_case);
// The shape that is left when the axis is gone; [1] when nothing is left.
Shape without_axis(const Case& op_case);

// Throws Error (usage) when `n` is too large or has no such axis.
void require_axis(std::string_view op, const Case& op_case);

// Calls fn(line, at) for every line of `x`, `at` being its index in a tensor without the axis.
template <class Fn>
void for_each_line(const AxisShape& shape, const float* x, Fn&& fn) {
  for (int64_t o = 0; o < shape.outer; ++o) {
    for (int64_t i = 0; i < shape.inner; ++i) {
      fn(Line{x + o * shape.length * shape.inner + i, shape.length, shape.inner},
         o * shape.inner + i);
    }
  }
}

}  // namespace nsop::reference
