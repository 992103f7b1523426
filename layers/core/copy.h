// Copying and clearing floats as fast as the C library does: std::ranges::copy and fill of spans
// become loops over single floats (GCC 12 at -O2), several times as long.
#pragma once

#include <cassert>
#include <cstring>
#include <span>

namespace nsop::layers {

// From one place to another that has room and does not overlap.
inline void copy_floats(std::span<const float> from, std::span<float> to) {
  assert(from.size() <= to.size());
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
}

// All zeros.
inline void clear_floats(std::span<float> to) {
  if (!to.empty()) std::memset(to.data(), 0, to.size_bytes());
}

}  // namespace nsop::layers
