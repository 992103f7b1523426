#include "box_blur.h"

#include <algorithm>
#include <cstddef>

namespace boxblur {

void blur_plain(std::span<const float> x, int r, std::span<float> y) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  const float scale = 1.0F / static_cast<float>(2 * r + 1);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    float sum = 0;
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(i - r, 0); j <= std::min(i + r, n - 1); ++j) {
      sum += x[static_cast<std::size_t>(j)];
    }
    y[static_cast<std::size_t>(i)] = sum * scale;
  }
}

void blur_running(std::span<const float> x, int r, std::span<float> y) {
  const auto radius = static_cast<std::size_t>(r);
  const double scale = 1.0 / (2 * r + 1);
  double sum = 0;
  for (std::size_t j = 0; j < std::min(radius, x.size()); ++j) sum += x[j];
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i + radius < x.size()) sum += x[i + radius];
    if (i > radius) sum -= x[i - radius - 1];
    y[i] = static_cast<float>(sum * scale);
  }
}

}  // namespace boxblur
