// conv2d against naive loops in double precision.
#include "kernels/conv2d.h"

#include <fmt/format.h>

#include "kernels/test_support.h"

namespace nsop::kernels {
namespace {

struct Expected {
  std::vector<ExactSum> y, dx, dw, dbias;
};

// A convolution with its data. dy is the gradient of the full output (mean: spread already).
struct Problem {
  Conv2dShape s;
  std::vector<float> x, w, bias, dy;

  explicit Problem(const Conv2dShape& shape) : s(shape) {
    x = random_floats(s.batch * s.in_channels * s.height * s.width, 1);
    w = random_floats(s.out_channels * s.patch(), 2);
    bias = random_floats(s.out_channels, 3);
    dy = random_floats(s.batch * s.out_channels * (s.mean ? 1 : s.out_pixels()), 4);
  }

  std::string text() const {
    return fmt::format("in={}x{}x{}x{} out={} k={} s={} p={} d={} groups={} mean={}", s.batch,
                       s.in_channels, s.height, s.width, s.out_channels, s.kernel, s.stride, s.pad,
                       s.dilation, s.groups, s.mean);
  }

  double dy_at(size_t channel, size_t pixel) const {
    if (s.mean) return dy[channel] / static_cast<double>(s.out_pixels());
    return dy[channel * s.out_pixels() + pixel];
  }

  // fn(x index, w index, index of the output channel over the batch, output channel, pixel) for
  // each product.
  template <class Fn>
  void for_each_product(Fn&& fn) const {
    const size_t pixels = s.out_pixels();
    for (size_t no = 0; no < s.batch * s.out_channels; ++no) {
      const size_t o = no % s.out_channels;
      const size_t first_in =
          no / s.out_channels * s.in_channels + o / s.group_out() * s.group_in();
      for (size_t pixel = 0; pixel < pixels; ++pixel) {
        for (size_t k = 0; k < s.patch(); ++k) {
          const size_t h = pixel / s.out_width() * s.stride + k / s.kernel % s.kernel * s.dilation;
          const size_t v = pixel % s.out_width() * s.stride + k % s.kernel * s.dilation;
          if (h < s.pad || h >= s.height + s.pad || v < s.pad || v >= s.width + s.pad) continue;
          const size_t plane = first_in + k / s.taps();
          fn((plane * s.height + h - s.pad) * s.width + v - s.pad, o * s.patch() + k, no, o, pixel);
        }
      }
    }
  }

  Expected expected() const {
    const double share = s.mean ? 1.0 / static_cast<double>(s.out_pixels()) : 1.0;
    Expected e;
    e.y.resize(dy.size());
    e.dx.resize(x.size());
    e.dw.resize(w.size());
    e.dbias.resize(bias.size());
    for_each_product([&](size_t xi, size_t wi, size_t no, size_t, size_t pixel) {
      e.y[s.mean ? no : no * s.out_pixels() + pixel].add(share * x[xi] * w[wi]);
      e.dx[xi].add(dy_at(no, pixel) * w[wi]);
      e.dw[wi].add(dy_at(no, pixel) * x[xi]);
    });
    for (size_t i = 0; i < dy.size(); ++i) {
      const size_t o = (s.mean ? i : i / s.out_pixels()) % s.out_channels;
      e.y[i].add(bias[o]);
      e.dbias[o].add(dy[i]);
    }
    return e;
  }

  void compare(const std::vector<ExactSum>& exact, std::span<const float> got,
               const std::string& name) const {
    ASSERT_EQ(exact.size(), got.size());
    for (size_t i = 0; i < exact.size(); ++i) {
      expect_near(exact[i], got[i], name + fmt::format("[{}] of ", i) + text());
      if (testing::Test::HasFailure()) return;
    }
  }

