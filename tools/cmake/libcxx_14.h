// What libc++ 14, which Emscripten brings, lacks of C++20 as nsop uses it: read before every source
// of that build.
#pragma once

#ifdef __cplusplus
#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace std {

inline strong_ordering operator<=>(const string& a, const string& b) { return a.compare(b) <=> 0; }

// Decimal numbers only; a point and an exponent as strtod() takes them, whose locale is always "C".
template <class T, enable_if_t<is_floating_point_v<T>, int> = 0>
from_chars_result from_chars(const char* first, const char* last, T& value,
                             chars_format format = chars_format::general) {
  const char* const digits = first != last && *first == '-' ? first + 1 : first;
  const bool is_number = digits != last && ((*digits >= '0' && *digits <= '9') || *digits == '.');
  string text(first, is_number ? last : first);
  const size_t exponent = text.find_first_of("eExX");
  const bool is_cut = exponent != string::npos && (format == chars_format::fixed ||
                                                   text[exponent] == 'x' || text[exponent] == 'X');
  if (is_cut) text.resize(exponent);
  char* end = nullptr;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* const at = first + (end - text.c_str());
  if (read > numeric_limits<T>::max() || read < numeric_limits<T>::lowest()) {
    return {at, errc::result_out_of_range};
  }
  value = static_cast<T>(read);
  return {at, errc()};
}

template <class T, enable_if_t<is_unbounded_array_v<T>, int> = 0>
unique_ptr<T> make_unique_for_overwrite(size_t size) {
  return unique_ptr<T>(new remove_extent_t<T>[size]);
}

namespace ranges {

template <class In, class Out>
struct copied_result {
  In in;
  Out out;
};

inline constexpr auto all_of = [](auto&& range, auto is) {
  return std::all_of(std::begin(range), std::end(range), std::move(is));
};
inline constexpr auto any_of = [](auto&& range, auto is) {
  return std::any_of(std::begin(range), std::end(range), std::move(is));
};
inline constexpr auto none_of = [](auto&& range, auto is) {
  return std::none_of(std::begin(range), std::end(range), std::move(is));
};
inline constexpr auto count = [](auto&& range, const auto& value) {
  return std::count(std::begin(range), std::end(range), value);
};
inline constexpr auto count_if = [](auto&& range, auto is) {
  return std::count_if(std::begin(range), std::end(range), std::move(is));
};
inline constexpr auto find = [](auto&& range, const auto& value) {
  return std::find(std::begin(range), std::end(range), value);
};
inline constexpr auto find_if = [](auto&& range, auto is) {
  return std::find_if(std::begin(range), std::end(range), std::move(is));
};
inline constexpr auto copy = [](auto&& range, auto to) {
  const auto last = std::end(range);
  const auto out = std::copy(std::begin(range), last, to);
  return copied_result<decltype(std::begin(range)), decltype(to)>{last, out};
};
inline constexpr auto fill = [](auto&& range, const auto& value) {
  std::fill(std::begin(range), std::end(range), value);
  return std::end(range);
};
inline constexpr auto equal = [](auto&& a, auto&& b, auto... alike) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), std::move(alike)...);
};
inline constexpr auto move = [](auto&& range, auto to) {
  return std::move(std::begin(range), std::end(range), to);
};
inline constexpr auto nth_element = [](auto&& range, auto nth) {
  std::nth_element(std::begin(range), nth, std::end(range));
  return std::end(range);
};

template <class Range>
auto max(Range&& range) {
  return *std::max_element(std::begin(range), std::end(range));
}
template <class Range>
auto minmax(Range&& range) {
  const auto found = std::minmax_element(std::begin(range), std::end(range));
  struct Both {
    decay_t<decltype(*found.first)> min, max;
  };
  return Both{*found.first, *found.second};
}

template <class Range, class Less = std::less<>, class Projection = std::identity>
auto min_element(Range&& range, Less is_less = {}, Projection of = {}) {
  return std::min_element(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(is_less, std::invoke(of, a), std::invoke(of, b));
  });
}
template <class Range, class Less = std::less<>, class Projection = std::identity>
auto max_element(Range&& range, Less is_less = {}, Projection of = {}) {
  return std::max_element(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(is_less, std::invoke(of, a), std::invoke(of, b));
  });
}

template <class Range>
auto next_permutation(Range&& range) {
  struct Found {
    bool found;
  };
  return Found{std::next_permutation(std::begin(range), std::end(range))};
}

template <class Range, class Less = std::less<>, class Projection = std::identity>
auto sort(Range&& range, Less is_less = {}, Projection of = {}) {
  std::sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(is_less, std::invoke(of, a), std::invoke(of, b));
  });
  return std::end(range);
}

template <class Range, class Out, class Function>
auto transform(Range&& range, Out out, Function f) {
  return std::transform(std::begin(range), std::end(range), out, std::move(f));
}
template <class A, class B, class Out, class Function>
auto transform(A&& a, B&& b, Out out, Function f) {
  return std::transform(std::begin(a), std::end(a), std::begin(b), out, std::move(f));
}

}  // namespace ranges
}  // namespace std
#endif
