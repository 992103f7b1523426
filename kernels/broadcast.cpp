// Walks broadcast operands in runs over which the second one moves or stands still.
#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/binary.h"
#include "kernels/step.h"
#include "kernels/streaming.h"
#include "kernels/thresholds.h"

namespace nsop::kernels {
namespace {

// Where a walk over the elements stands: the run it is in and how far.
struct Position {
  std::array<size_t, Broadcast::kMaxRank> index{};  // of the outer dimensions
  size_t inner = 0;
  size_t b = 0;  // offset of the run in b
};

Position position_of(const Broadcast& broadcast, size_t element) {
  Position position;
  const size_t last = broadcast.rank - 1;
  position.inner = element % broadcast.extent[last];
  size_t rest = element / broadcast.extent[last];
  for (size_t d = last; d-- > 0;) {
    position.index[d] = rest % broadcast.extent[d];
    position.b += position.index[d] * broadcast.b_stride[d];
    rest /= broadcast.extent[d];
  }
  return position;
}

// To the begin of the next run.
void advance(const Broadcast& broadcast, Position& position) {
  position.inner = 0;
  for (size_t d = broadcast.rank - 1; d-- > 0;) {
    position.b += broadcast.b_stride[d];
    if (++position.index[d] < broadcast.extent[d]) return;
    position.b -= broadcast.extent[d] * broadcast.b_stride[d];
    position.index[d] = 0;
  }
}

}  // namespace

size_t Broadcast::elements() const {
  size_t count = 1;
  for (size_t d = 0; d < rank; ++d) count *= extent[d];
  return count;
}

Broadcast broadcast_of(const Shape& a, const Shape& b) {
  assert(b.size() <= a.size());
  // Built from the innermost dimension outwards, then reversed.
  Broadcast result;
  size_t stride = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto extent = static_cast<size_t>(a[a.size() - 1 - i]);
    const auto extent_b = i < b.size() ? static_cast<size_t>(b[b.size() - 1 - i]) : 1;
    assert(extent_b == 1 || extent_b == extent);
    const size_t b_stride = extent_b == 1 ? 0 : stride;
    stride *= extent_b;
    if (extent == 1) continue;
    const size_t top = result.rank - 1;
    if (result.rank > 0 && b_stride == result.b_stride[top] * result.extent[top]) {
      result.extent[top] *= extent;
      continue;
    }
    assert(result.rank < Broadcast::kMaxRank);
    result.extent[result.rank] = extent;
    result.b_stride[result.rank++] = b_stride;
  }
  if (result.rank == 0) {
    result.rank = 1;
    result.extent[0] = 1;
  }
  std::reverse(result.extent, result.extent + result.rank);
  std::reverse(result.b_stride, result.b_stride + result.rank);
  return result;
}

void binary(Binary op, std::span<const float> a, std::span<const float> b, std::span<float> c,
            Pool& pool) {
  run_binary(binary_parts(op).moving, a, b, c, pool, kArithmeticElements);
}

void binary_broadcast(Binary op, const Broadcast& broadcast, std::span<const float> a,
                      std::span<const float> b, std::span<float> c, Pool& pool) {
  assert(a.size() == broadcast.elements() && c.size() == a.size());
  const BinaryParts parts = binary_parts(op);
  const size_t run = broadcast.extent[broadcast.rank - 1];
  const size_t inner_stride = broadcast.b_stride[broadcast.rank - 1];
  const BinaryPart part = inner_stride == 0 ? parts.fixed : parts.moving;
  // Streaming is for whole arrays: short runs would begin off the alignment.
  ElementwiseArgs args;
  args.stream = broadcast.rank == 1 && use_streaming(2 + inner_stride, a.size(), c.data());
  parallel_chunks(pool, a.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    Position position = position_of(broadcast, begin);
    for (size_t i = begin; i < end;) {
      const size_t count = std::min(run - position.inner, end - i);
      part(&a[i], &b[position.b + position.inner * inner_stride], &c[i], count, args);
      i += count;
      advance(broadcast, position);
    }
  });
}

namespace {

Variant binary_variant(const std::string& name, Binary op) {
  return hwy_variant(name, "one pass over vectors, b broadcast without a copy, split over threads",
                     [op](const StepRequest& request) -> std::unique_ptr<Step> {
                       const Shape& a = request.inputs[0].shape();
                       const Broadcast broadcast = broadcast_of(a, request.inputs[1].shape());
                       const std::string how =
                           broadcast.rank == 1 ? single_pass(request) : "single pass";
                       return make_step(request, 0, how, [op, broadcast](StepBuffers& buffers) {
                         binary_broadcast(op, broadcast, buffers.in[0], buffers.in[1],
                                          buffers.out[0], *buffers.pool);
                       });
                     });
}

const ForkingRow add_row{binary_variant("add", Binary::kAdd)};
const VariantRow sub_row{binary_variant("sub", Binary::kSub)};
const VariantRow mul_row{binary_variant("mul", Binary::kMul)};
const VariantRow div_row{binary_variant("div", Binary::kDiv)};
const VariantRow maximum_row{binary_variant("maximum", Binary::kMaximum)};
const VariantRow minimum_row{binary_variant("minimum", Binary::kMinimum)};

}  // namespace
}  // namespace nsop::kernels
