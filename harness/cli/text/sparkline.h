// A history in one line of text.
#pragma once

#include <string>
#include <vector>

namespace nsop::cli {

// One block character per value, higher for larger; `·` for a value that isn't positive. The height
// spans the values, but at least 10 % of their middle, so that noise doesn't look like mountains.
std::string sparkline(const std::vector<double>& values);

}  // namespace nsop::cli
