// Convolutions against naive loops in double precision.
#include <fmt/format.h>

#include "kernels/conv/plan.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

struct Expected {
  std::vector<ExactSum> y, dx, dw, dbias;
};

// A convolution with its data. dy is the gradient of the full output (mean: spread already).
struct Problem {
  ConvShape s;
  std::vector<float> x, w, bias, dy;

  explicit Problem(const ConvShape& shape) : s(shape) {
    x = random_floats(s.batch * s.in_channels * s.in_pixels(), 1);
    w = random_floats(s.out_channels * s.patch(), 2);
    bias = random_floats(s.out_channels, 3);
    dy = random_floats(s.batch * s.out_channels * (s.mean ? 1 : s.out_pixels()), 4);
  }

  std::string text() const {
    std::string text = fmt::format("in={}x{} out={} groups={} mean={}", s.batch, s.in_channels,
                                   s.out_channels, s.groups, s.mean);
    for (const ConvAxis& a : s.axes) {
      text += fmt::format(" [{} k={} s={} p={} d={}]", a.in, a.kernel, a.stride, a.pad, a.dilation);
    }
    return text;
  }

  double dy_at(size_t channel, size_t pixel) const {
    if (s.mean) return dy[channel] / static_cast<double>(s.out_pixels());
    return dy[channel * s.out_pixels() + pixel];
  }

  // The index in a plane of x of an output pixel under a tap; false in the padding.
  bool input_pixel(size_t pixel, size_t tap, size_t* index) const {
    size_t rest_of_pixel = pixel;
    size_t rest_of_tap = tap;
    size_t step = 1;
    *index = 0;
    for (size_t i = 3; i-- > 0;) {
      const ConvAxis& a = s.axes[i];
      const size_t at = rest_of_pixel % a.out() * a.stride + rest_of_tap % a.kernel * a.dilation;
      if (at < a.pad || at >= a.in + a.pad) return false;
      *index += (at - a.pad) * step;
      step *= a.in;
      rest_of_pixel /= a.out();
      rest_of_tap /= a.kernel;
    }
    return true;
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
          size_t at = 0;
          if (!input_pixel(pixel, k % s.taps(), &at)) continue;
          fn((first_in + k / s.taps()) * s.in_pixels() + at, o * s.patch() + k, no, o, pixel);
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
    const EagerThreadPools eager;  // small as they are, they shall fork
    ThreadPool& thread_pool = shared_threads(threads);
    const ConvPlan plan(s, ConvChoice::kDirect);
    GuardedFloats forward_workspace(plan.workspace_floats(ConvPass::kForward, threads));
    GuardedFloats data_workspace(plan.workspace_floats(ConvPass::kData, threads));
    GuardedFloats weights_workspace(plan.workspace_floats(ConvPass::kWeights, threads));
    GuardedFloats y(dy.size(), 1);
    GuardedFloats dx(x.size(), 1);
    GuardedFloats dw(w.size(), 1);
    GuardedFloats dbias(bias.size(), 1);
    plan.forward(x, w, bias, y.span(), forward_workspace.span(), thread_pool);
    plan.backward_data(w, dy, dx.span(), data_workspace.span(), thread_pool);
    plan.backward_weights(x, dy, dw.span(), dbias.span(), weights_workspace.span(), thread_pool);
    EXPECT_TRUE(forward_workspace.intact() && data_workspace.intact() && weights_workspace.intact())
        << "workspace exceeded: " << text() << " threads=" << threads;
    EXPECT_TRUE(y.intact() && dx.intact() && dw.intact() && dbias.intact()) << text();
    compare(e.y, y.span(), "y");
    compare(e.dx, dx.span(), "dx");
    compare(e.dw, dw.span(), "dw");
    compare(e.dbias, dbias.span(), "dbias");
  }
};

