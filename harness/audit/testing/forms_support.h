// Ways in which reports print values and figures, for tests of tables.
#pragma once

#include <span>
#include <string>

namespace nsop::audit {

// A value as printed, and what that is.
struct Printed {
  std::string text;
  double value = 0;
};

// A way to print values of 100 to 90,000, with three significant digits or more.
struct Values {
  const char* name;
  const char* unit;  // behind the header of a column
  Printed (*write)(double value);
  bool more_is_better = false;
};
std::span<const Values> all_values();

struct Figure {
  std::string text;
  double value = 0, step = 0;  // as printed, and its last digit or what it leaves open
  bool bound = false;          // a lower one
};

// A way to print that something is `ratio` times better, and has `after_by_before` times the value.
struct Figures {
  const char* name;
  const char* header;
  bool percent = false;
  Figure (*write)(double ratio, double after_by_before);
};
std::span<const Figures> all_figures();

}  // namespace nsop::audit
