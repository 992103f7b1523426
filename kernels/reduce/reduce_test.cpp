// Reductions, dot and mean: special values, sizes, guards, threads.
#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <cmath>

#include "kernels/reduce/dot.h"
#include "kernels/reduce/lines.h"
#include "kernels/reduce/mean.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

constexpr Reduction kAll[] = {Reduction::kSum,     Reduction::kMean,   Reduction::kMax,
                              Reduction::kMin,     Reduction::kNormL1, Reduction::kNormL2,
                              Reduction::kNormLinf};

std::vector<float> reduced(Reduction reduction, const AxisShape& shape, const std::vector<float>& x,
                           int threads = 1) {
  const Reducer reducer(reduction, shape);
  GuardedFloats y(shape.lines());
  GuardedFloats workspace(reducer.workspace_floats(threads));
  reducer.run(x, y.span(), workspace.span(), shared_threads(threads));
  EXPECT_TRUE(y.intact() && workspace.intact());
  return {y.span().begin(), y.span().end()};
}

// The reduction of x as one row. As three equal columns it must be the same but for rounding: no
// reduction here errs more than a sum of magnitudes.
float one(Reduction reduction, const std::vector<float>& x) {
  const float row = reduced(reduction, {1, x.size(), 1}, x)[0];
  std::vector<float> columns;
  ExactSum magnitudes;
  for (const float value : x) {
    columns.insert(columns.end(), 3, value);
    magnitudes.add(value);
  }
  for (const float column : reduced(reduction, {1, x.size(), 3}, columns)) {
    EXPECT_TRUE(column == row || (std::isnan(column) && std::isnan(row)) ||
                std::abs(column - row) <= 2 * magnitudes.allowed())
        << column << " is not " << row;
  }
  return row;
}

class Reduce : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, Reduce, testing::ValuesIn(targets()), target_param_name);

TEST_P(Reduce, NanIsKeptWhereverItIs) {
  for (const size_t n : {1, 7, 16, 33, 64, 130}) {
    for (size_t at = 0; at < n; ++at) {
      std::vector<float> x = random_floats(n, n);
      x[at] = kNan;
      for (const Reduction reduction : kAll) {
        EXPECT_TRUE(std::isnan(one(reduction, x))) << static_cast<int>(reduction) << " n=" << n;
      }
    }
  }
}

TEST_P(Reduce, NanIsKeptAcrossThreads) {
  for (const size_t at : {0, 70000, 199999}) {
    std::vector<float> x = random_floats(200000, 1);
    x[at] = kNan;
    for (const Reduction reduction : kAll) {
      EXPECT_TRUE(std::isnan(reduced(reduction, {1, x.size(), 1}, x, 3)[0]));
    }
  }
}

TEST_P(Reduce, InfinitiesAreNumbers) {
  std::vector<float> x = random_floats(100, 1);
  x[3] = kInf;
  x[90] = -kInf;
  EXPECT_EQ(one(Reduction::kMax, x), kInf);
  EXPECT_EQ(one(Reduction::kMin, x), -kInf);
  EXPECT_EQ(one(Reduction::kNormLinf, x), kInf);
  EXPECT_EQ(one(Reduction::kNormL1, x), kInf);
  EXPECT_EQ(one(Reduction::kNormL2, x), kInf);
  EXPECT_TRUE(std::isnan(one(Reduction::kSum, x)));
  EXPECT_EQ(one(Reduction::kMax, std::vector<float>(35, -kInf)), -kInf);
  EXPECT_EQ(one(Reduction::kMin, std::vector<float>(35, kInf)), kInf);
}

TEST_P(Reduce, ExtremaOfValuesOfOneSign) {
  for (size_t n = 1; n < 150; ++n) {
    std::vector<float> x(n, -5.0f);
    x[n / 2] = -2.5f;
    EXPECT_EQ(one(Reduction::kMax, x), -2.5f) << n;
    EXPECT_EQ(one(Reduction::kNormLinf, x), n == 1 ? 2.5f : 5.0f) << n;
    for (float& value : x) value = -value;
    EXPECT_EQ(one(Reduction::kMin, x), 2.5f) << n;
  }
}

TEST_P(Reduce, NormOfHugeAndTinyValues) {
  for (const float size : {1e-44f, 1e-30f, 1e-20f, 1e20f, 3e37f}) {
    const float norm = one(Reduction::kNormL2, std::vector<float>(36, size));
    EXPECT_NEAR(norm / size, 6.0f, 1e-5f) << size;
  }
  EXPECT_EQ(one(Reduction::kNormL2, std::vector<float>(36, 0.0f)), 0.0f);
}

TEST_P(Reduce, AnySizeMatchesAPlainSum) {
  for (size_t n = 1; n < 300; ++n) {
    const std::vector<float> x = random_floats(n, n);
    ExactSum sum;
    ExactSum squares;
    for (const float value : x) {
      sum.add(value);
      squares.add(static_cast<double>(value) * value);
    }
    expect_near(sum, one(Reduction::kSum, x), "sum " + std::to_string(n));
    EXPECT_NEAR(one(Reduction::kMean, x), sum.value / static_cast<double>(n), sum.allowed()) << n;
    EXPECT_NEAR(one(Reduction::kNormL2, x), std::sqrt(squares.value), 1e-5) << n;
  }
}

TEST_P(Reduce, OuterAndInnerLinesAreKeptApart) {
  for (const size_t outer : {1, 2, 5}) {
    for (const size_t inner : {1, 2, 15, 16, 17, 64, 67, 130}) {
      const AxisShape shape = {outer, 3, inner};
      const std::vector<float> x = random_floats(shape.size(), inner);
      const std::vector<float> y = reduced(Reduction::kMax, shape, x);
      for (size_t line = 0; line < shape.lines(); ++line) {
        const float* first = &x[line / inner * 3 * inner + line % inner];
        EXPECT_EQ(y[line], std::max({first[0], first[inner], first[2 * inner]}));
      }
    }
  }
}

