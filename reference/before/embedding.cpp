// embedding element by element, the result fresh.
#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

Function bind(const Case& c) {
  const int64_t rows = element_count(c.shape("n")), dim = c.integer("dim");
  const int64_t table = c.integer("vocab") * dim;
  const bool forward = c.str("pass") == "forward";
  return [=](const Inputs& in, std::vector<Floats>& out) {
    Floats result(forward ? rows * dim : table);
    for (int64_t r = 0; r < rows; ++r) {
      const auto picked = static_cast<int64_t>(in[0][r]);
      for (int64_t d = 0; d < dim; ++d) {
        const float value = in[1][(forward ? picked : r) * dim + d];
        result[(forward ? r : picked) * dim + d] += value;
      }
    }
    out[0] = std::move(result);
  };
}

const VariantRow row{elementwise("embedding", "A plain loop per picked row, the result fresh.",
                                 std::function<Function(const Case&)>(bind))};

}  // namespace
}  // namespace nsop::reference::before
