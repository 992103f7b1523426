#include "kernels/elementwise.h"

#include <cassert>

namespace nsop::kernels {

void run_unary(UnaryPart part, std::span<const float> x, std::span<float> y, Pool& pool,
               size_t least, ElementwiseArgs args) {
  assert(y.size() == x.size());
  if (done_at_once(pool, x.size())) return part(x.data(), y.data(), x.size(), args);
  args.stream = use_streaming(2, x.size(), y.data());
  parallel_chunks(pool, x.size(), least, [&](size_t begin, size_t end) {
    part(x.data() + begin, y.data() + begin, end - begin, args);
  });
}

void run_binary(BinaryPart part, std::span<const float> a, std::span<const float> b,
                std::span<float> c, Pool& pool, size_t least, ElementwiseArgs args) {
  assert(b.size() == a.size() && c.size() == a.size());
  if (done_at_once(pool, a.size())) return part(a.data(), b.data(), c.data(), a.size(), args);
  args.stream = use_streaming(3, a.size(), c.data());
  parallel_chunks(pool, a.size(), least, [&](size_t begin, size_t end) {
    part(a.data() + begin, b.data() + begin, c.data() + begin, end - begin, args);
  });
}

}  // namespace nsop::kernels
