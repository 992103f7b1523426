// Winograd's algorithm against sums in double precision and against the direct kernels.
#include "kernels/winograd.h"

#include <algorithm>
#include <functional>

#include "kernels/test_support.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;
using Doubles = std::vector<double>;

Conv2dShape shape_of(size_t batch, size_t channels, size_t height, size_t width, size_t out) {
  Conv2dShape s;
  s.batch = batch;
  s.in_channels = channels;
  s.height = height;
  s.width = width;
  s.out_channels = out;
  s.kernel = 3;
  s.pad = 1;
  return s;
}

// fn(x index, w index, y index) for each product of a convolution of one group.
void for_each_product(const Conv2dShape& s, const std::function<void(size_t, size_t, size_t)>& fn) {
  const size_t pixels = s.out_pixels();
  for (size_t i = 0; i < s.batch * s.out_channels * pixels; ++i) {
    const size_t image = i / pixels / s.out_channels;
    const size_t o = i / pixels % s.out_channels;
    for (size_t k = 0; k < s.patch(); ++k) {
      const size_t h = i % pixels / s.out_width() + k % 9 / 3;
      const size_t v = i % s.out_width() + k % 3;
      if (h < s.pad || h >= s.height + s.pad || v < s.pad || v >= s.width + s.pad) continue;
      const size_t plane = image * s.in_channels + k / 9;
      fn((plane * s.height + h - s.pad) * s.width + v - s.pad, o * s.patch() + k, i);
    }
  }
}

double largest_error(In got, const Doubles& exact) {
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i])) return got[i];
    largest = std::max(largest, std::fabs(got[i] - exact[i]));
  }
  return largest;
}

// The largest absolute errors of one pass.
struct Errors {
  double winograd, direct, largest_value;
};

class WinogradOnTarget : public EveryTarget {
 protected:
  Conv2dShape s = shape_of(3, 40, 9, 14, 24);
  std::vector<float> x = random_floats(s.batch * s.in_channels * s.height * s.width, 1);
  std::vector<float> w = random_floats(s.out_channels * s.patch(), 2);
  std::vector<float> dy = random_floats(s.batch * s.out_channels * s.out_pixels(), 3);

  Errors errors(ConvPass pass, const Doubles& exact,
                const std::function<void(bool winograd, Out result, Out workspace)>& run) {
    Errors e{0, 0, 0};
    for (const double value : exact) e.largest_value = std::max(e.largest_value, std::fabs(value));
    for (const bool winograd : {true, false}) {
      const size_t floats =
          winograd ? winograd_workspace_floats(s, pass, 2) : conv2d_workspace_floats(s, 2);
      GuardedFloats workspace(floats);
      GuardedFloats result(exact.size());
      run(winograd, result.span(), workspace.span());
      EXPECT_TRUE(workspace.intact() && result.intact());
      (winograd ? e.winograd : e.direct) = largest_error(result.span(), exact);
    }
    RecordProperty("winograd_error", std::to_string(e.winograd * 1e6) + "e-6");
    RecordProperty("direct_error", std::to_string(e.direct * 1e6) + "e-6");
    return e;
  }

  // The tolerance of the op for values in [-1, 1], of `terms` products: 8 u terms / 3.
  static void expect_small(const Errors& e, size_t terms) {
    const double allowed = 8 * 0x1p-24 * static_cast<double>(terms) / 3;
    EXPECT_LE(e.winograd, allowed);
    EXPECT_LE(e.winograd, 16 * e.direct);
    EXPECT_GT(e.winograd, e.direct) << "not Winograd's algorithm?";
    EXPECT_LE(e.winograd, 4e-6 * e.largest_value);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, WinogradOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

TEST_P(WinogradOnTarget, ErrorOfForward) {
  Doubles exact(dy.size());
  for_each_product(
      s, [&](size_t xi, size_t wi, size_t yi) { exact[yi] += static_cast<double>(x[xi]) * w[wi]; });
  expect_small(errors(ConvPass::kForward, exact,
                      [&](bool winograd, Out y, Out workspace) {
                        (winograd ? winograd_forward : conv2d_forward)(s, x, w, {}, y, workspace,
                                                                       shared_pool(2));
                      }),
               s.patch());
}

TEST_P(WinogradOnTarget, ErrorOfBackwardData) {
  Doubles exact(x.size());
  for_each_product(s, [&](size_t xi, size_t wi, size_t yi) {
    exact[xi] += static_cast<double>(dy[yi]) * w[wi];
  });
  expect_small(errors(ConvPass::kData, exact,
                      [&](bool winograd, Out dx, Out workspace) {
                        (winograd ? winograd_backward_data : conv2d_backward_data)(
                            s, w, dy, dx, workspace, shared_pool(2));
                      }),
               s.out_channels * 9);
}

TEST_P(WinogradOnTarget, ErrorOfBackwardWeights) {
  Doubles exact(w.size());
  for_each_product(s, [&](size_t xi, size_t wi, size_t yi) {
    exact[wi] += static_cast<double>(dy[yi]) * x[xi];
  });
  expect_small(errors(ConvPass::kWeights, exact,
                      [&](bool winograd, Out dw, Out workspace) {
                        if (winograd) {
                          winograd_backward_weights(s, x, dy, dw, workspace, shared_pool(2));
                        } else {
                          conv2d_backward_weights(s, x, dy, dw, {}, workspace, shared_pool(2));
                        }
                      }),
               s.batch * s.out_pixels());
}

TEST(Winograd, SaysWhatItCannotDo) {
  const Conv2dShape s = shape_of(2, 16, 8, 8, 16);
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    EXPECT_EQ(winograd_unsupported(s, pass), "");
    Conv2dShape other = s;
    other.kernel = 5;
    EXPECT_EQ(winograd_unsupported(other, pass), "wants kernels of 3x3");
    other = s;
    other.stride = 2;
    EXPECT_EQ(winograd_unsupported(other, pass), "wants stride 1 and dilation 1");
    other = s;
    other.pad = 3;
    EXPECT_EQ(winograd_unsupported(other, pass), "wants padding of at most 2");
    other = s;
    other.mean = true;
    EXPECT_EQ(winograd_unsupported(other, pass), "doesn't average");
  }
  const std::string few = "wants sums of at least 128 products";
  EXPECT_EQ(winograd_unsupported(shape_of(2, 14, 8, 8, 16), ConvPass::kForward), few);
  EXPECT_EQ(winograd_unsupported(shape_of(2, 16, 8, 8, 14), ConvPass::kData), few);
  EXPECT_EQ(winograd_unsupported(shape_of(1, 16, 8, 8, 16), ConvPass::kWeights), few);
}

// The rule is one of shape: no pass of few channels, each of many.
TEST(Winograd, PaysWithManyChannels) {
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    EXPECT_TRUE(winograd_pays(shape_of(8, 64, 32, 32, 128), pass));
    EXPECT_FALSE(winograd_pays(shape_of(1, 3, 28, 28, 16), pass));
    EXPECT_FALSE(winograd_pays(shape_of(1, 16, 28, 28, 8), pass));
  }
}

}  // namespace
}  // namespace nsop::kernels
