// The product core and matmul against a naive sum in double precision.
#include "kernels/gemm/gemm.h"

#include <fmt/format.h>

#include "kernels/gemm/matmul.h"
#include "kernels/gemm/plan.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

// A product on matrices whose rows are `gap` floats longer than they need be and whose first
// element isn't aligned.
struct GemmProblem {
  Gemm g;
  std::vector<float> a, b, row_bias, column_bias, before;

  GemmProblem(size_t m, size_t n, size_t k, bool a_transposed, bool b_transposed, size_t gap) {
    g.m = m;
    g.n = n;
    g.k = k;
    g.a_transposed = a_transposed;
    g.b_transposed = b_transposed;
    g.lda = (a_transposed ? m : k) + gap;
    g.ldb = (b_transposed ? k : n) + gap;
    g.ldc = n + gap;
    a = random_floats((a_transposed ? k : m) * g.lda + 1, 1);
    b = random_floats((b_transposed ? n : k) * g.ldb + 1, 2);
    row_bias = random_floats(m, 3);
    column_bias = random_floats(n, 4);
    before = random_floats(m * g.ldc, 5);
    g.a = a.data() + 1;
    g.b = b.data() + 1;
  }

  ExactSum exact(size_t i, size_t j) const {
    ExactSum sum;
    for (size_t p = 0; p < g.k; ++p) {
      const double x = g.a_transposed ? g.a[p * g.lda + i] : g.a[i * g.lda + p];
      const double y = g.b_transposed ? g.b[j * g.ldb + p] : g.b[p * g.ldb + j];
      sum.add(x * y);
    }
    if (g.accumulate) sum.add(before[i * g.ldc + j]);
    if (g.row_bias != nullptr) sum.add(g.row_bias[i]);
    if (g.column_bias != nullptr) sum.add(g.column_bias[j]);
    return sum;
  }

  // Runs it, compares every element, and the gaps and guards around them.
  void check(int threads) {
    GuardedFloats c(g.m * g.ldc);
    GuardedFloats workspace(gemm_workspace_floats(g, threads));
    std::copy(before.begin(), before.end(), c.span().begin());
    g.c = c.span().data();
    gemm(g, workspace.span(), shared_threads(threads));
    EXPECT_TRUE(workspace.intact()) << "workspace exceeded";
    EXPECT_TRUE(c.intact()) << "wrote outside C";
    for (size_t i = 0; i < g.m; ++i) {
      for (size_t j = 0; j < g.ldc; ++j) {
        const float got = c.span()[i * g.ldc + j];
        if (j >= g.n) {
          EXPECT_EQ(got, before[i * g.ldc + j]) << "gap written";
        } else {
          expect_near(exact(i, j), got,
                      fmt::format("{}x{}x{} {}{} threads={} c[{},{}]", g.m, g.n, g.k,
                                  g.a_transposed, g.b_transposed, threads, i, j));
        }
      }
      if (testing::Test::HasFailure()) return;
    }
  }
};

class GemmOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, GemmOnTarget, testing::ValuesIn(targets()), target_param_name);

TEST_P(GemmOnTarget, OddSizesAllTranspositions) {
  const size_t sizes[][3] = {{1, 1, 1},   {1, 2, 3},   {2, 1, 5},   {3, 5, 1},    {5, 3, 2},
                             {7, 17, 9},  {8, 48, 16}, {9, 49, 31}, {13, 16, 33}, {37, 37, 37},
                             {1, 33, 65}, {33, 1, 65}, {4, 70, 20}, {50, 7, 40},  {17, 100, 130}};
  for (const auto& size : sizes) {
    for (const int transposed : {0, 1, 2, 3}) {
      for (const size_t gap : {0, 3}) {
        GemmProblem problem(size[0], size[1], size[2], transposed & 1, transposed & 2, gap);
        problem.check(1);
      }
    }
  }
}

