#include "kernels/conv/ways/remainders.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/remainders.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
bool sort_pairs(const float*, float*, size_t, size_t) { return false; }
bool unsort_pairs(const float*, float*, size_t, size_t) { return false; }
#else

// Lines are short (14 columns in a network): half vectors leave less of them over.
using Lines = hn::CappedTag<float, 8>;

// Calls fn(first column) for vectors that cover all columns, the last one perhaps again; false if
// there are fewer columns than lanes.
template <class Fn>
HWY_INLINE bool cover(size_t columns, size_t lanes, Fn fn) {
  if (columns < lanes) return false;
  for (size_t j = 0; j + lanes <= columns; j += lanes) fn(j);
  if (columns % lanes != 0) fn(columns - lanes);
  return true;
}

bool sort_pairs(const float* line, float* sorted, size_t columns, size_t remainder) {
  const Lines d;
  return cover(columns, hn::Lanes(d), [&](size_t j) HWY_ATTR {
    hn::Vec<Lines> even, odd;
    hn::LoadInterleaved2(d, line + 2 * j, even, odd);
    hn::StoreU(even, d, sorted + j);
    hn::StoreU(odd, d, sorted + remainder + j);
  });
}

bool unsort_pairs(const float* sorted, float* line, size_t columns, size_t remainder) {
  const Lines d;
  return cover(columns, hn::Lanes(d), [&](size_t j) HWY_ATTR {
    hn::StoreInterleaved2(hn::LoadU(d, sorted + j), hn::LoadU(d, sorted + remainder + j), d,
                          line + 2 * j);
  });
}
#endif

void sort_line(const float* line, float* sorted, size_t d, size_t columns, size_t remainder) {
  if (d == 2 && sort_pairs(line, sorted, columns, remainder)) return;
  for (size_t i = 0; i < d; ++i) {
    float* at = sorted + i * remainder;
    for (size_t j = 0; j < columns; ++j) at[j] = line[j * d + i];
  }
}

void unsort_line(const float* sorted, float* line, size_t d, size_t columns, size_t remainder) {
  if (d == 2 && unsort_pairs(sorted, line, columns, remainder)) return;
  for (size_t i = 0; i < d; ++i) {
    const float* at = sorted + i * remainder;
    for (size_t j = 0; j < columns; ++j) line[j * d + i] = at[j];
  }
}

LineSorter line_sorter_of_target() { return {sort_line, unsort_line}; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(line_sorter_of_target);

}  // namespace

LineSorter line_sorter() { return HWY_DYNAMIC_DISPATCH(line_sorter_of_target)(); }

}  // namespace nsop::kernels
#endif
