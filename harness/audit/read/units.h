// Units as reports print them.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "harness/audit/read/quantity.h"

namespace nsop::audit {

inline bool digit(char c) { return c >= '0' && c <= '9'; }
inline bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
inline bool word_char(char c) { return digit(c) || letter(c) || c == '_'; }
// The character there; none behind the end.
inline char at(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

// Reads a unit at `i` (`ms`, `B/op`, `GFLOP/s`, `%`, `x`) and moves `i` past it; false if there is
// none.
bool read_unit(std::string_view text, size_t& i, Unit& unit);

// Lower case, without the s of a plural; `alloc` is an allocation.
std::string singular(std::string word);

}  // namespace nsop::audit
