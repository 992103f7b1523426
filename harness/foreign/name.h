// The case text of a row that another tool measured: `foreign tool=TOOL name=NAME key=value ...`.
//
// No op of ours is called `foreign`, so such a row is never one that was measured here. The case
// grammar (harness/core/case.h) has no quotes, so keys and values are percent-encoded as in a URI
// (RFC 3986, section 2.1): `%` and two upper-case hexadecimal digits stand for each byte of a
// character that the grammar, a pattern, a log or a terminal would take for something else. Exactly
// one text stands for a name, and decoding gives the name back to the byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nsop::foreign {

// What tells a row of a tool from all others, in a fixed order: `name`, then what the format has.
// Keys aren't empty; those of the tool's own parameters begin with `p.`.
using Identity = std::vector<std::pair<std::string, std::string>>;

std::string percent_encoded(std::string_view text);
// nullopt: not what percent_encoded() writes.
std::optional<std::string> percent_decoded(std::string_view text);

constexpr const char* kForeignOp = "foreign";

std::string case_text(const std::string& tool, const Identity& identity);

struct ForeignCase {
  std::string tool;
  Identity identity;
};
// nullopt: the text of a case that was measured here.
std::optional<ForeignCase> parse_case_text(std::string_view text);

// How people call it: the name, then what else it has as `key=value`, decoded and on one line.
std::string display_name(const Identity& identity);

}  // namespace nsop::foreign
