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

// Is a row's target the one that is meant: the same text, or that of a library held to this
// instruction set, `2.6.3-AVX2` for `AVX2`?
bool is_target(const std::string& target, const std::string& meant);

// Libraries are held to this instruction set beside variants of ours that are pinned to it.
constexpr const char* kHeldTo = "AVX2";

}  // namespace nsop
