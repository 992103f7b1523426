// maxpool2d, avgpool2d: pools (reference/pool2d/window_pool.h) over square windows. Padding never
// wins a maximum; the average counts it as zeros, its divisor is always k*k.
#include <algorithm>

#include "reference/pool2d/shape.h"
#include "reference/pool2d/window_pool.h"

namespace nsop::reference {
namespace {

std::vector<PoolWindow> windows_of(const Case& c) {
  const Pool2dShape s(c);
  std::vector<PoolWindow> windows;
  for (int64_t oy = 0; oy < s.oh; ++oy) {
    for (int64_t ox = 0; ox < s.ow; ++ox) {
      const int64_t top = oy * s.stride - s.pad;
      const int64_t left = ox * s.stride - s.pad;
      windows.push_back({std::max<int64_t>(top, 0), std::min(top + s.k, s.h),
                         std::max<int64_t>(left, 0), std::min(left + s.k, s.w)});
    }
  }
  return windows;
}

int64_t overlap_of(const Case& c) {
  const Pool2dShape s(c);
  return s.overlap() * s.overlap();
}

int64_t area_of(const Case& c) { return c.integer("k") * c.integer("k"); }

// Those with the padding included.
double taps_of(const Case& c) {
  return static_cast<double>(element_count(Pool2dShape(c).y_shape())) *
         static_cast<double>(area_of(c));
}

WindowPool pool2d(std::string name, std::string summary) {
  return {.spec = pool2d_spec(std::move(name), std::move(summary)),
          .validate = validate_pool2d,
          .y_shape = [](const Case& c) { return Pool2dShape(c).y_shape(); },
          .windows = windows_of,
          .overlap = overlap_of,
          .taps = taps_of};
}

const OpRow max_row{
    max_pool_op(pool2d("maxpool2d", "Maximum over windows, NCHW, with its index; and gradient."))};
const OpRow average_row{
    average_pool_op(pool2d("avgpool2d", "Mean over windows, NCHW, and its gradient."),
                    {.of = [](const Case& c, const PoolWindow&) { return area_of(c); },
                     .least = area_of,
                     .most = area_of})};

}  // namespace
}  // namespace nsop::reference
