// Pictures of digits that are drawn, not scanned: nothing to download, the same on every machine.
#pragma once

#include <cstdint>

#include "layers/training/dataset.h"

namespace nsop::layers {

// `count` pictures of [1, 8, 8] with the digit as target, each digit as often as the others (but
// for the last few). A picture is one of ten 5x7 glyphs of a bitmap font at one of the eight places
// where it fits, its ink of a brightness in [0.6, 1], two cells of the picture inverted, and normal
// noise of deviation 0.15 on every cell. All of it is drawn from the seed.
Dataset make_digits(size_t count, uint64_t seed);

}  // namespace nsop::layers
