// What an audit says of each figure, and how it is printed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/io/json.h"

namespace nsop::audit {

enum class Kind {
  kRight,              // follows from the other figures, within their rounding
  kRounded,            // the same, but cut off or rounded further than printed
  kWrong,              // doesn't follow from them
  kUnlikeCases,        // right as a division, of things that aren't the same case
  kDirection,          // the direction contradicts the figures
  kShareWithoutParts,  // a share whose parts are nowhere
  kNotCheckable,       // nothing on the page it could be computed from
};
inline constexpr std::array kKinds = {
    Kind::kRight,     Kind::kRounded,           Kind::kWrong,       Kind::kUnlikeCases,
    Kind::kDirection, Kind::kShareWithoutParts, Kind::kNotCheckable};

std::string kind_text(Kind kind);  // `right`, `unlike_cases`: as JSON has it
bool accuses(Kind kind);           // the page must be corrected: wrong, unlike cases, direction

struct Finding {
  int line = 0;
  Kind kind = Kind::kNotCheckable;
  std::string figure;  // as printed
  std::string note;    // from what it was computed, and what it should be
};

// By line; what stands twice is kept once.
void put_in_order(std::vector<Finding>& findings);

// `FILE:LINE: kind: figure: note`, one each, without those right or rounded unless `all`; then a
// line of counts.
std::string as_text(const std::string& file, const std::vector<Finding>& findings, bool all);
Json as_json(const std::string& file, const std::vector<Finding>& findings);
// Workflow commands of GitHub
// (https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions): what
// accuses as an error, shares without parts as warnings.
std::string as_annotations(const std::string& file, const std::vector<Finding>& findings);

}  // namespace nsop::audit
