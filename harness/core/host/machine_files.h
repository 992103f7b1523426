// Small text files below /proc and /sys, and the notations in them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nsop {

// The trimmed text of `root + path`; empty when the file is missing or unreadable, as is normal for
// files that only some kernels have.
std::string machine_text(const std::string& root, const std::string& path);

// `key: value` (or `key=value`) lines of a text up to its first empty line; later keys win.
std::map<std::string, std::string> key_values(std::string_view text, char separator);

// `0-2,5` -> 0 1 2 5. Rubbish gives an empty list.
std::vector<int> parse_cpu_list(std::string_view text);

// `48K`, `2M`, `512` in bytes; 0 for rubbish.
int64_t parse_size(std::string_view text);

// The leading decimal integer (or number) of a text; 0 without one.
int64_t leading_integer(std::string_view text);
double leading_number(std::string_view text);

}  // namespace nsop
