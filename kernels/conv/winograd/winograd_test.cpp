// Winograd's algorithm against sums in double precision and against the direct kernels.
// docs/winograd.md is the table of these errors; NSOP_WRITE_ACCURACY=1 writes it anew.
#include "kernels/conv/winograd/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "harness/core/files.h"
#include "harness/core/text.h"
#include "kernels/conv/plan.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;
using Doubles = std::vector<double>;

ConvShape shape_of(size_t batch, size_t channels, size_t height, size_t width, size_t out) {
  ConvShape s = conv2d_shape(batch, channels, height, width, out, 3);
  s.axes[1].pad = s.axes[2].pad = 1;
  return s;
}

// A convolution over one axis.
ConvShape line_shape(size_t batch, size_t channels, size_t width, size_t out) {
  ConvShape s = shape_of(batch, channels, 1, width, out);
  s.axes[1] = {};
  return s;
}

// Kernels of 3 x 3 x 3.
ConvShape volume_shape(size_t batch, size_t channels, size_t depth, size_t height, size_t width,
                       size_t out) {
  ConvShape s = shape_of(batch, channels, height, width, out);
  s.axes[0] = {.in = depth, .kernel = 3, .pad = 1};
  return s;
}

// The input of an axis under a tap of an output; false in the padding.
bool input_at(const ConvAxis& axis, size_t out, size_t tap, size_t* in) {
  *in = out + tap - axis.pad;
  return out + tap >= axis.pad && *in < axis.in;
}

