// Walks broadcast operands in runs over which the second one moves or stands still.
#include <cassert>

#include "kernels/elementwise/binary.h"
#include "kernels/runtime/step.h"

namespace nsop::kernels {

Broadcast broadcast_of(const Shape& a, const Shape& b) { return broadcasts_of<1>(a, {b}); }

void binary(Binary op, std::span<const float> a, std::span<const float> b, std::span<float> c,
            ThreadPool& thread_pool) {
  run_binary(binary_parts(op).moving, a, b, c, thread_pool, kArithmeticElements);
}

void BinaryRuns::run(BinaryPart part, const Broadcast& broadcast, std::span<const float> a,
                     std::span<const float> b, std::span<float> c, ThreadPool& thread_pool,
                     const ElementwiseArgs& args) {
  assert(a.size() == broadcast.elements() && c.size() == a.size());
  parallel_chunks(thread_pool, a.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    for_each_run(broadcast, begin, end, [&](size_t i, size_t count, const auto& at) {
      part(&a[i], &b[at[0]], &c[i], count, args);
    });
  });
}

void run_broadcast(const BinaryParts& parts, const Broadcast& broadcast, std::span<const float> a,
                   std::span<const float> b, std::span<float> c, ThreadPool& thread_pool,
                   const ElementwiseArgs& args) {
  assert(a.size() == broadcast.elements() && c.size() == a.size());
  with_broadcast_way<BinaryOnePass, BinaryRuns>(broadcast, [&](auto way) {
    way.run(parts.of(broadcast), broadcast, a, b, c, thread_pool, args);
  });
}

void binary_broadcast(Binary op, const Broadcast& broadcast, std::span<const float> a,
                      std::span<const float> b, std::span<float> c, ThreadPool& thread_pool) {
  run_broadcast(binary_parts(op), broadcast, a, b, c, thread_pool);
}

namespace {

Variant binary_variant(const std::string& name, Binary op) {
  return hwy_variant(
      name, "one pass over vectors, b broadcast without a copy, split over threads",
      [op](const StepRequest& request) -> std::unique_ptr<Step> {
        const Shape& a = request.inputs[0].shape();
        const Broadcast broadcast = broadcast_of(a, request.inputs[1].shape());
        const BinaryPart part = binary_parts(op).of(broadcast);
        return with_broadcast_way<BinaryOnePass, BinaryRuns>(broadcast, [&](auto way) {
          return make_step(request, 0, way.describe(request),
                           [way, part, broadcast](StepBuffers& b) {
                             way.run(part, broadcast, b.in[0], b.in[1], b.out[0], *b.thread_pool);
                           });
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