class ConvOnTarget : public EveryTarget {
 protected:
  static void check_all_threads(const ConvShape& shape) {
    const Problem problem(shape);
    const Expected expected = problem.expected();
    for (const int threads : {1, 2, 3}) problem.check(expected, threads);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, ConvOnTarget, testing::ValuesIn(targets()), target_param_name);

// Sets a member of both axes of an image.
void set(ConvShape& s, size_t ConvAxis::*member, size_t value) {
  s.axes[1].*member = s.axes[2].*member = value;
}

TEST_P(ConvOnTarget, OddShapes) {
  check_all_threads(conv2d_shape(1, 1, 1, 1, 1, 1));
  check_all_threads(conv2d_shape(2, 3, 7, 5, 4, 1));
  check_all_threads(conv2d_shape(1, 2, 5, 9, 3, 3));
  check_all_threads(conv2d_shape(3, 1, 8, 13, 7, 5));
  check_all_threads(conv2d_shape(1, 5, 3, 37, 2, 2));
  check_all_threads(conv2d_shape(1, 2, 4, 4, 5, 4));  // one output pixel
}

TEST_P(ConvOnTarget, StridePaddingDilation) {
  for (const size_t stride : {1, 2, 3}) {
    for (const size_t pad : {0, 1, 2, 5}) {
      for (const size_t dilation : {1, 2}) {
        ConvShape s = conv2d_shape(2, 3, 9, 10, 4, 3);
        set(s, &ConvAxis::stride, stride);
        set(s, &ConvAxis::pad, pad);
        set(s, &ConvAxis::dilation, dilation);
        check_all_threads(s);
      }
    }
  }
}

TEST_P(ConvOnTarget, PointwiseWithStrideOrPadding) {
  for (const size_t stride : {1, 2}) {
    for (const size_t pad : {0, 2}) {
      ConvShape s = conv2d_shape(2, 6, 6, 7, 20, 1);
      set(s, &ConvAxis::stride, stride);
      set(s, &ConvAxis::pad, pad);
      check_all_threads(s);
    }
  }
}

TEST_P(ConvOnTarget, Groups) {
  for (const size_t groups : {2, 6}) {  // 6: one channel each
    ConvShape s = conv2d_shape(2, 6, 8, 7, 12, 3);
    set(s, &ConvAxis::pad, 1);
    s.groups = groups;
    check_all_threads(s);
  }
}

TEST_P(ConvOnTarget, PlanesOfAllStridesAndDilations) {
  for (const size_t stride : {1, 2, 3}) {
    for (const size_t dilation : {1, 2}) {
      for (const size_t width_stride : {1, 2}) {
        ConvShape s = conv2d_shape(2, 3, 23, 43, 6, 3);
        s.groups = 3;
        s.axes[1] = {.in = 23, .kernel = 3, .stride = stride, .pad = 2, .dilation = dilation};
        s.axes[2] = {.in = 43, .kernel = 3, .stride = width_stride, .pad = 1};
        check_all_threads(s);
        s.axes[2].dilation = 2;
        check_all_threads(s);
      }
    }
  }
  ConvShape s = conv2d_shape(1, 4, 13, 40, 4, 5);
  s.groups = 4;
  set(s, &ConvAxis::pad, 2);
  check_all_threads(s);
  set(s, &ConvAxis::stride, 2);
  check_all_threads(s);
}

TEST_P(ConvOnTarget, PhasesOfPartsOfGroups) {
  for (const size_t batch : {1, 2}) {
    ConvShape s = conv2d_shape(batch, 7, 70, 75, 7, 3);
    s.groups = 7;
    set(s, &ConvAxis::stride, 2);
    set(s, &ConvAxis::pad, 1);
    check_all_threads(s);
  }
}

TEST_P(ConvOnTarget, ManyMoreOutputThanInputChannels) {
  ConvShape s = conv2d_shape(1, 1, 20, 21, 16, 5);
  set(s, &ConvAxis::pad, 2);
  check_all_threads(s);
  set(s, &ConvAxis::stride, 2);
  check_all_threads(s);
}

TEST_P(ConvOnTarget, MeanOverPixels) {
  for (const size_t channels : {1, 4}) {
    for (const size_t kernel : {1, 3}) {
      ConvShape s = conv2d_shape(2, channels, 9, 11, 6, kernel);
      s.mean = true;
      check_all_threads(s);
      set(s, &ConvAxis::pad, 1);
      s.groups = channels == 1 ? 1 : 2;
      check_all_threads(s);
    }
  }
}

TEST_P(ConvOnTarget, MeanGradientsOfWindowsOfAllForms) {
  for (const size_t batch : {1, 3}) {
    for (const size_t stride : {1, 2, 3}) {
      for (const size_t pad : {0, 1, 4}) {  // 4: taps that meet padding only
        for (const size_t dilation : {1, 2}) {
          ConvShape s = conv2d_shape(batch, 4, 6, 21, 6, 3);
          set(s, &ConvAxis::stride, stride);
          set(s, &ConvAxis::pad, pad);
          set(s, &ConvAxis::dilation, dilation);
          s.mean = true;
          s.groups = stride == 2 ? 2 : 1;
          check_all_threads(s);
        }
      }
    }
  }
  ConvShape s = conv2d_shape(2, 2, 4, 70, 3, 2);
  s.axes[0] = {.in = 5, .kernel = 3, .stride = 2, .pad = 1, .dilation = 2};
  s.mean = true;
  check_all_threads(s);
}

TEST_P(ConvOnTarget, OneAxis) {
  for (const size_t stride : {1, 2}) {
    ConvShape s = conv2d_shape(2, 3, 1, 37, 5, 1);
    s.axes[2] = {.in = 37, .kernel = 3, .stride = stride, .pad = 2, .dilation = 2};
    check_all_threads(s);
    s.mean = true;
    check_all_threads(s);
  }
}

TEST_P(ConvOnTarget, ThreeAxes) {
  for (const size_t stride : {1, 2}) {
    ConvShape s = conv2d_shape(2, 4, 4, 5, 6, 3);
    s.axes[0] = {.in = 5, .kernel = 2, .stride = stride, .pad = 1, .dilation = 2};
    s.axes[1].pad = 1;
    s.axes[2].stride = stride;
    check_all_threads(s);
    s.groups = 2;
    check_all_threads(s);
  }
}

TEST_P(ConvOnTarget, LargeEnoughForSplitSumsAndThreads) {
  ConvShape s = conv2d_shape(1, 40, 17, 18, 24, 3);  // patches of 360 values, 306 pixels
  set(s, &ConvAxis::pad, 1);
  check_all_threads(s);
}

ConvShape strided(ConvShape s) {
  set(s, &ConvAxis::stride, 2);
  return s;
}

TEST_P(ConvOnTarget, PhasesOfStrides) {
  // Phases without any tap, by padded lines and by products, of several groups and of one channel.
  for (const size_t width : {1, 17}) {
    for (const size_t stride : {2, 3}) {
      for (const size_t kernel : {1, 2, 3}) {
        ConvShape s = conv2d_shape(2, 12, 5, width, 12, kernel);
        set(s, &ConvAxis::stride, stride);
        set(s, &ConvAxis::pad, kernel / 2 + stride - 2);
        set(s, &ConvAxis::dilation, stride == 3 && kernel == 2 ? 3 : 1);
        if (s.height().extent() > 5 || s.width().extent() > width + 2 * s.width().pad) continue;
        for (const size_t groups : {1, 3, 12}) {
          s.groups = groups;
          check_all_threads(s);
        }
      }
    }
  }
}

std::string algorithm(ConvPass pass, const ConvShape& s) {
  return ConvPlan(s, ConvChoice::kDirect).algorithm(pass);
}

TEST(Conv, TellsWhatItDoes) {
  ConvShape s = conv2d_shape(8, 64, 32, 32, 128, 3);
  EXPECT_EQ(algorithm(ConvPass::kForward, s).substr(0, 13), "padded lines ");
  EXPECT_EQ(algorithm(ConvPass::kData, s).substr(0, 13), "padded lines ");
  EXPECT_EQ(algorithm(ConvPass::kWeights, s).substr(0, 14), "channels last ");
  const ConvShape narrow = conv2d_shape(8, 64, 7, 3, 128, 3);  // one output per line
  EXPECT_EQ(algorithm(ConvPass::kForward, narrow).substr(0, 21), "implicit gemm packed ");
  set(s, &ConvAxis::stride, 2);
  EXPECT_EQ(algorithm(ConvPass::kData, s).substr(0, 12), "4 phases of ");
  EXPECT_NE(algorithm(ConvPass::kData, strided(conv2d_shape(1, 1, 7, 3, 8, 3))).find("scattered"),
            std::string::npos);
  EXPECT_EQ(algorithm(ConvPass::kForward, conv2d_shape(1, 8, 8, 8, 8, 1)).substr(0, 14),
            "gemm in place ");
  EXPECT_EQ(algorithm(ConvPass::kWeights, s).find("windows"), std::string::npos);
  s.mean = true;
  EXPECT_EQ(algorithm(ConvPass::kForward, s).substr(0, 21), "sums of padded lines ");
  EXPECT_NE(algorithm(ConvPass::kData, s).find("windows"), std::string::npos);
  EXPECT_NE(algorithm(ConvPass::kWeights, s).find("windows"), std::string::npos);
}

}  // namespace
}  // namespace nsop::kernels