TEST_P(GemmOnTarget, BiasesAndAccumulation) {
  for (const int transposed : {0, 1, 2, 3}) {
    for (const size_t m : {1, 6, 23}) {
      GemmProblem biased(m, 45, 19, transposed & 1, transposed & 2, 2);
      biased.g.row_bias = biased.row_bias.data();
      biased.g.column_bias = biased.column_bias.data();
      biased.check(1);
      GemmProblem added(m, 45, 19, transposed & 1, transposed & 2, 2);
      added.g.accumulate = true;
      added.check(1);
    }
  }
}

TEST_P(GemmOnTarget, LongSumsAreSplitWithTheBiasAddedOnce) {
  for (const int transposed : {0, 1, 2, 3}) {
    GemmProblem problem(7, 101, 1601, transposed & 1, transposed & 2, 0);
    problem.g.row_bias = problem.row_bias.data();
    problem.check(1);
  }
}

TEST_P(GemmOnTarget, LeadingDimensionsThatCollideInTheCache) {
  GemmProblem problem(10, 120, 30, false, false, 994);  // lda is 1024
  ASSERT_EQ(problem.g.lda % 1024, 0U);
  problem.check(1);
}

TEST_P(GemmOnTarget, ThreadsShareRowsOrColumns) {
  for (const int transposed : {0, 1, 2, 3}) {
    for (const int threads : {1, 2, 3}) {
      GemmProblem wide(41, 150, 70, transposed & 1, transposed & 2, 0);
      wide.g.column_bias = wide.column_bias.data();
      wide.check(threads);
      GemmProblem high(150, 41, 70, transposed & 1, transposed & 2, 0);
      high.g.row_bias = high.row_bias.data();
      high.check(threads);
    }
  }
}

TEST_P(GemmOnTarget, FewRowsWithManyThreads) {
  GemmProblem problem(2, 5, 20000, true, true, 0);
  problem.check(3);
}

TEST_P(GemmOnTarget, RowSumsInsteadOfC) {
  for (const int threads : {1, 3}) {
    GemmProblem problem(33, 131, 64, false, false, 0);
    std::vector<float> sums(33 * kRowSumLanes, 0.0f);
    problem.g.row_sums = sums.data();
    GuardedFloats workspace(gemm_workspace_floats(problem.g, threads));
    gemm(problem.g, workspace.span(), shared_threads(threads));
    EXPECT_TRUE(workspace.intact());
    for (size_t i = 0; i < 33; ++i) {
      ExactSum exact;
      double got = 0;
      for (size_t lane = 0; lane < kRowSumLanes; ++lane) got += sums[i * kRowSumLanes + lane];
      for (size_t j = 0; j < 131; ++j) {
        for (size_t p = 0; p < 64; ++p) {
          exact.add(double{problem.g.a[i * 64 + p]} * problem.g.b[p * 131 + j]);
        }
      }
      EXPECT_LE(std::abs(got - exact.value), exact.allowed());
    }
  }
}

// B[k][j] = k - j, made on the fly.
void fill_difference(const void* context, const PanelBlock& block, float* panel) {
  EXPECT_EQ(block.k0 % *static_cast<const size_t*>(context), 0U);
  EXPECT_EQ(block.depth % *static_cast<const size_t*>(context), 0U);
  for (size_t i = 0; i < block.depth; ++i) {
    for (size_t j = 0; j < block.width; ++j) {
      const float value = static_cast<float>(block.k0 + i) - static_cast<float>(block.j0 + j);
      panel[i * block.width + j] = j < block.columns ? value : 0.0f;
    }
  }
}

TEST_P(GemmOnTarget, PanelSourceInWholeGranules) {
  for (const int threads : {1, 2, 3}) {
    for (const size_t granule : {7, 300}) {
      const size_t k = granule * 4;
      GemmProblem problem(20, 77, k, false, false, 0);
      for (size_t p = 0; p < k; ++p) {
        for (size_t j = 0; j < 77; ++j) {
          problem.b[1 + p * 77 + j] = static_cast<float>(p) - static_cast<float>(j);
        }
      }
      problem.g.b_source = {fill_difference, &granule, granule};
      problem.check(threads);
    }
  }
}

