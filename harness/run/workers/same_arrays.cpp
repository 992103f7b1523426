#include "harness/run/workers/same_arrays.h"

#include <algorithm>

#include "harness/core/io/npy_view.h"

namespace nsop::run {

bool same_arrays(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::equal(a, b, [](const std::string& x, const std::string& y) {
    const NpyView<float> before(y);
    return same_bits(NpyView<float>(x, before.most_bytes_as<float>()), before);
  });
}

}  // namespace nsop::run
