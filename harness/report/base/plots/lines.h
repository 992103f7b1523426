// Plots of times over the size of their cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/base/table.h"

namespace nsop::report {

// What a case's size is, such as its elements; 0: it has none and no place in the plot.
using SizeOf = double (*)(std::string_view case_text);

// A line to draw if one of the rows has a time of this variant; that of the suite's `before` is
// dashed.
struct WantedLine {
  std::string label;
  Selector selector;
};

// One above the other over the same sizes: the time of an operation, or that divided by the size.
struct Panel {
  std::string label;  // of its axis
  bool divided = false;
};

// The lines and, where it is known, the machine's limit (kind `lines`). Null when there is no time
// at all.
Json lines_plot(const Context& context, const Section& section,
                const std::vector<WantedLine>& wanted, SizeOf size, const std::string& size_label,
                const std::vector<Panel>& panels);

}  // namespace nsop::report
