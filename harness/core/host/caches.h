// What may be expected of a machine's caches.
#pragma once

#include <cstdint>

namespace nsop {

// The bytes of a cache that count: a larger one is shared by more cores than a guest sees, and what
// a guest keeps in it is soon at the speed of memory. The suite `limits` reads and copies on both
// sides.
constexpr int64_t kMostOfACache = int64_t{32} << 20;

}  // namespace nsop
