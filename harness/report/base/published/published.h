// Values that other systems published of work that nsop measures, too: shown beside ours, compared
// with nothing. Kept in reference/published/*.csv.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nsop::report {

// One published value: a time of an operation (`ns`, with what was allocated if that was
// published), or else a `metric` with its value as it was printed.
struct Published {
  std::string system, document, version;
  std::string machine;    // as the source states it
  std::string case_text;  // ours, of the same work
  std::string role;       // which of the source's implementations, in words
  // What is shown beside it: `before` or `after`, or a variant such as `numpy` or `hwy@SCALAR`.
  std::string here;
  std::optional<double> ns, allocs, bytes;  // per operation
  std::string metric;  // of metered steps (core/metered.h), or one that nothing here measures
  std::string value, unit;
  std::string note;
  bool operator==(const Published&) const = default;
};

// The lines of a file of published values, comma-separated with quotes as in RFC 4180 under a line
// of names. Throws Error (bad data) with `path:line` where one is malformed.
std::vector<Published> parse_published(std::string_view text, const std::string& path);

// Published values of all files *.csv of the folder, in the order of their names; none where there
// is no such folder. Throws Error (bad data; environment where a file can't be read).
std::vector<Published> published_in(const std::string& folder);

}  // namespace nsop::report
