// Going through long arrays at several places at once.
//
// A core fetches the next lines of a stream ahead, but not across the borders of pages. In pages
// side by side more fetches are under way, and their number is what limits the bandwidth of memory.
// Where caches hold the arrays it makes no difference.
#pragma once

#include <cstddef>

namespace nsop::kernels {

constexpr size_t kPageFloats = 1024;
constexpr size_t kPages = 4;  // at once
constexpr size_t kPageGroup = kPages * kPageFloats;

// Floats of one array from which it pays.
constexpr size_t kPagedFrom = size_t{1} << 20;

// The first floats of n that are gone through in groups of pages.
constexpr size_t paged_floats(size_t n) { return n < kPagedFrom ? 0 : n / kPageGroup * kPageGroup; }

}  // namespace nsop::kernels
