// Tables of the ways of doing something: rows in the order in which they are asked, each with all
// that is to say about its way.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>

namespace nsop::kernels {

// A value, or a function that is called as it is: a row that leaves it out, or gives nullptr,
// doesn't compile.
template <class T>
struct Required {
  template <std::convertible_to<T> U>
  constexpr Required(U given) : value(given) {}
  Required(std::nullptr_t) = delete;

  constexpr operator T() const { return value; }

  T value;
};

// The first way that pays for a shape; the last, which can do any shape, if none does.
template <class Way, class Shape>
const Way& first_that_pays(std::span<const Way> ways, const Shape& shape) {
  const auto found = std::ranges::find_if(ways, [&](const Way& way) { return way.pays(shape); });
  return found == ways.end() ? ways.back() : *found;
}

template <class Way, size_t kCount, class Shape>
const Way& first_that_pays(const Way (&ways)[kCount], const Shape& shape) {
  return first_that_pays(std::span<const Way>(ways), shape);
}

}  // namespace nsop::kernels
