// adaptive_maxpool2d, adaptive_avgpool2d: pools (reference/pool2d/window_pool.h) over as many
// windows as the output has pixels, that together cover the plane: window i of o along an axis of n
// is [floor(i n / o), ceil((i + 1) n / o)). Out 1x1 is the global pool.
#include <algorithm>
#include <string>

#include "reference/pool2d/window_pool.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Windows along an axis.
struct AdaptiveAxis {
  int64_t in, out;
  int64_t begin(int64_t i) const { return i * in / out; }
  int64_t end(int64_t i) const { return ((i + 1) * in + out - 1) / out; }
  int64_t largest() const { return (in + out - 1) / out + 1; }
  int64_t smallest() const { return std::max<int64_t>(1, in / out); }
  // The most windows that an input is in.
  int64_t overlap() const { return (out + in - 1) / in + 1; }
  // Of all windows together.
  double taps() const {
    double sum = 0;
    for (int64_t i = 0; i < out; ++i) sum += static_cast<double>(end(i) - begin(i));
    return sum;
  }
};

AdaptiveAxis rows_of(const Case& c) { return {c.shape("in")[2], c.shape("out")[0]}; }
AdaptiveAxis columns_of(const Case& c) { return {c.shape("in")[3], c.shape("out")[1]}; }

Shape y_shape_of(const Case& c) {
  const Shape in = c.shape("in");
  const Shape out = c.shape("out");
  return {in[0], in[1], out[0], out[1]};
}

std::vector<PoolWindow> windows_of(const Case& c) {
  const AdaptiveAxis rows = rows_of(c);
  const AdaptiveAxis columns = columns_of(c);
  std::vector<PoolWindow> windows;
  for (int64_t oy = 0; oy < rows.out; ++oy) {
    for (int64_t ox = 0; ox < columns.out; ++ox) {
      windows.push_back({rows.begin(oy), rows.end(oy), columns.begin(ox), columns.end(ox)});
    }
  }
  return windows;
}

double taps_of(const Case& c) {
  const Shape in = c.shape("in");
  return static_cast<double>(in[0] * in[1]) * rows_of(c).taps() * columns_of(c).taps();
}

void validate(const Case& c) {
  require_size(c.op(), "x", c.shape("in"));
  require_size(c.op(), "y", y_shape_of(c));
}

WindowPool adaptive(std::string name, std::string summary) {
  return {
      .spec =
          {.name = std::move(name),
           .summary = std::move(summary),
           .params =
               {pass_param({"forward", "backward"}),
                {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                {.name = "out", .kind = ParamKind::kShape, .choices = {}, .rank = 2, .absent = {}},
                range_param()}},
      .validate = validate,
      .y_shape = y_shape_of,
      .windows = windows_of,
      .overlap = [](const Case& c) { return rows_of(c).overlap() * columns_of(c).overlap(); },
      .taps = taps_of};
}

const OpRow max_row{max_pool_op(
    adaptive("adaptive_maxpool2d",
             "Maximum over windows that cover a plane, NCHW, with its index; and gradient."))};
const OpRow average_row{average_pool_op(
    adaptive("adaptive_avgpool2d", "Mean over windows that cover a plane, NCHW, and its gradient."),
    {.of = [](const Case&, const PoolWindow& window) { return window.pixels(); },
     .least = [](const Case& c) { return rows_of(c).smallest() * columns_of(c).smallest(); },
     .most = [](const Case& c) { return rows_of(c).largest() * columns_of(c).largest(); }})};

}  // namespace
}  // namespace nsop::reference