TEST(Gemm, TellsWhatItDoes) {
  MatmulShape shape{64, 64, 64, false, false};
  EXPECT_EQ(gemm_algorithm(matmul_gemm(shape)).substr(0, 14), "gemm in place ");
  shape = {1000, 1000, 1000, false, false};
  EXPECT_EQ(gemm_algorithm(matmul_gemm(shape)).substr(0, 12), "gemm packed ");
  shape = {1, 1000, 1000, false, true};
  EXPECT_EQ(gemm_algorithm(matmul_gemm(shape)), "dot products");
  shape = {32, 512, 256, false, true};
  EXPECT_NE(gemm_algorithm(matmul_gemm(shape)).find("transposed"), std::string::npos);
}

TEST_P(GemmOnTarget, MatmulIsTheProduct) {
  for (const int transposed : {0, 1, 2, 3}) {
    MatmulShape shape{70, 90, 110, (transposed & 1) != 0, (transposed & 2) != 0};
    GemmProblem problem(shape.m, shape.n, shape.k, shape.a_transposed, shape.b_transposed, 0);
    GuardedFloats c(shape.m * shape.n, 1);
    GuardedFloats workspace(matmul_workspace_floats(shape, 2));
    matmul(shape, std::span(problem.a).subspan(1), std::span(problem.b).subspan(1), {}, c.span(),
           workspace.span(), shared_threads(2));
    EXPECT_TRUE(c.intact() && workspace.intact());
    for (size_t i = 0; i < shape.m; ++i) {
      for (size_t j = 0; j < shape.n; ++j) {
        expect_near(problem.exact(i, j), c.span()[i * shape.n + j], "matmul");
      }
    }
  }
}

// Too much of A to be read once per panel: B goes by in strips of several panels.
TEST_P(GemmOnTarget, StripsOfPanels) {
  for (const int transposed : {0, 1, 2, 3}) {
    // Rows of B at whole cache lines, their last part not in the product; then not aligned.
    for (const size_t gap : {11, 0}) {
      const int threads = gap == 0 ? 2 : 1;
      GemmProblem problem(261, 133, 310, transposed & 1, transposed & 2, gap);
      ASSERT_GT(plan_gemm(problem.g).strip, 0U);
      problem.g.row_bias = problem.row_bias.data();
      problem.g.column_bias = problem.column_bias.data();
      problem.check(threads);
    }
  }
  GemmProblem added(101, 133, 800, false, false, 11);  // two passes
  added.g.accumulate = true;
  added.check(1);
}

TEST(GemmPlan, PartsAreEven) {
  for (size_t most = 1; most <= 40; ++most) {
    for (const size_t items : {1, 7, 12, 37, 1000, 99999}) {
      const EvenParts parts(items, most);
      EXPECT_EQ(parts.count, (items + most - 1) / most);
      EXPECT_EQ(parts.size, items / parts.count);
      EXPECT_EQ(size_t{parts.size} * parts.count + parts.larger, items);
      EXPECT_LE(parts[0], most);
    }
  }
}

// The activation comes once, after the last part of a long sum, on every way to do a product.
TEST_P(GemmOnTarget, ActivationOfTheWholeSum) {
  const size_t sizes[][3] = {
      {7, 101, 1601}, {2, 40, 900}, {3, 60, 50}, {32, 300, 256}, {40, 67, 30}};
  for (const auto& size : sizes) {
    for (const int transposed : {0, 1, 2, 3}) {
      GemmProblem problem(size[0], size[1], size[2], transposed & 1, transposed & 2, 2);
      problem.g.column_bias = problem.column_bias.data();
      problem.g.activation = FusedActivation::kRelu;
      for (const int threads : {1, 2}) {
        GuardedFloats c(problem.g.m * problem.g.ldc);
        GuardedFloats workspace(gemm_workspace_floats(problem.g, threads));
        problem.g.c = c.span().data();
        gemm(problem.g, workspace.span(), shared_threads(threads));
        EXPECT_TRUE(c.intact() && workspace.intact());
        for (size_t i = 0; i < problem.g.m; ++i) {
          for (size_t j = 0; j < problem.g.n; ++j) {
            ExactSum exact = problem.exact(i, j);
            exact.value = std::max(exact.value, 0.0);
            expect_near(exact, c.span()[i * problem.g.ldc + j], gemm_algorithm(problem.g));
          }
        }
      }
    }
  }
}