TEST_P(Reduce, IsTheSameEachTimeForSoManyThreads) {
  for (const AxisShape& shape :
       {AxisShape{1, 300001, 1}, {2, 150001, 1}, {700, 333, 1}, {1, 500, 700}, {3, 100, 900}}) {
    const std::vector<float> x = random_floats(shape.size(), 1);
    for (const Reduction reduction : kAll) {
      const std::vector<float> alone = reduced(reduction, shape, x);
      for (const int threads : {2, 3}) {
        const std::vector<float> first = reduced(reduction, shape, x, threads);
        EXPECT_EQ(reduced(reduction, shape, x, threads), first);
        for (size_t i = 0; i < first.size(); ++i) {
          EXPECT_NEAR(first[i], alone[i], 1e-5 * std::abs(alone[i]) + 1e-3);
        }
      }
    }
  }
}

constexpr AxisShape kReducedShapes[] = {{1, 1, 1},      {1, 127, 1},    {1, 128, 1}, {2, 1000, 1},
                                        {3, 1000, 1},   {1, 300001, 1}, {2, 70, 1},  {5, 1, 1},
                                        {1, 300001, 2}, {1, 1, 64},     {2, 128, 64}};

// Only a run by parts writes to the workspace.
TEST_P(Reduce, AlgorithmNamesTheWayThatRan) {
  ThreadPool eager(3, ThreadPool::Forks::kEager);
  size_t cuts = 0;
  for (ThreadPool* thread_pool : {&serial_threads(), &shared_threads(3), &eager}) {
    for (const AxisShape& shape : kReducedShapes) {
      const Reducer reducer(Reduction::kSum, shape);
      GuardedFloats y(shape.lines());
      GuardedFloats workspace(reducer.workspace_floats(thread_pool->threads()));
      reducer.run(random_floats(shape.size(), 1), y.span(), workspace.span(), *thread_pool);
      const bool cut =
          !std::ranges::all_of(workspace.span(), [](float f) { return std::isnan(f); });
      cuts += cut ? 1 : 0;
      const std::string way = shape.inner > 1 ? "columns in lanes" : cut ? "parts of rows" : "rows";
      EXPECT_EQ(reducer.algorithm(*thread_pool), way)
          << shape.outer << " lines of " << shape.length;
      EXPECT_TRUE(y.intact() && workspace.intact());
    }
  }
  EXPECT_GT(cuts, 0U);
}

struct NoCode {};
void reduce_nothing(const AxisShape&, const NoCode&, const LinesRun&) {}
constexpr LinesWays<NoCode> kTestWays = {.columns = {.name = "columns", .run = reduce_nothing},
                                         .parts = {.name = "parts", .run = reduce_nothing},
                                         .rows = {.name = "rows", .run = reduce_nothing}};

template <class Ways>
concept MayLackRows = requires {
  Ways{.columns = kTestWays.columns, .parts = kTestWays.parts};
};
static_assert(!MayLackRows<LinesWays<NoCode>>);

TEST(LinesWays, CutLinesIntoPartsThatTheWorkspaceHolds) {
  for (const AxisShape& shape : kReducedShapes) {
    for (const int threads : {1, 2, 3, 16}) {
      for (const size_t least : {1, 64, 65, 500, 100000}) {
        const size_t parts = line_parts(shape, threads, least);
        const LinesWay<NoCode>* way = &kTestWays.of(shape, parts);
        const bool cut = way == &kTestWays.parts;
        EXPECT_EQ(way == &kTestWays.columns, shape.inner > 1);
        EXPECT_EQ(cut, parts > 1);
        if (!cut) continue;
        EXPECT_GE(shape.length / parts, std::max<size_t>(64, least));
        EXPECT_LE(2 * parts * shape.outer, parts_floats(shape, threads, 2));
      }
    }
  }
}

TEST_P(Reduce, DotIsASumOfProducts) {
  for (size_t n = 1; n < 300; ++n) {
    const std::vector<float> a = random_floats(n, n);
    const std::vector<float> b = random_floats(n, n + 1);
    ExactSum exact;
    for (size_t i = 0; i < n; ++i) exact.add(static_cast<double>(a[i]) * b[i]);
    expect_near(exact, Dot(n).run(a, b, {}, serial_threads()), "dot " + std::to_string(n));
  }
}

TEST_P(Reduce, DotIsTheSameEachTimeForSoManyThreads) {
  const std::vector<float> a = random_floats(200003, 1);
  const std::vector<float> b = random_floats(200003, 2);
  const Dot dot(a.size());
  std::vector<float> workspace(dot.workspace_floats(3));
  const float first = dot.run(a, b, workspace, shared_threads(3));
  EXPECT_EQ(dot.run(a, b, workspace, shared_threads(3)), first);
  EXPECT_NEAR(dot.run(a, b, {}, serial_threads()), first, 1e-2);
}

TEST_P(Reduce, MeanBackwardSpreadsEvenly) {
  for (const AxisShape& shape : {AxisShape{1, 1, 1}, {3, 37, 1}, {2, 5, 19}, {1, 100001, 1}}) {
    const std::vector<float> dy = random_floats(shape.lines(), 1);
    GuardedFloats dx(shape.size());
    mean_backward(shape, dy, dx.span(), shared_threads(2));
    EXPECT_TRUE(dx.intact());
    for (size_t i = 0; i < shape.size(); ++i) {
      const size_t line = i / (shape.length * shape.inner) * shape.inner + i % shape.inner;
      EXPECT_EQ(dx.span()[i], dy[line] / static_cast<float>(shape.length));
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
