// What convolutions of single planes and their gradients share: the buffers of a thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conv/shape/lines_plan.h"

namespace nsop::kernels {

constexpr size_t kMasks = 4;  // vectors that are read of a row for one of outputs, at most

// The buffers of a thread: two copies of planes with their padding, where the columns of taps lie
// in them, and which lanes of what is read for a vector of outputs are inside the plane.
struct PlaneBuffers {
  LinePlane form;
  size_t copy, offsets, masks;  // floats

  explicit PlaneBuffers(const LineLayer& l)
      : form(l, 1, l.axes[1].out),
        copy(aligned_floats(form.floats + 16)),
        offsets(aligned_floats(l.taps())),
        masks(aligned_floats(2 * kMasks * (l.axes[2].out / 16 + 1))) {}
  size_t floats() const { return 2 * copy + offsets + masks; }
};

// Planes of a layer, and the buffers of the thread that has them.
struct PlaneWork {
  const LineLayer& layer;
  const PlaneBuffers& buffers;
  float* floats;

  // The copy of this thread's i-th plane; the zeros of its padding stay from one to the next but
  // one.
  float* copy(size_t i) const { return floats + i % 2 * buffers.copy; }
  uint32_t* offsets() const { return reinterpret_cast<uint32_t*>(floats + 2 * buffers.copy); }
  uint64_t* masks() const {  // [vectors of a line of outputs][kMasks]
    return reinterpret_cast<uint64_t*>(floats + 2 * buffers.copy + buffers.offsets);
  }
};

}  // namespace nsop::kernels
