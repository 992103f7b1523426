#include "kernels/elementwise/elementwise.h"

#include <array>

namespace nsop::kernels {

void run_unary_in_chunks(UnaryPart part, std::span<const float> x, std::span<float> y,
                         ThreadPool& thread_pool, size_t least, ElementwiseArgs args) {
  args.nontemporal = use_nontemporal(std::array{x}, y);
  parallel_chunks(thread_pool, x.size(), least, [&](size_t begin, size_t end) {
    part(x.data() + begin, y.data() + begin, end - begin, args);
  });
}

void run_binary_in_chunks(BinaryPart part, std::span<const float> a, std::span<const float> b,
                          std::span<float> c, ThreadPool& thread_pool, size_t least,
                          ElementwiseArgs args) {
  const size_t b_moves = b.size() == 1 ? 0 : 1;
  args.nontemporal = use_nontemporal(std::array{a, b}, c);
  parallel_chunks(thread_pool, a.size(), least, [&](size_t begin, size_t end) {
    part(a.data() + begin, b.data() + b_moves * begin, c.data() + begin, end - begin, args);
  });
}

}  // namespace nsop::kernels