  void check(const Expected& e, int threads) const {
    Pool& pool = shared_pool(threads);
    GuardedFloats workspace(conv2d_workspace_floats(s, threads));
    GuardedFloats y(dy.size(), 1);
    GuardedFloats dx(x.size(), 1);
    GuardedFloats dw(w.size(), 1);
    GuardedFloats dbias(bias.size(), 1);
    conv2d_forward(s, x, w, bias, y.span(), workspace.span(), pool);
    conv2d_backward_data(s, w, dy, dx.span(), workspace.span(), pool);
    conv2d_backward_weights(s, x, dy, dw.span(), dbias.span(), workspace.span(), pool);
    EXPECT_TRUE(workspace.intact()) << "workspace exceeded: " << text() << " threads=" << threads;
    EXPECT_TRUE(y.intact() && dx.intact() && dw.intact() && dbias.intact()) << text();
    compare(e.y, y.span(), "y");
    compare(e.dx, dx.span(), "dx");
    compare(e.dw, dw.span(), "dw");
    compare(e.dbias, dbias.span(), "dbias");
  }
};

class Conv2dOnTarget : public EveryTarget {
 protected:
  static void check_all_threads(const Conv2dShape& shape) {
    const Problem problem(shape);
    const Expected expected = problem.expected();
    for (const int threads : {1, 2, 3}) problem.check(expected, threads);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Conv2dOnTarget, testing::ValuesIn(targets()), target_param_name);

Conv2dShape shape_of(size_t batch, size_t channels, size_t height, size_t width, size_t out,
                     size_t kernel) {
  Conv2dShape s;
  s.batch = batch;
  s.in_channels = channels;
  s.height = height;
  s.width = width;
  s.out_channels = out;
  s.kernel = kernel;
  return s;
}

TEST_P(Conv2dOnTarget, OddShapes) {
  check_all_threads(shape_of(1, 1, 1, 1, 1, 1));
  check_all_threads(shape_of(2, 3, 7, 5, 4, 1));
  check_all_threads(shape_of(1, 2, 5, 9, 3, 3));
  check_all_threads(shape_of(3, 1, 8, 13, 7, 5));
  check_all_threads(shape_of(1, 5, 3, 37, 2, 2));
  check_all_threads(shape_of(1, 2, 4, 4, 5, 4));  // one output pixel
}

TEST_P(Conv2dOnTarget, StridePaddingDilation) {
  for (const size_t stride : {1, 2, 3}) {
    for (const size_t pad : {0, 1, 2, 5}) {
      for (const size_t dilation : {1, 2}) {
        Conv2dShape s = shape_of(2, 3, 9, 10, 4, 3);
        s.stride = stride;
        s.pad = pad;
        s.dilation = dilation;
        check_all_threads(s);
      }
    }
  }
}

TEST_P(Conv2dOnTarget, PointwiseWithStrideOrPadding) {
  for (const size_t stride : {1, 2}) {
    for (const size_t pad : {0, 2}) {
      Conv2dShape s = shape_of(2, 6, 6, 7, 20, 1);
      s.stride = stride;
      s.pad = pad;
      check_all_threads(s);
    }
  }
}

TEST_P(Conv2dOnTarget, Groups) {
  for (const size_t groups : {2, 6}) {  // 6: one channel each
    Conv2dShape s = shape_of(2, 6, 8, 7, 12, 3);
    s.pad = 1;
    s.groups = groups;
    check_all_threads(s);
  }
}

TEST_P(Conv2dOnTarget, ManyMoreOutputThanInputChannels) {
  Conv2dShape s = shape_of(1, 1, 20, 21, 16, 5);
  s.pad = 2;
  check_all_threads(s);
  s.stride = 2;
  check_all_threads(s);
}

TEST_P(Conv2dOnTarget, MeanOverPixels) {
  for (const size_t channels : {1, 4}) {
    for (const size_t kernel : {1, 3}) {
      Conv2dShape s = shape_of(2, channels, 9, 11, 6, kernel);
      s.mean = true;
      check_all_threads(s);
      s.pad = 1;
      s.groups = channels == 1 ? 1 : 2;
      check_all_threads(s);
    }
  }
}

TEST_P(Conv2dOnTarget, LargeEnoughForSplitSumsAndThreads) {
  Conv2dShape s = shape_of(1, 40, 17, 18, 24, 3);  // patches of 360 values, 306 pixels
  s.pad = 1;
  check_all_threads(s);
}

TEST(Conv2d, TellsWhatItDoes) {
  Conv2dShape s = shape_of(8, 64, 32, 32, 128, 3);
  EXPECT_EQ(conv2d_forward_algorithm(s).substr(0, 21), "implicit gemm packed ");
  EXPECT_EQ(conv2d_data_algorithm(s).substr(0, 21), "implicit gemm packed ");
  EXPECT_EQ(conv2d_weights_algorithm(s).substr(0, 21), "implicit gemm packed ");
  s.stride = 2;
  EXPECT_NE(conv2d_data_algorithm(s).find("scattered"), std::string::npos);
  EXPECT_EQ(conv2d_forward_algorithm(shape_of(1, 8, 8, 8, 8, 1)).substr(0, 14), "gemm in place ");
}

}  // namespace
}  // namespace nsop::kernels
