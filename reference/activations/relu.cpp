// relu: y = max(x, 0); dx = dy where x > 0, else 0. Exact.
#include "reference/elementwise/unary.h"
#include "reference/spec/types.h"

namespace nsop::reference {
namespace {

const OpRow row{with_types(unary_op({
    .name = "relu",
    .summary = "Rectified linear unit, max(x, 0).",
    .params = {},
    .forward = plain([](double x) { return x > 0 ? x : 0.0; }),
    .derivative = plain([](double x) { return x > 0 ? 1.0 : 0.0; }),
    .forward_tolerance = always({}),
    .backward_tolerance = always({}),
}))};

}  // namespace
}  // namespace nsop::reference
