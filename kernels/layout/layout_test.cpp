// permute, concat, pad and matvec: sizes, guards, threads, and values that arithmetic would change.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/gemm/matvec.h"
#include "kernels/layout/concat.h"
#include "kernels/layout/pad.h"
#include "kernels/layout/permute.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

class Layout : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, Layout, testing::ValuesIn(targets()), target_param_name);

// Numbered, with some that a detour through arithmetic would lose.
std::vector<float> numbered(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
  x[0] = -0.0f;
  x[count / 2] = 0x1p-149f;
  x[count - 1] = std::numeric_limits<float>::infinity();
  return x;
}

bool same_bits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

void check_transpose(size_t rows, size_t columns, int threads) {
  const std::vector<float> x = numbered(rows * columns);
  GuardedFloats y(x.size(), columns % 3);
  const std::vector<int64_t> shape = {static_cast<int64_t>(rows), static_cast<int64_t>(columns)};
  Permute(shape, {1, 0}).run(x, y.span(), shared_threads(threads));
  EXPECT_TRUE(y.intact()) << rows << "x" << columns;
  for (size_t i = 0; i < x.size(); ++i) {
    const float moved = y.span()[i % columns * rows + i / columns];
    ASSERT_TRUE(same_bits(moved, x[i])) << rows << "x" << columns << " at " << i;
  }
}

TEST_P(Layout, TransposeOfAnySize) {
  for (size_t rows = 1; rows < 36; ++rows) {
    for (size_t columns = 1; columns < 36; ++columns) check_transpose(rows, columns, 1);
  }
  for (const int threads : {2, 3}) {
    check_transpose(400, 301, threads);
    check_transpose(3, 70000, threads);
    check_transpose(70000, 3, threads);
  }
}

TEST_P(Layout, PermutationsUndoThemselves) {
  const std::vector<int64_t> shape = {3, 17, 5, 20};
  const std::vector<float> x = numbered(3 * 17 * 5 * 20);
  std::vector<int> perm = {0, 1, 2, 3};
  do {
    std::vector<int64_t> permuted;
    std::vector<int> inverse(4);
    for (size_t i = 0; i < 4; ++i) {
      permuted.push_back(shape[static_cast<size_t>(perm[i])]);
      inverse[static_cast<size_t>(perm[i])] = static_cast<int>(i);
    }
    GuardedFloats y(x.size());
    GuardedFloats z(x.size());
    Permute(shape, perm).run(x, y.span(), serial_threads());
    Permute(permuted, inverse).run(y.span(), z.span(), serial_threads());
    EXPECT_TRUE(y.intact() && z.intact());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(same_bits(z.span()[i], x[i])) << i;
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST_P(Layout, ThreadsDontChangeAPermutation) {
  const std::vector<int64_t> shape = {5, 40, 30, 17};
  const std::vector<float> x = numbered(5 * 40 * 30 * 17);
  for (const std::vector<int>& perm :
       {std::vector<int>{0, 2, 3, 1}, {1, 0, 2, 3}, {3, 2, 1, 0}, {0, 1, 2, 3}}) {
    std::vector<float> alone(x.size());
    const Permute permute(shape, perm);
    permute.run(x, alone, serial_threads());
    for (const int threads : {2, 3}) {
      std::vector<float> y(x.size());
      permute.run(x, y, shared_threads(threads));
      EXPECT_EQ(y, alone);
    }
  }
}

TEST(LayoutWays, AreNamed) {
  EXPECT_EQ(Permute({4, 5}, {0, 1}).algorithm(), "rows");  // one row
  EXPECT_EQ(Permute({4, 5, 6}, {1, 0, 2}).algorithm(), "rows");
  EXPECT_EQ(Permute({4, 5}, {1, 0}).algorithm(), "square tiles in registers");
  EXPECT_EQ(Matvec({4, 5, false}).algorithm(), "4 rows at once");
  EXPECT_EQ(Matvec({4, 5, true}).algorithm(), "sums of 8 rows");
}

TEST_P(Layout, ConcatPutsRowsSideBySide) {
  for (const size_t outer : {1, 3, 700}) {
    for (const size_t a_width : {1, 7, 64, 65}) {
      const ConcatShape shape = {outer, a_width, 100};
      const std::vector<float> a = random_floats(outer * a_width, 1);
      const std::vector<float> b = random_floats(outer * 100, 2);
      GuardedFloats y(a.size() + b.size());
      concat(shape, a, b, y.span(), shared_threads(2));
      EXPECT_TRUE(y.intact());
      for (size_t i = 0; i < y.span().size(); ++i) {
        const size_t row = i / (a_width + 100);
        const size_t column = i % (a_width + 100);
        const float want =
            column < a_width ? a[row * a_width + column] : b[row * 100 + column - a_width];
        ASSERT_EQ(y.span()[i], want);
      }
    }
  }
}

TEST_P(Layout, PadSurroundsAPlane) {
  for (size_t width = 1; width < 40; ++width) {
    const std::vector<float> x = random_floats(3 * width, width);
    GuardedFloats y(6 * (width + 5));
    Pad({3, static_cast<int64_t>(width)}, {{1, 2}, {2, 3}}, -7.0f)
        .run(x, y.span(), serial_threads());
    EXPECT_TRUE(y.intact());
    for (size_t i = 0; i < y.span().size(); ++i) {
      const size_t row = i / (width + 5) - 1;
      const size_t column = i % (width + 5) - 2;
      const bool inside = row < 3 && column < width;
      ASSERT_EQ(y.span()[i], inside ? x[row * width + column] : -7.0f) << width;
    }
  }
}

TEST_P(Layout, PadWithThreadsIsTheSame) {
  const std::vector<float> x = random_floats(4 * 50 * 300, 1);
  const Pad pad({4, 50, 300}, {{0, 0}, {1, 1}, {3, 0}}, 0.5f);
  std::vector<float> alone(4 * 52 * 303);
  pad.run(x, alone, serial_threads());
  for (const int threads : {2, 3}) {
    std::vector<float> y(alone.size());
    pad.run(x, y, shared_threads(threads));
    EXPECT_EQ(y, alone);
  }
}

void check_matvec(const MatvecShape& shape) {
  const std::vector<float> a = random_floats(shape.m * shape.n, 1);
  const size_t results = shape.transposed ? shape.n : shape.m;
  const std::vector<float> x = random_floats(shape.m + shape.n - results, 2);
  GuardedFloats y(results, 1);
  Matvec(shape).run(a, x, y.span(), serial_threads());
  EXPECT_TRUE(y.intact());
  for (size_t r = 0; r < results; ++r) {
    ExactSum exact;
    for (size_t k = 0; k < x.size(); ++k) {
      const float element = shape.transposed ? a[k * shape.n + r] : a[r * shape.n + k];
      exact.add(static_cast<double>(element) * x[k]);
    }
    expect_near(exact, y.span()[r], "row " + std::to_string(r));
  }
  GuardedFloats shared(results);
  Matvec(shape).run(a, x, shared.span(), shared_threads(3));
  EXPECT_TRUE(shared.intact() && std::ranges::equal(shared.span(), y.span()));
}

TEST_P(Layout, MatvecOfAnySize) {
  for (const size_t m : {1, 3, 8, 13, 40}) {
    for (size_t n = 1; n < 70; n += 3) {
      check_matvec({m, n, false});
      check_matvec({m, n, true});
    }
  }
  check_matvec({300, 2500, false});
  check_matvec({300, 2500, true});
}

}  // namespace
}  // namespace nsop::kernels
