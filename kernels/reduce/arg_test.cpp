// argmax, argmin and variance: special values, ties, guards, threads.
#include "kernels/reduce/arg.h"

#include <cmath>

#include "kernels/norm/variance.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

template <class Reducer>
std::vector<float> run(const Reducer& reducer, const AxisShape& shape, const std::vector<float>& x,
                       int threads = 1) {
  GuardedFloats y(shape.lines());
  GuardedFloats workspace(reducer.workspace_floats(threads));
  reducer.run(x, y.span(), workspace.span(), shared_threads(threads));
  EXPECT_TRUE(y.intact() && workspace.intact());
  return {y.span().begin(), y.span().end()};
}

// Of x as one row, and as three equal columns: they must agree.
float place(Extreme extreme, const std::vector<float>& x) {
  const AxisShape row = {1, x.size(), 1};
  const float result = run(ArgReducer(extreme, row), row, x)[0];
  std::vector<float> spread;
  for (const float value : x) spread.insert(spread.end(), 3, value);
  const AxisShape columns = {1, x.size(), 3};
  EXPECT_EQ(run(ArgReducer(extreme, columns), columns, spread), std::vector<float>(3, result));
  return result;
}

class Arg : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, Arg, testing::ValuesIn(targets()), target_param_name);

TEST_P(Arg, FindsThePlaceAnywhere) {
  for (const size_t n : {1, 7, 16, 33, 64, 130, 1025, 2100}) {
    for (size_t at = 0; at < n; at += 1 + n / 100) {
      std::vector<float> x = random_floats(n, n);
      x[at] = 2;
      EXPECT_EQ(place(Extreme::kLargest, x), static_cast<float>(at)) << n;
      x[at] = -2;
      EXPECT_EQ(place(Extreme::kSmallest, x), static_cast<float>(at)) << n;
    }
  }
}

TEST_P(Arg, AlgorithmNamesTheWayOfTheLines) {
  ThreadPool eager(3, ThreadPool::Forks::kEager);
  for (ThreadPool* thread_pool : {&serial_threads(), &eager}) {
    for (const size_t outer : {1, 2, 5}) {
      const ArgReducer rows(Extreme::kLargest, {outer, 1000, 1});
      const ArgReducer columns(Extreme::kLargest, {outer, 1000, 2});
      EXPECT_EQ(rows.algorithm(*thread_pool), "best block, then its place");
      EXPECT_EQ(columns.algorithm(*thread_pool), "columns in lanes");
    }
  }
}

TEST_P(Arg, TheFirstOfEqualsWins) {
  for (const size_t n : {1, 2, 17, 100, 3000}) {
    for (const float value : {0.0f, -3.0f, 3.0f, kInf, -kInf}) {
      EXPECT_EQ(place(Extreme::kLargest, std::vector<float>(n, value)), 0) << n;
      EXPECT_EQ(place(Extreme::kSmallest, std::vector<float>(n, value)), 0) << n;
    }
  }
  EXPECT_EQ(place(Extreme::kLargest, {-1, -0.0f, 0.0f}), 1);
  EXPECT_EQ(place(Extreme::kSmallest, {1, 0.0f, -0.0f}), 1);
}

TEST_P(Arg, TheFirstNanWins) {
  for (const size_t n : {1, 17, 100, 3000}) {
    for (size_t at = 0; at < n; at += 1 + n / 20) {
      std::vector<float> x = random_floats(n, n);
      x[n - 1] = kNan;
      x[at] = kNan;
      EXPECT_EQ(place(Extreme::kLargest, x), static_cast<float>(at)) << n;
      EXPECT_EQ(place(Extreme::kSmallest, x), static_cast<float>(at)) << n;
    }
  }
}

TEST_P(Arg, InfinitiesOfBothSignsAreNumbers) {
  std::vector<float> x = random_floats(100, 1);
  x[70] = kInf;
  x[40] = -kInf;
  EXPECT_EQ(place(Extreme::kLargest, x), 70);
  EXPECT_EQ(place(Extreme::kSmallest, x), 40);
}

TEST_P(Arg, ThreadsDontChangeThePlace) {
  for (const float special : {2.0f, kNan}) {
    for (const size_t at : {0, 66666, 150000, 199999}) {
      std::vector<float> x = random_floats(200000, 1);
      x[at] = special;
      if (at < 150000) x[150001] = special;
      const AxisShape shape = {1, x.size(), 1};
      const ArgReducer reducer(Extreme::kLargest, shape);
      for (const int threads : {1, 2, 3}) {
        EXPECT_EQ(run(reducer, shape, x, threads)[0], static_cast<float>(at)) << threads;
      }
    }
  }
}

std::vector<float> variance(const AxisShape& shape, const std::vector<float>& x, int threads = 1) {
  return run(Variance(shape), shape, x, threads);
}

TEST_P(Arg, VarianceOfEqualValuesIsZero) {
  for (const size_t n : {1, 2, 17, 100, 5000}) {
    for (const float value : {0.0f, 1.0f, -1e10f}) {
      EXPECT_EQ(variance({1, n, 1}, std::vector<float>(n, value))[0], 0.0f) << n;
      EXPECT_EQ(variance({1, n, 2}, std::vector<float>(2 * n, value))[1], 0.0f) << n;
    }
  }
}

TEST_P(Arg, VarianceDoesntSufferFromALargeMean) {
  for (const AxisShape& shape : {AxisShape{1, 20000, 1}, {1, 20000, 5}}) {
    std::vector<float> x(shape.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = 4096.0f + (i / shape.inner % 2 == 0 ? 0.5f : -0.5f);
    for (const int threads : {1, 2}) {
      for (const float value : variance(shape, x, threads)) EXPECT_NEAR(value, 0.25f, 1e-6f);
    }
  }
}

TEST_P(Arg, VarianceKeepsNan) {
  for (const float bad : {kNan, kInf, -kInf}) {
    for (const AxisShape& shape : {AxisShape{1, 37, 1}, {1, 6000, 1}, {1, 37, 19}}) {
      std::vector<float> x = random_floats(shape.size(), 1);
      x[shape.size() - 1] = bad;
      EXPECT_TRUE(std::isnan(variance(shape, x).back())) << bad;
    }
  }
}

TEST_P(Arg, VarianceIsTheSameEachTimeForSoManyThreads) {
  for (const AxisShape& shape :
       {AxisShape{1, 100001, 1}, {2, 50001, 1}, {300, 333, 1}, {1, 100, 700}}) {
    const std::vector<float> x = random_floats(shape.size(), 1);
    const std::vector<float> alone = variance(shape, x);
    for (const int threads : {2, 3}) {
      const std::vector<float> first = variance(shape, x, threads);
      EXPECT_EQ(variance(shape, x, threads), first);
      for (size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], alone[i], 1e-6);
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