// fn(x index, w index, y index) for each product of a convolution of one group.
void for_each_product(const ConvShape& s, const std::function<void(size_t, size_t, size_t)>& fn) {
  const auto& [depth, height, width] = s.axes;
  const size_t pixels = s.out_pixels();
  for (size_t i = 0; i < s.batch * s.out_channels * pixels; ++i) {
    const size_t image = i / pixels / s.out_channels;
    const size_t o = i / pixels % s.out_channels;
    const size_t line = i % pixels / width.out();
    for (size_t k = 0; k < s.patch(); ++k) {
      const size_t tap = k % s.taps();
      size_t d = 0, h = 0, v = 0;
      if (!input_at(depth, line / height.out(), tap / (height.kernel * width.kernel), &d) ||
          !input_at(height, line % height.out(), tap / width.kernel % height.kernel, &h) ||
          !input_at(width, i % width.out(), tap % width.kernel, &v)) {
        continue;
      }
      const size_t slice = (image * s.in_channels + k / s.taps()) * depth.in + d;
      fn((slice * height.in + h) * width.in + v, o * s.patch() + k, i);
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

// How much larger than in the direct sum the products of F(4x4, 3x3) are (root mean square, of the
// output where that is most), and with them what rounding them and adding them up loses. The
// transforms lose less, and the sums of the direct way are longer.
constexpr double kAmplification = 7.125;

// The coefficients of the product of (x - q) for all q but one, the constant first.
Doubles polynomial(const Doubles& points, size_t without) {
  Doubles c = {1};
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == without) continue;
    c.push_back(0);
    for (size_t k = c.size(); k-- > 0;) c[k] = (k > 0 ? c[k - 1] : 0) - points[i] * c[k];
  }
  return c;
}

double square_sum(const Doubles& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return sum;
}

// The amplification of F(4x4, 3x3) with its polynomials evaluated at these five points and
// infinity, for inputs and weights of variance 1: a point p contributes p^j times the products of
// x's and w's transforms to output j; the square is the factor on both axes.
double amplification(const Doubles& points) {
  double largest = 0;
  for (int j = 0; j < 4; ++j) {
    double variance = j == 3 ? square_sum(polynomial(points, points.size())) : 0;  // infinity
    for (size_t i = 0; i < points.size(); ++i) {
      const double p = points[i];
      double scale = 1;
      for (size_t k = 0; k < points.size(); ++k) scale *= k == i ? 1 : p - points[k];
      const double w = square_sum({1 / scale, p / scale, p * p / scale});
      variance += std::pow(p, 2 * j) * w * square_sum(polynomial(points, i));
    }
    largest = std::max(largest, variance / 3);  // a direct sum has three products per axis
  }
  return largest;
}

TEST(Winograd, ItsPointsLoseLessThanThePapers) {
  const double root = std::sqrt(2.0);
  const double ours = amplification({0, 1 / root, -1 / root, root, -root});
  EXPECT_NEAR(ours, kAmplification, 1e-9);
  EXPECT_LT(ours, amplification({0, 1, -1, 2, -2}) / 4);
}

// The largest absolute errors of one pass.
struct Errors {
  double winograd, direct, largest_value;
};

// A convolution of so many axes with its data.
struct WinogradProblem {
  ConvShape s;
  std::vector<float> x, w, dy;
  explicit WinogradProblem(const ConvShape& shape)
      : s(shape),
        x(random_floats(s.batch * s.in_channels * s.in_pixels(), 1)),
        w(random_floats(s.out_channels * s.patch(), 2)),
        dy(random_floats(s.batch * s.out_channels * s.out_pixels(), 3)) {}
};

constexpr ConvPass kConvPasses[] = {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights};

Doubles exact_of(const WinogradProblem& p, ConvPass pass) {
  const bool forward = pass == ConvPass::kForward;
  const bool data = pass == ConvPass::kData;
  Doubles exact(forward ? p.dy.size() : data ? p.x.size() : p.w.size());
  for_each_product(p.s, [&](size_t xi, size_t wi, size_t yi) {
    if (forward) {
      exact[yi] += static_cast<double>(p.x[xi]) * p.w[wi];
    } else if (data) {
      exact[xi] += static_cast<double>(p.dy[yi]) * p.w[wi];
    } else {
      exact[wi] += static_cast<double>(p.dy[yi]) * p.x[xi];
    }
  });
  return exact;
}

// Products in the sum of one result.
size_t terms_of(const ConvShape& s, ConvPass pass) {
  if (pass == ConvPass::kForward) return s.patch();
  return pass == ConvPass::kData ? s.out_channels * s.taps() : s.batch * s.out_pixels();
}

void run_pass(const WinogradProblem& p, ConvPass pass, const ConvPlan& plan, Out result,
              Out workspace) {
  ThreadPool& thread_pool = shared_threads(2);
  if (pass == ConvPass::kForward) {
    plan.forward(p.x, p.w, {}, result, workspace, thread_pool);
  } else if (pass == ConvPass::kData) {
    plan.backward_data(p.w, p.dy, result, workspace, thread_pool);
  } else {
    plan.backward_weights(p.x, p.dy, result, {}, workspace, thread_pool);
  }
}

// On the target that is pinned.
Errors errors_of(const WinogradProblem& p, ConvPass pass, const Doubles& exact) {
  Errors e{0, 0, 0};
  for (const double value : exact) e.largest_value = std::max(e.largest_value, std::fabs(value));
  const EagerThreadPools eager;  // small as they are, they shall fork
  for (const bool winograd : {true, false}) {
    const ConvPlan plan(p.s, winograd ? ConvChoice::kWinograd : ConvChoice::kDirect);
    GuardedFloats workspace(plan.workspace_floats(pass, 2));
    GuardedFloats result(exact.size());
    run_pass(p, pass, plan, result.span(), workspace.span());
    EXPECT_TRUE(workspace.intact() && result.intact());
    (winograd ? e.winograd : e.direct) = largest_error(result.span(), exact);
  }
  return e;
}

class WinogradOnTarget : public EveryTarget {
 protected:
  const std::vector<WinogradProblem> problems = {WinogradProblem(shape_of(2, 40, 9, 13, 18)),
                                                 WinogradProblem(line_shape(2, 50, 67, 44)),
                                                 WinogradProblem(volume_shape(2, 16, 3, 7, 9, 18))};

  // The tolerance of the op for values in [-1, 1], of `terms` products: 8 u terms / 3.
  static void expect_small(const ConvShape& s, const Errors& e, size_t terms) {
    const double allowed = 8 * 0x1p-24 * static_cast<double>(terms) / 3;
    EXPECT_LE(e.winograd, allowed);
    EXPECT_LE(e.winograd, kAmplification * e.direct);
    // Of kernels with slices, the long sums of the direct way may lose as much.
    const bool winograd = s.depth().kernel > 1 ? e.winograd != e.direct : e.winograd > e.direct;
    EXPECT_TRUE(winograd) << "not Winograd's algorithm? " << e.winograd << " " << e.direct;
    EXPECT_LE(e.winograd, 4e-6 * e.largest_value);
  }
  void expect_small_errors(ConvPass pass) {
    for (const WinogradProblem& p : problems) {
      expect_small(p.s, errors_of(p, pass, exact_of(p, pass)), terms_of(p.s, pass));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, WinogradOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

TEST_P(WinogradOnTarget, ErrorOfForward) { expect_small_errors(ConvPass::kForward); }
TEST_P(WinogradOnTarget, ErrorOfBackwardData) { expect_small_errors(ConvPass::kData); }
TEST_P(WinogradOnTarget, ErrorOfBackwardWeights) { expect_small_errors(ConvPass::kWeights); }

constexpr const char* kErrorsAbout = R"(# Error of the convolutions by Winograd's algorithm

The variant `winograd` computes fewer products than `direct`, from transformed inputs and weights, and
loses more to rounding. The largest absolute errors of both against sums in double precision, for
inputs, weights and gradients uniform in [-1, 1]: direct / Winograd on each target. `hwy` chooses
between these ways by a rule of the shape (with holes between the taps it is Winograd over every d-th pixel),
and reports name it in the column `Chose`; their column
`Error / tolerance` says the error of each row as a share of what the op allows, which is the same
for all variants.

Winograd's algorithm is refused for sums of less than 128 products. The tests assert that it stays
within that tolerance, below 7.2 times the direct error, and below 4e-6 of the largest value.

Generated by the test `Winograd.ErrorsAreThoseOfTheDocuments` with NSOP_WRITE_ACCURACY=1.

| convolution | pass | products per sum | largest value |)";

// A row of the table and its errors: direct, Winograd, by target.
struct ErrorRow {
  std::string text;
  Doubles errors;
};

ErrorRow error_row(const std::string& name, const WinogradProblem& p, ConvPass pass) {
  static const std::string names[] = {"forward", "backward data", "backward weights"};
  const Doubles exact = exact_of(p, pass);
  ErrorRow row;
  for (const std::string& target : targets()) {
    pin_target(target);
    const Errors e = errors_of(p, pass, exact);
    if (row.text.empty()) {
      row.text = fmt::format("| {} | {} | {} | {:.1f} |", name, names[static_cast<size_t>(pass)],
                             terms_of(p.s, pass), e.largest_value);
    }
    row.text += fmt::format(" {:.1e} / {:.1e} |", e.direct, e.winograd);
    row.errors.insert(row.errors.end(), {e.direct, e.winograd});
  }
  pin_target(targets().front());
  return row;
}

// All numbers with an exponent in a row.
Doubles errors_in(const std::string& row) {
  Doubles found;
  for (const std::string& word : split(row, ' ')) {
    if (word.find("e-") != std::string::npos) found.push_back(std::strtod(word.c_str(), nullptr));
  }
  return found;
}

// What a row is of: all but its errors.
std::vector<std::string> named_in(const std::string& row) {
  std::vector<std::string> cells = split(row, '|');
  cells.resize(std::min<size_t>(cells.size(), 5));
  return cells;
}

// Blocks of products depend on the size of the level-2 cache, so the last digits do, too.
TEST(Winograd, ErrorsAreThoseOfTheDocuments) {
  const std::pair<std::string, WinogradProblem> problems[] = {
      {"1x64x256 -> 64, k=3", WinogradProblem(line_shape(1, 64, 256, 64))},
      {"1x64x32x32 -> 16, k=3", WinogradProblem(shape_of(1, 64, 32, 32, 16))},
      {"1x16x8x16x16 -> 16, k=3", WinogradProblem(volume_shape(1, 16, 8, 16, 16, 16))}};
  std::string text = kErrorsAbout;
  for (const std::string& target : targets()) text += " " + target + " |";
  text += "\n|---|---|---:|---:|";
  for (size_t i = 0; i < targets().size(); ++i) text += "---|";
  const std::string header = text;
  std::vector<ErrorRow> rows;
  for (const auto& [name, problem] : problems) {
    for (const ConvPass pass : kConvPasses) rows.push_back(error_row(name, problem, pass));
  }
  for (const ErrorRow& row : rows) text += "\n" + row.text;
  text += "\n";
  if (std::getenv("NSOP_WRITE_ACCURACY") != nullptr) {
    std::ofstream(NSOP_WINOGRAD_TABLE) << text;
    return;
  }
  const std::string committed = read_file(NSOP_WINOGRAD_TABLE);
  ASSERT_TRUE(committed.starts_with(kErrorsAbout)) << NSOP_WINOGRAD_TABLE;
  if (!committed.starts_with(header + "\n")) GTEST_SKIP() << "another set of targets";
  const std::vector<std::string> lines = split(committed.substr(header.size() + 1), '\n');
  ASSERT_EQ(lines.size(), rows.size() + 1);  // nothing after the last line's end
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(named_in(lines[i]), named_in(rows[i].text));
    const Doubles stated = errors_in(lines[i]);
    ASSERT_EQ(stated.size(), rows[i].errors.size()) << lines[i];
    for (size_t k = 0; k < stated.size(); ++k) {
      EXPECT_GT(rows[i].errors[k], stated[k] / 2) << lines[i];
      EXPECT_LT(rows[i].errors[k], stated[k] * 2) << lines[i];
    }
  }
}

TEST(Winograd, SaysWhatItCannotDo) {
  const ConvShape s = shape_of(2, 16, 8, 8, 16);
  const auto with = [&s](size_t axis, size_t ConvAxis::*member, size_t value) {
    ConvShape other = s;
    other.axes[axis].*member = value;
    return other;
  };
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    EXPECT_EQ(winograd_unsupported(s, pass), "");
    EXPECT_EQ(winograd_unsupported(line_shape(2, 64, 100, 64), pass), "");
    EXPECT_EQ(winograd_unsupported(volume_shape(2, 16, 4, 8, 8, 16), pass), "");
    const std::string kernels = "wants kernels of 3x3x3 or 3x3, or 3 on one axis";
    EXPECT_EQ(winograd_unsupported(with(2, &ConvAxis::kernel, 5), pass), kernels);
    EXPECT_EQ(winograd_unsupported(with(1, &ConvAxis::kernel, 2), pass), kernels);
    EXPECT_EQ(winograd_unsupported(with(0, &ConvAxis::pad, 1), pass), kernels);
    const std::string steps = "wants stride 1 and dilation 1";
    EXPECT_EQ(winograd_unsupported(with(1, &ConvAxis::stride, 2), pass), steps);
    EXPECT_EQ(winograd_unsupported(with(2, &ConvAxis::dilation, 2), pass), steps);
    EXPECT_EQ(winograd_unsupported(with(2, &ConvAxis::pad, 3), pass), "wants padding of at most 2");
    ConvShape mean = s;
    mean.mean = true;
    EXPECT_EQ(winograd_unsupported(mean, pass), "doesn't average");
  }
  const std::string few = "wants sums of at least 128 products";
  EXPECT_EQ(winograd_unsupported(shape_of(2, 14, 8, 8, 16), ConvPass::kForward), few);
  EXPECT_EQ(winograd_unsupported(shape_of(2, 16, 8, 8, 14), ConvPass::kData), few);
  EXPECT_EQ(winograd_unsupported(shape_of(1, 16, 8, 8, 16), ConvPass::kWeights), few);
}

// The rule is one of shape: no pass of few channels or few tiles, each of many.
TEST(Winograd, PaysWithManyChannelsAndTiles) {
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    EXPECT_TRUE(winograd_pays(shape_of(8, 64, 32, 32, 128), pass));
    EXPECT_TRUE(winograd_pays(volume_shape(2, 32, 8, 16, 16, 64), pass));
    EXPECT_FALSE(winograd_pays(volume_shape(2, 32, 8, 8, 8, 64), pass));  // 4 tiles of a slice
    EXPECT_FALSE(winograd_pays(shape_of(1, 3, 28, 28, 16), pass));
    EXPECT_TRUE(winograd_pays(shape_of(16, 64, 4, 4, 64), pass));   // 16 tiles
    EXPECT_FALSE(winograd_pays(shape_of(2, 64, 8, 8, 64), pass));   // 8 tiles
    EXPECT_FALSE(winograd_pays(shape_of(32, 64, 2, 2, 64), pass));  // a quarter of each
    EXPECT_TRUE(winograd_pays(line_shape(8, 64, 16, 64), pass));    // 32 tiles
    EXPECT_FALSE(winograd_pays(line_shape(4, 64, 28, 64), pass));   // 28 tiles
    EXPECT_FALSE(winograd_pays(shape_of(1, 16, 28, 28, 8), pass));
  }
}

}  // namespace
}  // namespace nsop::kernels
