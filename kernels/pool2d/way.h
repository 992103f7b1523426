// One way of doing a pass of a pool. A pass has one table of them, at the end of maxpool2d.cpp or
// avgpool2d.cpp; nothing else decides between the ways.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/pool2d/pool2d.h"
#include "kernels/runtime/ways.h"

namespace nsop::kernels {

// The tensors of a pass (pool2d.h). Those that it neither reads nor writes are null.
struct PoolTensors {
  const float *x = nullptr, *index = nullptr, *dy = nullptr;
  float *y = nullptr, *new_index = nullptr, *dx = nullptr;  // overwritten
};

// Does units [begin, end) of a pass with a workspace of its own.
using PoolKernel = void (*)(const Pool2dShape& shape, const PoolTensors& tensors, float* own,
                            size_t begin, size_t end);

struct PoolWay {
  Required<const char*> name;  // what it does, in words; no other way of the pass has it
  // Is the way faster than those after it? The last of a table can do any shape.
  Required<bool (*)(const Pool2dShape& shape)> pays;
  // Floats of workspace of each thread.
  Required<size_t (*)(const Pool2dShape& shape)> floats;
  // What threads share out, counted through all planes.
  Required<size_t (*)(const Pool2dShape& shape)> units;
  // That of the current target.
  Required<PoolKernel (*)()> kernel;
};

using PoolWays = std::span<const PoolWay>;

// The ways of a pass, in the order in which they are asked.
PoolWays pool_ways(PoolPass pass);

// maxpool2d.cpp
extern const PoolWays kMaxForwardWays, kMaxBackwardWays;

// avgpool2d.cpp
extern const PoolWays kAverageForwardWays, kAverageBackwardWays;

// What the ways of several passes have in common.

constexpr const char* kPairsOfRows = "pairs of rows in lanes";
constexpr const char* kRowsInLanes = "columns, then rows in lanes";
constexpr const char* kRowsByWindows = "columns in lanes, then windows";

// Windows of 2x2 that touch each other.
inline bool side_by_side(const Pool2dShape& s) {
  return s.down == PoolAxis{2, 2, 0} && s.across == s.down;
}
// With a stride above 2 the windows of neighbouring lanes have nothing in common.
inline bool overlaps_in_lanes(const Pool2dShape& s) { return s.across.stride <= 2; }
inline bool always(const Pool2dShape&) { return true; }

inline size_t no_floats(const Pool2dShape&) { return 0; }

inline size_t rows_of_windows(const Pool2dShape& s) { return s.planes * s.out_height(); }
inline size_t rows_of_planes(const Pool2dShape& s) { return s.planes * s.height; }
inline size_t pairs_of_rows(const Pool2dShape& s) { return s.planes * ((s.height + 1) / 2); }

}  // namespace nsop::kernels
