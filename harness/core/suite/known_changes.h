// nsop-known.toml: changes of speed that are meant, declared in a file that is reviewed like code.
//
//   [[change]]
//   case = "conv2d pass=backward k=*"  # pattern of cases, as in --filter
//   variant = "hwy"                    # optional: only this one
//   direction = "worse"                # or "better"
//   at_most_percent = 10               # optional: a larger change is not the one that was meant
//   reason = "exact rounding takes a second pass"
//   commit = "1a2b3c4d"                # the change that this commit makes; or
//   expires = 2026-12-31               # any such change, until that day
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop {

constexpr const char* kKnownChangesFile = "nsop-known.toml";

struct KnownChange {
  std::string case_pattern;
  std::string variant;    // empty: every one
  std::string direction;  // worse, better
  std::string reason;
  std::string commit;   // at least seven hexadecimal digits; empty: any
  std::string expires;  // `2026-12-31`, the last day; empty: never, but then there is a commit
  std::optional<double> at_most_percent;
  std::string where;  // `file:line`
};

// Throws Error (usage) with `file:line: ...`: not TOML, unknown or missing key, wrong type,
// neither commit nor expires.
std::vector<KnownChange> parse_known_changes(const std::string& text, const std::string& path);
// The same from a file; nothing when there is no such file.
std::vector<KnownChange> load_known_changes(const std::string& path);

// A change of a row that was found.
struct FoundChange {
  RowKey row;
  std::string direction;  // worse, better
  double ratio = 1;       // new / old time; 1 where it isn't one of time
  bool of_time = true;  // else of allocations: a declared size, which is one of time, says nothing
};

// The first declaration that covers a change on the day `today` (`2026-06-01`); `is_of` says
// whether a commit (a prefix of its name) may have made the change. Nullptr when none covers it.
const KnownChange* find_known_change(const std::vector<KnownChange>& known,
                                     const FoundChange& found, const std::string& today,
                                     const std::function<bool(const std::string& commit)>& is_of);

}  // namespace nsop
