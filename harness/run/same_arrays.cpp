#include "harness/run/same_arrays.h"

#include <algorithm>
#include <cstring>

#include "harness/core/npy.h"

namespace nsop::run {

bool same_arrays(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::equal(a, b, [](const std::string& x, const std::string& y) {
    const Tensor left = read_npy_f32(x), right = read_npy_f32(y);
    return left.shape() == right.shape() &&
           std::memcmp(left.data().data(), right.data().data(), left.data().size_bytes()) == 0;
  });
}

}  // namespace nsop::run
