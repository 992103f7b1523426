#include "kernels/pool2d/pool3d.h"

#include <algorithm>
#include <cassert>

#include "kernels/pool2d/adaptive_pool2d.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

size_t whole_lines(size_t floats) { return (floats + 15) / 16 * 16; }

// The workspace in parts, each at the start of a cache line: of what the slices became two tensors,
// and the rest for the kernels of planes.
struct Parts {
  Parts(const Pool3dShape& s, std::span<float> workspace)
      : size(s.slices().y_size()),
        values(workspace.first(size)),
        index(workspace.subspan(whole_lines(size), size)),
        rest(workspace.subspan(2 * whole_lines(size))) {}
  size_t size;
  std::span<float> values, index, rest;
};

// index: which slice of its volume won over each window, as its place in [depth, windows]; becomes
// the place in the volume by what the slice said. 8 bytes of reading and 4 of writing per window.
void place_in_volume(const Pool3dShape& s, std::span<const float> in_slice, std::span<float> index,
                     ThreadPool& pool) {
  const Pool2dShape depth = s.along_depth();
  const size_t windows = depth.width, pixels = s.height * s.width;
  const size_t of_volume = depth.out_height() * windows;
  parallel_chunks(pool, index.size(), kPooledElements, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(index[i]);
      const size_t slice = at / windows;
      const float within = in_slice[i / of_volume * s.depth * windows + at];
      index[i] = static_cast<float>(slice * pixels) + within;
    }
  });
}

}  // namespace

size_t pool3d_workspace_floats(const Pool3dShape& shape, int threads) {
  const size_t planes = std::max(pool2d_workspace_floats(shape.slices(), threads),
                                 pool2d_workspace_floats(shape.along_depth(), threads));
  return 2 * whole_lines(shape.slices().y_size()) + planes;
}

void maxpool3d_forward(const Pool3dShape& shape, std::span<const float> x, std::span<float> y,
                       std::span<float> index, std::span<float> workspace, ThreadPool& pool) {
  assert(workspace.size() >= pool3d_workspace_floats(shape, pool.threads()));
  const Parts parts(shape, workspace);
  // Slices first: of equal values the one in the first slice is the first of the volume.
  maxpool2d_forward(shape.slices(), x, parts.values, parts.index, parts.rest, pool);
  maxpool2d_forward(shape.along_depth(), parts.values, y, index, parts.rest, pool);
  place_in_volume(shape, parts.index, index, pool);
}

void maxpool3d_backward(const Pool3dShape& shape, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dx, ThreadPool& pool) {
  // Adding dy at an index asks for no windows: a volume is a plane of depth * height rows.
  const Pool2dShape depth = shape.along_depth();
  adaptive_maxpool2d_backward({shape.volumes, shape.depth * shape.height, shape.width,
                               depth.out_height(), depth.out_width()},
                              index, dy, dx, pool);
}

void avgpool3d_forward(const Pool3dShape& shape, std::span<const float> x, std::span<float> y,
                       std::span<float> workspace, ThreadPool& pool) {
  assert(workspace.size() >= pool3d_workspace_floats(shape, pool.threads()));
  const Parts parts(shape, workspace);
  avgpool2d_forward(shape.slices(), x, parts.values, parts.rest, pool);
  avgpool2d_forward(shape.along_depth(), parts.values, y, parts.rest, pool);
}

void avgpool3d_backward(const Pool3dShape& shape, std::span<const float> dy, std::span<float> dx,
                        std::span<float> workspace, ThreadPool& pool) {
  assert(workspace.size() >= pool3d_workspace_floats(shape, pool.threads()));
  const Parts parts(shape, workspace);
  avgpool2d_backward(shape.along_depth(), dy, parts.values, parts.rest, pool);
  avgpool2d_backward(shape.slices(), parts.values, dx, parts.rest, pool);
}

namespace {

Pool3dShape volumes_of(const Case& c) {
  const auto size = [&c](const char* key) { return static_cast<size_t>(c.integer(key)); };
  const std::vector<int64_t> in = c.shape("in");
  return {static_cast<size_t>(in[0] * in[1]),
          static_cast<size_t>(in[2]),
          static_cast<size_t>(in[3]),
          static_cast<size_t>(in[4]),
          {size("k"), size("s"), size("p")}};
}

constexpr const char* kHow = "windows of slices, then of the depth";

std::unique_ptr<Step> prepare_max_volumes(const StepRequest& request) {
  const Pool3dShape s = volumes_of(request.op_case);
  if (request.op_case.str("pass") == "forward") {
    return make_step(
        request, pool3d_workspace_floats(s, request.threads), kHow, [s](StepBuffers& b) {
          maxpool3d_forward(s, b.in[0], b.out[0], b.out[1], b.workspace.data(), *b.pool);
        });
  }
  return make_step(request, 0, "dy added at the indices", [s](StepBuffers& b) {
    maxpool3d_backward(s, b.in[1], b.in[2], b.out[0], *b.pool);
  });
}

std::unique_ptr<Step> prepare_average_volumes(const StepRequest& request) {
  const Pool3dShape s = volumes_of(request.op_case);
  const size_t floats = pool3d_workspace_floats(s, request.threads);
  if (request.op_case.str("pass") == "forward") {
    return make_step(request, floats, kHow, [s](StepBuffers& b) {
      avgpool3d_forward(s, b.in[0], b.out[0], b.workspace.data(), *b.pool);
    });
  }
  return make_step(request, floats, "windows of the depth, then of slices", [s](StepBuffers& b) {
    avgpool3d_backward(s, b.in[0], b.out[0], b.workspace.data(), *b.pool);
  });
}

constexpr const char* kVolumes = "the kernel of planes on slices, then along the depth";
const VariantRow max_row{hwy_variant("maxpool3d", kVolumes, prepare_max_volumes)};
const VariantRow average_row{hwy_variant("avgpool3d", kVolumes, prepare_average_volumes)};

}  // namespace
}  // namespace nsop::kernels
