// How long arrays are gone through: at several places at once, asking for lines ahead.
//
// Intel's cores fetch the next lines of a stream ahead, but not across the borders of pages. In
// pages side by side more fetches are under way, and their number is what limits the bandwidth of
// memory. AMD's are slower with four where there is a result. Where caches hold the arrays it makes
// no difference.
#pragma once

#include <cstddef>

namespace nsop::kernels {

constexpr size_t kPageFloats = 1024;
constexpr size_t kPages = 4;  // at once
constexpr size_t kPageGroup = kPages * kPageFloats;

// Floats of one array from which kernels that only read do so. Kernels with a result do it where
// their stores go past the caches, whatever the size: with stores that don't, one stream that
// asks for its lines ahead is as fast or faster. The report `pages` has both sides.
constexpr size_t kPagedFrom = size_t{1} << 20;

// Does this machine go through long arrays at four pages at once? By the vendor of its processor:
// yes for Intel's, no for others.
bool goes_by_pages();
// Are lines of long results that stores will reach asked for ahead on this machine? Yes on Intel's
// processors, where a store to a line that isn't near holds up those behind it; no on others: AMD's
// take longer with it.
bool asks_for_lines();

// For tests, which want both ways on every machine.
void set_goes_as_intel(bool wanted);

// The first floats of n that kernels which only read go through in groups of pages.
inline size_t paged_floats(size_t n) {
  return n < kPagedFrom || !goes_by_pages() ? 0 : n / kPageGroup * kPageGroup;
}

}  // namespace nsop::kernels
