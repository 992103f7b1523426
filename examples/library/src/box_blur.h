// Moving averages: the library whose kernels bench/worker.cpp measures.
#pragma once

#include <span>

namespace boxblur {

// y[i] is the mean of x[i-r] ... x[i+r], zeros beyond the ends. Sizes are equal, r >= 0.
void blur_plain(std::span<const float> x, int r, std::span<float> y);    // n (2r+1) additions
void blur_running(std::span<const float> x, int r, std::span<float> y);  // 2n additions, in double

}  // namespace boxblur
