// softmax and log_softmax: special values, guards, threads, in place.
#include "kernels/norm/softmax.h"

#include <cmath>

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

std::vector<float> forward(SoftmaxKind kind, const AxisShape& shape, const std::vector<float>& x,
                           int threads = 1) {
  GuardedFloats y(shape.size(), 3);
  Softmax(kind, shape).forward(x, y.span(), shared_threads(threads));
  EXPECT_TRUE(y.intact());
  return {y.span().begin(), y.span().end()};
}

// Of x as one row; as the middle of three columns it must be the same within rounding.
std::vector<float> line(SoftmaxKind kind, const std::vector<float>& x) {
  const std::vector<float> row = forward(kind, {1, x.size(), 1}, x);
  std::vector<float> spread;
  for (const float value : x) spread.insert(spread.end(), {1.0f, value, -1.0f});
  const std::vector<float> columns = forward(kind, {1, x.size(), 3}, spread);
  for (size_t i = 0; i < x.size(); ++i) {
    const float column = columns[3 * i + 1];
    EXPECT_TRUE(column == row[i] || (std::isnan(column) && std::isnan(row[i])) ||
                std::abs(column - row[i]) <= 1e-5f * std::abs(row[i]))
        << column << " is not " << row[i];
  }
  return row;
}

bool all_nan(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isnan(v); });
}

class SoftmaxOf : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, SoftmaxOf, testing::ValuesIn(targets()), target_param_name);

TEST_P(SoftmaxOf, AlgorithmNamesTheWayOfTheLines) {
  for (const SoftmaxKind kind : {SoftmaxKind::kPlain, SoftmaxKind::kLog}) {
    for (const size_t outer : {1, 4}) {
      EXPECT_EQ(Softmax(kind, {outer, 5, 1}).algorithm(), "rows, three passes");
      EXPECT_EQ(Softmax(kind, {outer, 5, 2}).algorithm(), "columns in lanes");
      EXPECT_EQ(Softmax(kind, {outer, 1, 64}).algorithm(), "columns in lanes");
    }
  }
}

TEST_P(SoftmaxOf, LargeValuesAreStable) {
  EXPECT_EQ(line(SoftmaxKind::kPlain, {3e38f, 3e38f}), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(line(SoftmaxKind::kPlain, {3e38f, -3e38f, 0}), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(line(SoftmaxKind::kLog, {1000, 0}), (std::vector<float>{0, -1000}));
}

TEST_P(SoftmaxOf, MinusInfinityIsLeftOut) {
  EXPECT_EQ(line(SoftmaxKind::kPlain, {-kInf, 2, -kInf, 2}),
            (std::vector<float>{0, 0.5f, 0, 0.5f}));
  EXPECT_EQ(line(SoftmaxKind::kLog, {-kInf, 2}), (std::vector<float>{-kInf, 0}));
}

TEST_P(SoftmaxOf, NothingButMinusInfinityIsNan) {
  for (const SoftmaxKind kind : {SoftmaxKind::kPlain, SoftmaxKind::kLog}) {
    EXPECT_TRUE(all_nan(line(kind, std::vector<float>(37, -kInf))));
  }
}

TEST_P(SoftmaxOf, NanAndInfinitySpoilTheirLineOnly) {
  for (const SoftmaxKind kind : {SoftmaxKind::kPlain, SoftmaxKind::kLog}) {
    for (const float bad : {kNan, -kNan, kInf}) {
      for (size_t at = 0; at < 37; ++at) {
        std::vector<float> x = random_floats(37, at);
        x[at] = bad;
        EXPECT_TRUE(all_nan(line(kind, x))) << at;
      }
    }
  }
}

TEST_P(SoftmaxOf, AnyLengthSumsToOne) {
  for (size_t n = 1; n < 150; ++n) {
    const std::vector<float> y = line(SoftmaxKind::kPlain, random_floats(n, n));
    const std::vector<float> logs = line(SoftmaxKind::kLog, random_floats(n, n));
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += y[i];
      EXPECT_NEAR(std::exp(logs[i]), y[i], 1e-6);
    }
    EXPECT_NEAR(sum, 1, 1e-6) << n;
  }
}

TEST_P(SoftmaxOf, ThreadsAndPlaceDontChangeTheResult) {
  for (const AxisShape& shape : {AxisShape{200, 333, 1}, {1, 70, 1001}, {3, 70, 333}}) {
    const std::vector<float> x = random_floats(shape.size(), 1);
    const std::vector<float> dy = random_floats(shape.size(), 2);
    for (const SoftmaxKind kind : {SoftmaxKind::kPlain, SoftmaxKind::kLog}) {
      const Softmax softmax(kind, shape);
      const std::vector<float> y = forward(kind, shape, x);
      std::vector<float> dx(shape.size());
      softmax.backward(y, dy, dx, serial_threads());
      for (const int threads : {2, 3}) {
        std::vector<float> in_place = x;
        softmax.forward(in_place, in_place, shared_threads(threads));
        EXPECT_EQ(in_place, y) << threads;
        in_place = dy;
        softmax.backward(y, in_place, in_place, shared_threads(threads));
        EXPECT_EQ(in_place, dx) << threads;
      }
    }
  }
}

TEST_P(SoftmaxOf, BackwardOfAnyLengthTouchesItsOutputOnly) {
  for (const SoftmaxKind kind : {SoftmaxKind::kPlain, SoftmaxKind::kLog}) {
    for (size_t n = 1; n < 100; ++n) {
      const AxisShape shape = {n % 2 + 1, n, n % 3 + 1};
      const std::vector<float> y = forward(kind, shape, random_floats(shape.size(), n));
      GuardedFloats dx(shape.size(), n % 5);
      Softmax(kind, shape).backward(y, random_floats(shape.size(), 1), dx.span(), serial_threads());
      EXPECT_TRUE(dx.intact());
      double sum = 0;
      for (const float value : dx.span()) sum += value;
      EXPECT_NEAR(sum, 0, 1e-4) << n;
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
