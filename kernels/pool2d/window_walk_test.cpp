#include "kernels/pool2d/window_walk.h"

#include <gtest/gtest.h>

namespace nsop::kernels {
namespace {

TEST(WindowWalk, IsTheFormula) {
  for (size_t n = 1; n < 40; ++n) {
    for (size_t o = 1; o < 50; ++o) {
      WindowWalk walk(n, o);
      for (size_t i = 0; i < o; ++i) {
        const Range window = walk.next();
        ASSERT_EQ(window.begin, i * n / o) << n << " " << o << " " << i;
        ASSERT_EQ(window.end, ((i + 1) * n + o - 1) / o) << n << " " << o << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
