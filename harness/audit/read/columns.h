// What the columns of a table hold, as their headers and cells say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/audit/read/document.h"
#include "harness/audit/read/quantity.h"
#include "harness/audit/read/sense.h"

namespace nsop::audit {

enum class Role {
  kKey,      // says which case a row is
  kMeasure,  // times, bytes, counts, rates
  kDerived,  // ratios and percentages of other columns or rows
  kShare,    // percentages of a whole
  kOther,    // remarks, names of winners
};
enum class Side { kNone, kBefore, kAfter };
enum class Metric { kTime, kBytes, kAllocs, kRate };

struct Column {
  std::string header{};
  std::string name{};  // lower case, without what stands in brackets
  Role role = Role::kOther;
  Unit unit{};                              // of bare numbers
  Dimension dimension = Dimension::kCount;  // of most of its quantities
  Side side = Side::kNone;
  Metric metric = Metric::kTime;  // what it measures, or is derived from
  Sense sense = Sense::kNone;     // of bare figures, by the header
  bool against_previous = false;  // derived from a run that the page doesn't show
};

std::vector<Column> columns_of(const Table& table);

// Lower case, words of letters and digits with one space between: `Conv2D_Matched` is
// `conv2d matched`.
std::string words_of(std::string_view text);

bool has_word(std::string_view text, std::string_view word);  // of words_of(text)

// `baseline`, `before`, `original`: what a heading or header says of the first of two.
bool says_before(std::string_view text);
bool says_after(std::string_view text);

}  // namespace nsop::audit
