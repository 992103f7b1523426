// Plots of times over the size of their cases.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/base/table.h"

namespace nsop::report {

// Of a case: its elements, say; 0: it has none.
using SizeOf = std::function<double(const CaseRow&)>;

// What a plot is over: a case without a size has no place in it.
struct PlotSize {
  std::string label;  // of its axis
  SizeOf of;
  SizeOf divisor = of;  // of the times in a divided panel
};

// A line to draw if one of the rows has a time of this variant; that of the suite's `before` is
// dashed.
struct WantedLine {
  std::string label;
  Selector selector;
};

// One above the other over the same sizes: the time of an operation, or that divided.
struct Panel {
  std::string label;  // of its axis
  bool divided = false;
};

// The lines and, where it is known, the machine's limit (kind `lines`). Null when there is no time
// at all.
Json lines_plot(const Context& context, const Section& section,
                const std::vector<WantedLine>& wanted, const PlotSize& size,
                const std::vector<Panel>& panels);

}  // namespace nsop::report