TEST_P(GemmOnTarget, BatchesShareTheBias) {
  for (const int threads : {1, 2, 3}) {
    const size_t batch = 5;  // with 2 and 3 threads some products are left over after whole rounds
    const MatmulShape shape{9, 34, 21, false, true, batch};
    const std::vector<float> a = random_floats(batch * 9 * 21, 1);
    const std::vector<float> b = random_floats(batch * 21 * 34, 2);
    const std::vector<float> bias = random_floats(34, 3);
    GuardedFloats c(batch * 9 * 34);
    GuardedFloats workspace(matmul_workspace_floats(shape, threads));
    matmul(shape, a, b, bias, c.span(), workspace.span(), shared_threads(threads));
    EXPECT_TRUE(c.intact() && workspace.intact());
    for (size_t i = 0; i < c.span().size(); ++i) {
      const size_t row = i / 34;  // of the whole batch
      const float* x = &a[row * 21];
      const float* y = &b[(row / 9 * 34 + i % 34) * 21];
      ExactSum exact;
      for (size_t p = 0; p < 21; ++p) exact.add(double{x[p]} * y[p]);
      exact.add(bias[i % 34]);
      expect_near(exact, c.span()[i], "batch");
    }
  }
}

// A few columns beyond whole vectors are done as rows of C^T, with all that belongs to them.
TEST_P(GemmOnTarget, LastColumnsApart) {
  const size_t sizes[][3] = {{33, 17, 24}, {100, 100, 50}, {150, 66, 40}, {129, 35, 70}};
  for (const auto& size : sizes) {
    for (const int threads : {1, 2, 3}) {
      GemmProblem problem(size[0], size[1], size[2], true, false, 2);
      ASSERT_EQ(plan_gemm(problem.g).way, GemmWay::kApart);
      problem.check(threads);
      problem.g.row_bias = problem.row_bias.data();
      problem.g.column_bias = problem.column_bias.data();
      problem.check(threads);
      problem.g.row_bias = problem.g.column_bias = nullptr;
      problem.g.accumulate = true;
      ASSERT_NE(plan_gemm(problem.g).way, GemmWay::kApart);
      problem.check(threads);
    }
  }
}

// Few rows against a B whose rows lie at multiples of 4 KB: asked for ahead, beyond the end too.
TEST_P(GemmOnTarget, PrefetchedRowsOfB) {
  for (const size_t m : {4, 16, 32}) {
    GemmProblem problem(m, 1000, 130, false, false, 24);
    ASSERT_TRUE(plan_gemm(problem.g).prefetch_b);
    problem.check(1);
    problem.g.accumulate = true;
    problem.check(2);
  }
}

// Beyond what is done in place: packed A and B. Sampled, the whole would take seconds in the
// oracle.
TEST_P(GemmOnTarget, LargeProductsArePacked) {
  const MatmulShape shape{610, 620, 630, false, false};
  GemmProblem problem(shape.m, shape.n, shape.k, false, false, 0);
  for (const int threads : {1, 2}) {
    std::vector<float> c(shape.m * shape.n);
    GuardedFloats workspace(matmul_workspace_floats(shape, threads));
    matmul(shape, std::span(problem.a).subspan(1), std::span(problem.b).subspan(1), {}, c,
           workspace.span(), shared_threads(threads));
    EXPECT_TRUE(workspace.intact());
    for (size_t i = 0; i < c.size(); i += 97) {
      expect_near(problem.exact(i / shape.n, i % shape.n), c[i], "packed");
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
