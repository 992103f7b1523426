// Words that say which of two is better, or less.
#pragma once

#include <string_view>

namespace nsop::audit {

// What a word says of the second against the first.
enum class Sense {
  kNone,
  kBetter,   // faster, improvement
  kWorse,    // slower, regression
  kLess,     // less, fewer, reduction
  kMore,     // more, increase
  kSpeedup,  // a column's header: first / second, whatever that says
};

// What the words around a figure say: `text` behind it (as far as the clause goes) or before it.
Sense sense_of(std::string_view text);
// Of the figure at [begin, end) of a text.
Sense sense_around(std::string_view text, size_t begin, size_t end);

}  // namespace nsop::audit
