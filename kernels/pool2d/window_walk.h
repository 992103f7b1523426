// The windows of adaptive pooling along an axis.
#pragma once

#include <cstddef>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Windows [floor(i n / o), ceil((i + 1) n / o)) for i = 0 to o - 1, without a division for each.
class WindowWalk {
 public:
  WindowWalk(size_t n, size_t o) : windows_(o), step_(n / o), rest_(n % o) {}
  Range next() {
    const size_t begin = begin_;
    begin_ += step_;
    remainder_ += rest_;
    if (remainder_ >= windows_) {
      remainder_ -= windows_;
      ++begin_;
    }
    return {begin, begin_ + (remainder_ > 0 ? 1 : 0)};
  }

 private:
  size_t windows_, step_, rest_;
  size_t begin_ = 0;
  size_t remainder_ = 0;  // of i * n divided by o
};

}  // namespace nsop::kernels
