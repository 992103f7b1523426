// Which of a case's rows is meant: a variant, and the instruction set it runs on.
#pragma once

#include <string>
#include <string_view>

namespace nsop {

// `variant`, `variant@target` or `variant@best` (= `variant`: the library's own dispatch).
struct Selector {
  std::string variant;
  std::string target = "best";
  static Selector parse(std::string_view text);  // throws Error (usage)
  std::string text() const;  // `hwy@best`, `elementwise@best`; empty without a variant
  bool operator==(const Selector&) const = default;
};

}  // namespace nsop
