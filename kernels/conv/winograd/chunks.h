// The division of a Winograd convolution's tiles into chunks that are done from input to output at
// once, in cache.
#pragma once

#include <cstddef>

#include "kernels/conv/winograd/layer.h"

namespace nsop::kernels {

// The slices of a layer's images: one each, unless the kernel has several.
struct WinogradDepth {
  size_t in = 1;
  size_t out = 1;
  size_t pad = 0;
};

class WinogradChunks {
 public:
  // The transformed tensors of a chunk, of `channels` channels, fit into `budget` floats, unless
  // that is fewer tiles than the columns of a register tile. Each thread gets equally many chunks
  // of images; of volumes there are no fewer than threads where there are as many slices.
  WinogradChunks(const WinogradLayer& layer, const WinogradDepth& depth, size_t channels,
                 size_t budget, int threads);

  size_t count() const { return volume() ? layer_.batch * row_parts_ * slice_parts_ : row_parts_; }
  WinogradChunk chunk(size_t i) const;

  // The most that floats(chunk) asks for.
  template <class Floats>
  size_t most(Floats&& floats) const {
    size_t most = 0;
    for (size_t i = 0; i < count(); ++i) most = std::max<size_t>(most, floats(chunk(i)));
    return most;
  }

 private:
  bool volume() const { return layer_.slice_taps > 1; }

  WinogradLayer layer_;
  WinogradDepth depth_;
  size_t row_parts_ = 1;  // of all rows of tiles; in volumes, of the rows of a slice
  size_t slice_parts_ = 1;
};

}  // namespace nsop::kernels
